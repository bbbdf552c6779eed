// Python bindings of decode.hpp and nbest.hpp; tagfield/decoder.py checks the arguments.
#pragma once
#include "kernel/decode.hpp"
#include "kernel/handles.hpp"
#include "kernel/nbest.hpp"

namespace {

void at_least_one(int threads) { require(threads >= 1, "at least one thread"); }

void bind_decode(nb::module_& m) {
  m.def("scores", [](const CorpusHandle& c, const FieldHandle& field, int threads) {
    fits(c, field);
    at_least_one(threads);
    auto out = fresh<float, 2>({size_t(c.view.T), size_t(field.view.at.L)});
    {
      nb::gil_scoped_release release;
      with_rows(field.view.at, [&](auto rows) { scores_all<decltype(rows)::value>(c.view, field.view, out.data(), threads); });
    }
    return out;
  }, "corpus"_a, "field"_a, "threads"_a = 1);

  m.def("tag", [](const CorpusHandle& c, const FieldHandle& field, const LimitsHandle* limits, int threads) {
    fits(c, field);
    at_least_one(threads);
    const Limits within = LimitsHandle::of(limits, c.view, field.view.at);
    auto y = fresh<int32_t, 1>({size_t(c.view.T)});
    auto score = fresh<double, 1>({size_t(c.view.S)});
    {
      nb::gil_scoped_release release;
      with_rows(field.view.at, [&](auto rows) {
        tag_all<decltype(rows)::value>(c.view, field.view, within, y.data(), score.data(), threads);
      });
    }
    return std::make_tuple(y, score);
  }, "corpus"_a, "field"_a, "limits"_a.none() = nb::none(), "threads"_a = 1);

  m.def("marginals", [](const CorpusHandle& c, const FieldHandle& field, const LimitsHandle* limits, bool nodes, int threads) {
    fits_labelled(c, field, false);
    at_least_one(threads);
    const Limits within = LimitsHandle::of(limits, c.view, field.view.at);
    auto node = fresh<float, 2>({nodes ? size_t(c.view.T) : 0, size_t(field.view.at.L)});
    auto log_z = fresh<double, 1>({size_t(c.view.S)}), score = fresh<double, 1>({size_t(c.view.S)});
    {
      nb::gil_scoped_release release;
      with_rows(field.view.at, [&](auto rows) {
        marginals_all<decltype(rows)::value>(c.view, field.view, within, nodes ? node.data() : nullptr, log_z.data(),
                                             score.data(), threads);
      });
    }
    return std::make_tuple(node, log_z, score);
  }, "corpus"_a, "field"_a, "limits"_a.none() = nb::none(), "nodes"_a = true, "threads"_a = 1);

  m.def("nbest", [](const CorpusHandle& c, const FieldHandle& field, int64_t count, const LimitsHandle* limits, int threads) {
    fits(c, field);
    at_least_one(threads);
    const Limits within = LimitsHandle::of(limits, c.view, field.view.at);
    std::vector<Listed> found(size_t(c.view.S));
    std::vector<int32_t> labels;
    std::vector<double> scores;
    std::vector<int64_t> counts;
    {
      nb::gil_scoped_release release;
      with_rows(field.view.at, [&](auto rows) {
        nbest_all<decltype(rows)::value>(c.view, field.view, within, count, found.data(), threads);
      });
      for (const Listed& list : found) {
        labels.insert(labels.end(), list.labels.begin(), list.labels.end());
        scores.insert(scores.end(), list.scores.begin(), list.scores.end());
        counts.push_back(int64_t(list.scores.size()));
      }
    }
    return std::make_tuple(moved(std::move(labels)), moved(std::move(scores)), moved(std::move(counts)));
  }, "corpus"_a, "field"_a, "count"_a, "limits"_a.none() = nb::none(), "threads"_a = 1);

  m.def("log_messages", [](View<double, 2> scores, View<double, 2> trans) {
    const size_t n = scores.shape(0), L = scores.shape(1);
    require(n >= 1 && L >= 1 && trans.shape(0) == L && trans.shape(1) == L, "scores [n, L] and transitions [L, L] do not fit");
    auto alpha = fresh<double, 2>({n, L}), beta = fresh<double, 2>({n, L});
    double log_z = 0;
    {
      nb::gil_scoped_release release;
      log_z = log_messages(int(L), int64_t(n), scores.data(), trans.data(), 0, alpha.data(), beta.data());
    }
    return std::make_tuple(alpha, beta, log_z);
  }, "scores"_a, "trans"_a);
}

}  // namespace
