// CRFsuite's model files, read where they are asked: any bytes give finite weights and ids within bounds, or an InputError.
//
//     a file; its size in the header is made right, so that what lies behind it is read
#include "fuzz/input.hpp"
#include "text/crfsuite_file.hpp"

using namespace tagfield;
using namespace tagfield::text;

namespace {

void expect_finite(const std::vector<double>& row) {
    for (const double weight : row) fuzz::expect(std::isfinite(weight), "a weight that is not finite");
}

void ask(const CrfsuiteFile& file) {
    std::vector<double> row(file.labels);
    for (std::uint32_t id = 0; id < file.labels; ++id) {
        file.label(id);
        file.put_transitions(id, row.data());
        expect_finite(row);
    }
    const bool found = file.names().first_lost() == Cqdb::absent;  // else two attributes may have one name
    Vocabulary names;
    std::vector<double> rows(std::size_t{file.attributes} * file.labels);
    LateAttributes late(file, names, rows.data(), file.labels);
    for (std::uint32_t id = 0; id < file.attributes; ++id) {
        const std::string name = text_of_bytes(file.names()[id]);
        const std::int32_t known = late.find(HashedString(name));
        fuzz::expect(!found || (known >= 0 && names[known] == name), "an attribute that is not found");
        fuzz::expect(known == late.find(HashedString(name)), "an id that changed");
        for (const std::string& other : {name + "!", name + "\xEF\xB7\x96\xEF\xB7\xA9"}) late.find(HashedString(other));
    }
    expect_finite(rows);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    for (std::size_t i = 0; size >= 8 && i < 4; ++i) bytes[4 + i] = static_cast<char>(size >> 8 * i);
    try {
        const CrfsuiteFile file(bytes);
        if (std::uint64_t{file.attributes} * file.labels < 1 << 20) ask(file);
    } catch (const InputError&) {
    }
    return 0;
}
