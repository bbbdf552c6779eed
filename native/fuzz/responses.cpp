// Response tables with forged numbers: no u, whatever it is, reads outside of the table.
//
//     bits, flags, low and high edge, some u, then the numbers of the table, over and over
#include "fuzz/input.hpp"
#include "kernel/pass/response.hpp"

using namespace tagfield;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    Response r;
    r.bits = 1 + input.byte() % 3;
    const unsigned flags = input.byte();
    r.odd = flags & 1, r.low_linear = flags & 2, r.logs = (flags & 4) && r.low_linear;
    const std::vector<double> edges = input.numbers<double>(2);
    r.low = edges[0], r.high = edges[1];
    const std::vector<float> u = input.numbers<float>(2 * W);
    r.n = 1 + ((flags & 8 ? 48 : 150) << r.bits);
    const std::size_t rows = 3;
    const std::vector<float> given = input.numbers<float>(1 + std::min<std::size_t>(input.rest().size() / 4, 64));
    std::vector<float> cells(rows * static_cast<std::size_t>(r.n) * 2);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = given[i % given.size()];
    const std::vector<double> tails = input.numbers<double>(rows * 4);
    r.cells = cells.data(), r.tails = tails.data();
    r.find_first_curved();
    fuzz::expect(r.first_curved >= 0 && r.first_curved < r.n, "a straight part beyond the table");
    float out[W];
    for (std::size_t i = 0; i < u.size(); i += W) store<float>(out, r(load(u.data() + i)));
    for (const float one : u) {
        fuzz::expect(one != 0 || r.tail(one) == 0, "a response to 0");
        (void)r.at_count(one, flags >> 4);
    }
    return 0;
}
