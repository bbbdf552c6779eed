// CRFsuite's item lines: any bytes are sequences of attributes, or an InputError.
#include "fuzz/input.hpp"
#include "text/dataset_builder.hpp"
#include "text/items.hpp"
#include "text/sentence_builder.hpp"

using namespace tagfield;
using namespace tagfield::text;

namespace {

bool parse(std::string_view text, double& number) {
    const std::string copy(text);
    char* end = nullptr;
    number = std::strtod(copy.c_str(), &end);
    return !copy.empty() && end == copy.c_str() + copy.size();
}

struct Sink {
    Vocabulary attributes;
    SentenceBuilder builder;
    DatasetBuilder dataset;
    std::size_t tokens = 0, given = 0;
    bool open = false;

    explicit Sink(bool gather) : builder(attributes, false) { dataset.gather = gather; }
    char* allocate(std::size_t n) { return builder.allocate(n); }
    void begin(long long) { fuzz::expect(!open, "a sequence within a sequence"), open = true; }
    void label(std::string_view text) { fuzz::expect(utf8_flaw(text) == text.size(), "a label that is not UTF-8"); }
    void attribute(std::string_view text, double value) {
        fuzz::expect(std::isfinite(value), "a value that is not finite");
        builder.add(text.data(), text.size(), static_cast<float>(value));
        ++given;
    }
    void end_token() { builder.end_token(), ++tokens; }
    void end(double weight) {
        fuzz::expect(open && weight >= 0, "a sequence that was not begun, or a weight below 0");
        builder.finish(dataset);
        open = false;
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    Sink sink(size % 2 == 0);
    try {
        ItemParser parser(input.rest(), "file", parse);
        while (parser.next(sink)) continue;
    } catch (const InputError&) {
        return 0;
    }
    const DatasetBuilder& made = sink.dataset;
    fuzz::expect(static_cast<std::size_t>(made.tokens.back()) == sink.tokens, "tokens were lost");
    fuzz::expect(made.count() == sink.given, "attributes were lost");
    for (const std::int32_t id : made.attribute)
        fuzz::expect(utf8_flaw(sink.attributes[id]) == sink.attributes[id].size(), "an attribute that is not UTF-8");
    return 0;
}
