// Python bindings of sequence.hpp. A capsule with the door crosses to tagfield.native._text, which calls it.
#include <memory>

#include "kernel/bind/handles.hpp"
#include "kernel/decode/sequence.hpp"

namespace tagfield::bind {
namespace {

// What a capsule holds: the door, and the weights that it reads, kept alive.
struct HeldDoor {
  nb::object field;
  std::unique_ptr<SequenceDoor> door;
};

}  // namespace

void bind_sequence(nb::module_& m) {
  m.def("sequence_door", [](nb::handle given) {
    const FieldHandle& field = nb::cast<const FieldHandle&>(given);
    require(field.view.at.E == 0, "a sequence door has no edge attributes");
    auto held = std::make_unique<HeldDoor>();
    held->field = nb::borrow(given);
    held->door = field.wide ? make_sequence(*field.wide) : make_sequence(field.view);
    PyObject* made = PyCapsule_New(held->door.get(), SequenceDoor::NAME, [](PyObject* capsule) {
      delete static_cast<HeldDoor*>(PyCapsule_GetContext(capsule));
    });
    if (!made) throw nb::python_error();
    PyCapsule_SetContext(made, held.release());
    return nb::steal(made);
  }, "field"_a);
}

}  // namespace tagfield::bind
