#include <nanobind/nanobind.h>
NB_MODULE(_text, m) { (void)m; }
