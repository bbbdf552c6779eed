// Binds arow.hpp, constrained.hpp and nbest.hpp; module.cpp includes it after its own handles. The doors are
// tagfield/decode.py and tagfield/train/.
#pragma once
#include "kernel/arow.hpp"
#include "kernel/constrained.hpp"
#include "kernel/nbest.hpp"

namespace {

typedef std::optional<View<uint8_t, 2>> Mask;

const uint8_t* checked_mask(const CorpusHandle& c, const LayoutHandle& at, const Mask& allowed) {
  if (!allowed) return nullptr;
  require(int64_t(allowed->shape(0)) == c.view.T && int(allowed->shape(1)) == at.view.L, "the mask does not fit the dataset");
  return allowed->data();
}

void fits_decoding(const CorpusHandle& c, const LayoutHandle& at, int threads) {
  require(c.view.attributes <= at.view.A, "the dataset names attributes that the layout does not have");
  require(threads >= 1, "at least one thread");
}

void bind_decode(nb::module_& m) {
  m.def("scores", [](const CorpusHandle& c, const LayoutHandle& at, View<float, 2> state, View<float, 2> trans, int threads) {
    fits_decoding(c, at, threads);
    fit_arrays(at, state, trans);
    auto out = fresh<float, 2>({size_t(c.view.T), size_t(at.view.L)});
    {
      nb::gil_scoped_release release;
      with_rows(at.view, [&](auto rows) { scores_all<decltype(rows)::value>(c.view, at.view, state.data(), out.data(), threads); });
    }
    return out;
  }, "corpus"_a, "layout"_a, "state"_a, "trans"_a, "threads"_a);

  m.def("decode", [](const CorpusHandle& c, const LayoutHandle& at, View<float, 2> state, View<float, 2> trans, Mask allowed,
                     int threads) {
    fits_decoding(c, at, threads);
    fit_arrays(at, state, trans);
    const uint8_t* mask = checked_mask(c, at, allowed);
    auto y = fresh<int32_t, 1>({size_t(c.view.T)});
    auto score = fresh<double, 1>({size_t(c.view.S)});
    {
      nb::gil_scoped_release release;
      with_rows(at.view, [&](auto rows) {
        decode_all<decltype(rows)::value>(c.view, at.view, state.data(), trans.data(), mask, y.data(), score.data(), threads);
      });
    }
    return std::make_tuple(y, score);
  }, "corpus"_a, "layout"_a, "state"_a, "trans"_a, "allowed"_a.none(), "threads"_a);

  m.def("constrained_marginals", [](const CorpusHandle& c, const LayoutHandle& at, View<float, 2> state, View<float, 2> trans,
                                    Mask allowed, bool nodes, int threads) {
    fits_decoding(c, at, threads);
    fit_arrays(at, state, trans);
    const uint8_t* mask = checked_mask(c, at, allowed);
    auto out = fresh<float, 2>({nodes ? size_t(c.view.T) : 0, size_t(at.view.L)});
    auto log_z = fresh<double, 1>({size_t(c.view.S)});
    {
      nb::gil_scoped_release release;
      with_rows(at.view, [&](auto rows) {
        constrained_marginals<decltype(rows)::value>(c.view, at.view, state.data(), trans.data(), mask,
                                                     nodes ? out.data() : nullptr, log_z.data(), threads);
      });
    }
    return std::make_tuple(out, log_z);
  }, "corpus"_a, "layout"_a, "state"_a, "trans"_a, "allowed"_a.none(), "nodes"_a, "threads"_a);

  m.def("log_messages", [](View<double, 2> scores, View<double, 2> trans) {
    const size_t n = scores.shape(0), L = scores.shape(1);
    require(n >= 1 && L >= 1 && trans.shape(0) == L && trans.shape(1) == L, "scores [n, L] and transitions [L, L] do not fit");
    auto alpha = fresh<double, 2>({n, L}), beta = fresh<double, 2>({n, L});
    double log_z = 0;
    {
      nb::gil_scoped_release release;
      log_z = log_messages(int(L), int64_t(n), scores.data(), trans.data(), alpha.data(), beta.data());
    }
    return std::make_tuple(alpha, beta, log_z);
  }, "scores"_a, "trans"_a);

  m.def("nbest", [](const CorpusHandle& c, const LayoutHandle& at, View<float, 2> state, View<float, 2> trans, Mask allowed,
                    int64_t count, int threads) {
    fits_decoding(c, at, threads);
    fit_arrays(at, state, trans);
    const uint8_t* mask = checked_mask(c, at, allowed);
    std::vector<Listed> found(size_t(c.view.S));
    std::vector<int32_t> labels;
    std::vector<double> scores;
    std::vector<int64_t> counts;
    {
      nb::gil_scoped_release release;
      with_rows(at.view, [&](auto rows) {
        nbest_all<decltype(rows)::value>(c.view, at.view, state.data(), trans.data(), mask, count, found.data(), threads);
      });
      for (const Listed& list : found) {
        labels.insert(labels.end(), list.labels.begin(), list.labels.end());
        scores.insert(scores.end(), list.scores.begin(), list.scores.end());
        counts.push_back(int64_t(list.scores.size()));
      }
    }
    return std::make_tuple(moved(std::move(labels)), moved(std::move(scores)), moved(std::move(counts)));
  }, "corpus"_a, "layout"_a, "state"_a, "trans"_a, "allowed"_a.none(), "count"_a, "threads"_a);

  m.def("arow_pass", [](const CorpusHandle& c, const LayoutHandle& at, F2 state, F2 trans, F2 spread_state, F2 spread_trans,
                        View<int64_t, 1> order, double gamma) {
    fits(c, at, true);
    fit_arrays(at, state, trans);
    fit_arrays(at, spread_state, spread_trans);
    require(gamma > 0, "gamma must be above 0");
    for (size_t i = 0; i < order.shape(0); ++i)
      require(order.data()[i] >= 0 && order.data()[i] < c.view.S, "the order names a sequence that is not there");
    ArowPass p;
    p.gamma = gamma, p.state = state.data(), p.trans = trans.data();
    p.spread_state = spread_state.data(), p.spread_trans = spread_trans.data();
    {
      nb::gil_scoped_release release;
      FlushSubnormals flush;
      with_rows(at.view, [&](auto rows) {
        arow_pass<decltype(rows)::value>(c.view, at.view, p, order.data(), int64_t(order.shape(0)));
      });
    }
    return std::make_tuple(p.loss, p.failed);
  }, "corpus"_a, "layout"_a, "state"_a, "trans"_a, "spread_state"_a, "spread_trans"_a, "order"_a, "gamma"_a);
}

}  // namespace
