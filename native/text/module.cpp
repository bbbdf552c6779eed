// Binds _text; computes nothing. Its callers are tagfield/data/encode.py, text/ and corpus/.
#include "interpreter.hpp"
#include "processor.hpp"
#include "text/bind_corpus.hpp"
#include "text/bind_items.hpp"
#include "text/bind_vocabulary.hpp"
#include "text/handles.hpp"

void bind_templates(nb::module_& m);
void bind_token_lists(nb::module_& m);
void bind_sequence_tagger(nb::module_& m);
void bind_objects(nb::module_& m);

NB_MODULE(TAGFIELD_MODULE, m) {
    tagfield::require_main_interpreter();
    nb::set_leak_warnings(false);  // an interpreter that exits after an error keeps objects alive: not a leak here
    m.doc() = "Text or Python objects to the arrays of a Dataset, and arrays back to Python objects.";
    const nb::object error = nb::module_::import_("tagfield.errors").attr("InputError");
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* kind) {
            try {
                std::rethrow_exception(thrown);
            } catch (const InputError& what) {
                const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
                    what.message.data(), static_cast<Py_ssize_t>(what.message.size()), "replace"));
                if (text.is_valid()) PyErr_SetObject(static_cast<PyObject*>(kind), text.ptr());
            }
        },
        error.inc_ref().ptr());
    m.def("supported_levels", &tagfield::supported_levels, "The builds of the kernels that this processor runs.");
    bind_vocabulary(m);
    bind_templates(m);
    bind_items(m);
    bind_token_lists(m);
    bind_corpus(m);
    bind_sequence_tagger(m);
    bind_objects(m);
}
