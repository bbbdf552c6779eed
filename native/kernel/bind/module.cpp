// Binds the kernels, one file for each part. No file here computes anything: arguments are checked, and a kernel is called.
#include "interpreter.hpp"
#include "kernel/bind/handles.hpp"

namespace tagfield::bind {

void bind_corpus(nb::module_&);
void bind_weights(nb::module_&);
void bind_decode(nb::module_&);
void bind_sequence(nb::module_&);
void bind_gradient(nb::module_&);
void bind_passes(nb::module_&);

NB_MODULE(TAGFIELD_MODULE, m) {
  require_main_interpreter();
  nb::set_leak_warnings(false);  // an interpreter that ends in an error keeps objects alive; that is no leak of ours
  m.attr("LANES") = W;
  m.attr("LARGEST") = LARGEST;
  m.attr("COMPILER") = __VERSION__;
  bind_corpus(m);
  bind_weights(m);
  bind_decode(m);
  bind_sequence(m);
  bind_gradient(m);
  bind_passes(m);
}

}  // namespace tagfield::bind
