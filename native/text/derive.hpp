// CellFunction: a column derived cell by cell by a Python function, which sees each distinct cell once.
//
//     new cells of the base column ─▶ function(list) ─▶ for each cell: None, a str, or a list of str ─▶ of[cell]
//
// A cell of a base column with many values is handed over as a list of them. The GIL is taken for new cells only.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/cell_table.hpp"
#include "text/errors.hpp"
#include "text/python_lists.hpp"

namespace tagfield::text {

class CellFunction : public Derivation {
  public:
    explicit CellFunction(nb::object function) : function_(std::move(function)) {}

    void run(const Column& base, const std::vector<std::int64_t>&, Column& made) override {
        if (of_.size() < base.cells.size()) call(base, made);
        const std::size_t T = base.ids.size();
        made.ids.resize(T);
        for (std::size_t t = 0; t < T; ++t)
            made.ids[t] = base.ids[t] == Column::nothing ? Column::nothing : of_[static_cast<std::size_t>(base.ids[t])];
    }

    bool per_cell() const override { return true; }
    void forget() override { of_.clear(); }

  private:
    static nb::str as_str(std::string_view text) { return nb::str(text.data(), text.size()); }

    static nb::object values_of(std::string_view cell) {
        nb::list values;
        for (std::size_t end = cell.find(Column::separator); end != cell.npos; end = cell.find(Column::separator)) {
            values.append(as_str(cell.substr(0, end)));
            cell.remove_prefix(end + 1);
        }
        values.append(as_str(cell));
        return values;
    }

    void call(const Column& base, Column& made) {
        const nb::gil_scoped_acquire acquire;
        nb::list cells;
        for (std::size_t cell = of_.size(); cell < base.cells.size(); ++cell) {
            const std::string_view text = base.cells[static_cast<std::int32_t>(cell)];
            cells.append(base.many ? values_of(text) : nb::object(as_str(text)));
        }
        const nb::object results = function_(cells);
        if (!PyList_CheckExact(results.ptr()) || length_of(results.ptr()) != length_of(cells.ptr()))
            throw InputError("a function of cells must return a list with one entry for each cell");
        for (Py_ssize_t i = 0; i < length_of(results.ptr()); ++i) of_.push_back(id_of(item_of(results.ptr(), i), made));
    }

    std::int32_t id_of(PyObject* result, Column& made) {
        if (result == Py_None) return Column::nothing;
        if (PyUnicode_Check(result)) return made.cells.add(text_of(result, "a function of cells"));
        if (!made.many || !PyList_CheckExact(result))
            throw InputError("a function of cells returned an object of type " + type_name(result));
        joined_.clear();
        for (Py_ssize_t i = 0; i < length_of(result); ++i) {
            PyObject* value = item_of(result, i);
            if (!PyUnicode_Check(value)) throw InputError("a value of a cell is of type " + type_name(value));
            if (i) joined_ += Column::separator;
            joined_ += text_of(value, "a function of cells");
        }
        return length_of(result) ? made.cells.add(joined_) : Column::nothing;
    }

    nb::object function_;
    std::vector<std::int32_t> of_;  // cell of the base column → cell of this one
    std::string joined_;
};

}  // namespace tagfield::text
