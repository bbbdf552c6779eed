// Vocabularies from forged arrays: either every string has its id and every id its string, or an InputError.
//
//     number of offsets, offsets (8 bytes each), text
#include "fuzz/input.hpp"
#include "text/vocabulary.hpp"

using namespace tagfield;
using namespace tagfield::text;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto offsets = input.numbers<std::int64_t>(input.byte());
    const std::string_view text = input.rest();
    try {
        Vocabulary made(StringTable::from_arrays(text, offsets.size(), [&](std::size_t i) { return offsets[i]; }));
        fuzz::expect(made.bytes() == text && made.offsets() == offsets, "other arrays than the given ones");
        const Vocabulary before = made;
        std::vector<HashedString> keys;
        for (std::size_t i = 0; i < made.size(); ++i) keys.emplace_back(made[static_cast<std::int32_t>(i)]);
        std::vector<std::int32_t> ids(keys.size());
        made.find_all(keys.data(), keys.size(), ids.data());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            fuzz::expect(ids[i] == static_cast<std::int32_t>(i), "a string with another id");
            const std::string longer = std::string(made[ids[i]]) + "!";
            const std::int32_t known = before.find(longer), id = made.add(longer);
            fuzz::expect(known == Vocabulary::absent || known == id, "an id that changed");
            fuzz::expect(made[id] == longer, "another string than the one that was added");
        }
        fuzz::expect(before.bytes() == text && before.size() == ids.size(), "a snapshot that grew");
    } catch (const InputError&) {
    }
    return 0;
}
