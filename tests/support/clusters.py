"""Run pages that need Spark or Ray in their own process, which starts them on loopback and ends them with itself."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.pages import ROOT

SPARK = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_SUBMIT_ARGS": "--driver-memory 512m --conf spark.ui.enabled=false pyspark-shell",
}
RAY = {
    "RAY_ADDRESS": "local",  # one of its own, whatever runs on this machine
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # loopback only
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_AUTH_MODE": "token",
}


def play_alone(page: Path, folder: Path, *headings: str) -> str:
    """Run a page, or the blocks below some headings; fail if a block prints something else than the page shows."""
    scratch = tempfile.mkdtemp(prefix="tagfield-", dir="/tmp")  # a short path, for Ray's sockets
    more = {"RAY_TMPDIR": scratch, "RAY_AUTH_TOKEN": os.urandom(24).hex()}
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.pages", str(page), str(folder), *headings]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=420, env=os.environ | SPARK | RAY | more
        )
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    assert done.returncode == 0, done.stdout + done.stderr[-6000:]
    return done.stdout
