// Python binding of one sequence at a time (decode.hpp). A capsule with the decoder crosses to tagfield.native._text, which calls it.
#include <memory>

#include "kernel/bind/handles.hpp"
#include "kernel/decode/decode.hpp"

namespace tagfield::bind {
namespace {

// What a capsule holds: the decoder, and the weights that it reads, kept alive.
struct HeldDecoder {
  nb::object field;
  std::unique_ptr<SequenceDecoder> decoder;
};

// Stopped does not cross to the other module, and Python's error stays where it is.
void ask_or_stop() {
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw Stopped();
}

}  // namespace

void bind_sequence(nb::module_& m) {
  m.def("sequence_decoder", [](nb::handle given) {
    const FieldHandle& field = nb::cast<const FieldHandle&>(given);
    require(field.view.at.E == 0, "a sequence decoder has no edge attributes");
    auto held = std::make_unique<HeldDecoder>();
    held->field = nb::borrow(given);
    held->decoder = field.wide ? make_sequence(SizedField<double>(*field.wide, 0), ask_or_stop)
                               : make_sequence(SizedField<float>(field.view, field.largest()), ask_or_stop);
    PyObject* made = PyCapsule_New(held->decoder.get(), SequenceDecoder::NAME, [](PyObject* capsule) {
      delete static_cast<HeldDecoder*>(PyCapsule_GetContext(capsule));
    });
    if (!made) throw nb::python_error();
    PyCapsule_SetContext(made, held.release());
    return nb::steal(made);
  }, "field"_a);
}

}  // namespace tagfield::bind
