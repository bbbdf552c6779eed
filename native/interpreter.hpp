// The native modules keep their state once per process, so only the main interpreter may load them.
// tagfield/system/interpreter.py says the same before anything is loaded; here it holds for a direct import too.
#pragma once

#include <nanobind/nanobind.h>

namespace tagfield {

inline void require_main_interpreter() {
  if (PyInterpreterState_Get() != PyInterpreterState_Main())
    throw nanobind::import_error("tagfield cannot run in a sub-interpreter; import it in the main interpreter");
}

}  // namespace tagfield
