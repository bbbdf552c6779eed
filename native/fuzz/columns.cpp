// Column files: any bytes are a table of cells, or an InputError.
#include "fuzz/input.hpp"
#include "text/columns.hpp"

using namespace tagfield;
using namespace tagfield::text;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::Input(data, size).rest();
    const auto [line, width] = first_line(text);
    fuzz::expect((line == 0) == (width == 0), "a first line without columns");
    CellTable table(std::vector<bool>(width ? width : 1, true));
    table.begin();
    ColumnReader places;
    try {
        places.read(table, text, "file", 0, "line 1");
    } catch (const InputError&) {
        return 0;
    }
    const auto& tokens = table.tokens();
    fuzz::expect(tokens.size() == places.line.size() + 1, "a sentence without a place");
    for (std::size_t k = 0; k < table.width(); ++k) {
        const Column& column = table.read_column(k);
        for (const std::int32_t id : column.ids) fuzz::expect(!column.cells[id].empty(), "a cell without text");
    }
    for (std::size_t s = 0; s < places.line.size(); ++s) {
        fuzz::expect(tokens[s] < tokens[s + 1], "a sentence without tokens");
        fuzz::expect(0 <= places.begin[s] && places.begin[s] < places.end[s] &&
                         static_cast<std::size_t>(places.end[s]) <= size, "a sentence outside of the file");
        std::string_view rest = text.substr(places.begin[s], places.end[s] - places.begin[s]);
        std::string_view row = take_line(rest);
        const Column& column = table.column(0);
        fuzz::expect(take_cell(row) == column.cells[column.ids[tokens[s]]], "another cell than the file's");
    }
    return 0;
}
