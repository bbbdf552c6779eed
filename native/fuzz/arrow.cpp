// Words from forged Arrow buffers: either the cells are the words that the offsets name, or an InputError.
//
//     widths of the offsets (bits 0 and 1), number of row offsets, of word offsets, both offsets, text
#include <exception>
#include <string>
#include <vector>

#include "fuzz/input.hpp"
#include "text/arrow_words.hpp"

using namespace tagfield;
using namespace tagfield::text;

namespace {

// The bytes of n offsets, on the heap: one byte beyond them is an error that AddressSanitizer sees.
Offsets offsets_of(fuzz::Input& input, std::size_t n, bool wide, std::vector<char>& bytes) {
    bytes = input.numbers<char>(n * (wide ? 8 : 4));
    return {bytes.data(), n, wide};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const unsigned flags = input.byte();
    const std::size_t n_rows = input.byte(), n_words = input.byte();
    std::vector<char> row_bytes, word_bytes;
    const Offsets rows = offsets_of(input, n_rows, flags & 1, row_bytes);
    const Offsets words = offsets_of(input, n_words, flags & 2, word_bytes);
    const std::string text(input.rest());
    try {
        const ArrowWords given({{"w", rows, words, text}}, 0);
        CellTable table({true});
        std::size_t s = 0, tokens = 0;
        const std::size_t found = given.read(table, "one column", [&] {
            table.update();
            const Column& column = table.read_column(0);
            std::size_t token = 0;
            for (std::size_t k = 0; k + 1 < table.tokens().size(); ++k, ++s) {
                fuzz::expect(table.tokens()[k + 1] - table.tokens()[k] == rows[s + 1] - rows[s], "a row of another length");
                for (std::int64_t t = rows[s]; t < rows[s + 1]; ++t, ++token) {
                    const auto at = static_cast<std::size_t>(t), from = static_cast<std::size_t>(words[at]);
                    fuzz::expect(column.cells[column.ids[token]] == text.substr(from, words[at + 1] - words[at]),
                                 "another word than the offsets name");
                }
            }
            tokens += token;
            table.begin();
        });
        fuzz::expect(s == given.size() && found == tokens, "another number of rows or tokens");
    } catch (const InputError&) {
    }
    return 0;
}
