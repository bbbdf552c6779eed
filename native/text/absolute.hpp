// AtRow: a column with the cell of one row of the sentence at each of its tokens, counted from its start or its end.
//
//     row ≥ 1: the row-th token      row ≤ −1: the token that many from the end      0: the position before the first
//
// Beyond the ends there is padding, by distance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/cell_table.hpp"
#include "text/errors.hpp"

namespace tagfield::text {

class AtRow : public Derivation {
  public:
    AtRow(std::int64_t row, std::vector<std::string> before, std::vector<std::string> after)
        : row_(row), before_(std::move(before)), after_(std::move(after)) {
        if (before_.empty() || after_.empty()) throw InputError("a row of the sentence needs padding on each side");
    }

    void run(const Column& base, const std::vector<std::int64_t>& tokens, Column& made) override {
        made.ids.assign(base.ids.size(), Column::nothing);
        for (std::size_t s = 0; s + 1 < tokens.size(); ++s) {
            const std::int64_t T = tokens[s + 1] - tokens[s], at = row_ >= 0 ? row_ - 1 : T + row_;
            if (T == 0) continue;
            std::int32_t id = Column::nothing;
            if (at < 0)
                id = made.cells.add(beyond(before_, -at));
            else if (at >= T)
                id = made.cells.add(beyond(after_, at - T + 1));
            else if (base.ids[tokens[s] + at] != Column::nothing)
                id = made.cells.add(base.cells[base.ids[tokens[s] + at]]);
            std::fill(made.ids.begin() + tokens[s], made.ids.begin() + tokens[s + 1], id);
        }
    }

  private:
    // The last text stands for every position farther away.
    static const std::string& beyond(const std::vector<std::string>& texts, std::int64_t distance) {
        return texts[std::min(static_cast<std::size_t>(distance), texts.size()) - 1];
    }

    std::int64_t row_;
    std::vector<std::string> before_, after_;
};

}  // namespace tagfield::text
