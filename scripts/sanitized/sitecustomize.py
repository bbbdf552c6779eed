"""What Python reads at its start under scripts/sanitize.py, also in the processes that tests start."""

import ctypes
import os
import sys

# The editable install would find its own modules first.
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "ScikitBuildRedirectingFinder"]

# GCC's libasan and libubsan both have this function, and the one of libasan answers for both. Without this call UBSan
# would keep writing to standard error, whatever its log_path says.
_ubsan = next((name for name in os.environ.get("LD_PRELOAD", "").split() if "ubsan" in name), None)
_reports = os.environ.get("UBSAN_OPTIONS", "").partition("log_path=")[2]
if _ubsan and _reports:
    ctypes.CDLL(_ubsan).__sanitizer_set_report_path(os.fsencode(_reports))
