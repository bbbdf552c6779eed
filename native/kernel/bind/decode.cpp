// Python bindings of decode.hpp and n_best.hpp; tagfield/inference/decoder.py checks the arguments.
#include "kernel/bind/handles.hpp"
#include "kernel/chain/log_domain.hpp"
#include "kernel/chain/position_weights.hpp"
#include "kernel/decode/decode.hpp"

namespace tagfield::bind {
namespace {

void at_least_one(int threads) { require(threads >= 1, "at least one thread"); }

// Calls fn(weights) with the weights as they are, float or double.
template <class Fn> auto with_field(const FieldHandle& field, Fn fn) {
  return field.wide ? fn(SizedField<double>(*field.wide, 0)) : fn(SizedField<float>(field.view, field.largest()));
}

template <class T>
nb::object marginals_of(const CorpusHandle& c, const SizedField<T>& field, const Limits& within, const int32_t* y, bool nodes,
                        int threads) {
  auto node = fresh<T, 2>({nodes ? size_t(c.view.T) : 0, size_t(field.at.L)});
  auto log_z = fresh<double, 1>({size_t(c.view.S)}), score = fresh<double, 1>({size_t(c.view.S)});
  {
    nb::gil_scoped_release release;
    const Listening listening(ask_python);
    marginals_all(c.view, field, within, y, nodes ? node.data() : nullptr, log_z.data(), score.data(), threads);
  }
  return nb::cast(std::make_tuple(node, log_z, score));
}

// τ_t of one sentence [n, L, L]; at position 0, which no transition leads to, those of positions without edge attributes.
template <class T> auto transitions_of(const CorpusHandle& c, const FieldOf<T>& field, int64_t s) {
  const Layout& at = field.at;
  const int64_t n = c.view.length(s), L = at.L, Lp = at.Lp();
  auto out = fresh<double, 3>({size_t(n), size_t(L), size_t(L)});
  if (n > 0) {
    nb::gil_scoped_release release;
    const Listening listening(ask_python);
    PositionChain lattice(at);
    lattice.room_for(n);
    if (c.view.edges.in(s))
      sum_edges(c.view, at, field.trans, field.edge, s, lattice);
    else
      lattice.open(field.trans);
    for (int64_t t = 0; t < n; ++t)
      for (int64_t k = 0; k < L * L; ++k) out.data()[t * L * L + k] = lattice.tau(t)[k / L * Lp + k % L] + 0.0;
  }
  return out;
}

auto messages_of(const View<double, 2>& scores, const double* trans, int64_t step) {
  const size_t n = scores.shape(0), L = scores.shape(1);
  require(n >= 1 && L >= 1, "scores [n, L] are empty");
  auto alpha = fresh<double, 2>({n, L}), beta = fresh<double, 2>({n, L});
  double log_z = 0;
  {
    nb::gil_scoped_release release;
    const Listening listening(ask_python);
    log_z = log_messages(int(L), int64_t(n), scores.data(), trans, step, alpha.data(), beta.data());
  }
  return std::make_tuple(alpha, beta, log_z);
}

}  // namespace

void bind_decode(nb::module_& m) {
  m.def("scores", [](const CorpusHandle& c, const FieldHandle& field, int threads) {
    fits(c, field);
    at_least_one(threads);
    auto out = fresh<double, 2>({size_t(c.view.T), size_t(field.view.at.L)});
    {
      nb::gil_scoped_release release;
      const Listening listening(ask_python);
      with_field(field, [&](const auto& weights) { scores_all(c.view, weights, out.data(), threads); });
    }
    return out;
  }, "corpus"_a, "field"_a, "threads"_a = 1);

  m.def("transitions", [](const CorpusHandle& c, const FieldHandle& field, int64_t sentence) {
    fits(c, field);
    require(sentence >= 0 && sentence < c.view.S, "there is no such sequence");
    return field.wide ? transitions_of(c, *field.wide, sentence) : transitions_of(c, field.view, sentence);
  }, "corpus"_a, "field"_a, "sentence"_a);

  m.def("tag", [](const CorpusHandle& c, const FieldHandle& field, const LimitsHandle* limits, int threads) {
    fits(c, field);
    at_least_one(threads);
    const Limits within = LimitsHandle::of(limits, c.view, field.view.at);
    auto y = fresh<int32_t, 1>({size_t(c.view.T)});
    auto score = fresh<double, 1>({size_t(c.view.S)});
    {
      nb::gil_scoped_release release;
      const Listening listening(ask_python);
      with_field(field, [&](const auto& weights) { tag_all(c.view, weights, within, y.data(), score.data(), threads); });
    }
    return std::make_tuple(y, score);
  }, "corpus"_a, "field"_a, "limits"_a.none() = nb::none(), "threads"_a = 1);

  m.def("marginals", [](const CorpusHandle& c, const FieldHandle& field, const LimitsHandle* limits, bool nodes, int threads,
                        std::optional<View<int32_t, 1>> labels) {
    fits_labelled(c, field, false);
    at_least_one(threads);
    require(!labels || int64_t(labels->shape(0)) == c.view.T, "the labels do not fit the dataset");
    for (int64_t t = 0; labels && t < c.view.T; ++t)
      require(labels->data()[t] < field.view.at.L, "there is no such label");
    const Limits within = LimitsHandle::of(limits, c.view, field.view.at);
    const int32_t* y = labels ? labels->data() : c.view.labels;
    return with_field(field, [&](const auto& weights) { return marginals_of(c, weights, within, y, nodes, threads); });
  }, "corpus"_a, "field"_a, "limits"_a.none() = nb::none(), "nodes"_a = true, "threads"_a = 1, "labels"_a.none() = nb::none());

  m.def("nbest", [](const CorpusHandle& c, const FieldHandle& field, int64_t count, const LimitsHandle* limits, int threads) {
    fits(c, field);
    at_least_one(threads);
    const Limits within = LimitsHandle::of(limits, c.view, field.view.at);
    std::vector<NBest> found(size_t(c.view.S));
    std::vector<int32_t> labels;
    std::vector<double> scores;
    std::vector<int64_t> counts;
    {
      nb::gil_scoped_release release;
      const Listening listening(ask_python);
      with_field(field, [&](const auto& weights) { nbest_all(c.view, weights, within, count, found.data(), threads); });
      for (const NBest& list : found) {
        labels.insert(labels.end(), list.labels.begin(), list.labels.end());
        scores.insert(scores.end(), list.scores.begin(), list.scores.end());
        counts.push_back(int64_t(list.scores.size()));
      }
    }
    return std::make_tuple(moved(std::move(labels)), moved(std::move(scores)), moved(std::move(counts)));
  }, "corpus"_a, "field"_a, "count"_a, "limits"_a.none() = nb::none(), "threads"_a = 1);

  m.def("log_messages", [](View<double, 2> scores, View<double, 2> trans) {
    const size_t L = scores.shape(1);
    require(trans.shape(0) == L && trans.shape(1) == L, "scores [n, L] and transitions [L, L] do not fit");
    return messages_of(scores, trans.data(), 0);
  }, "scores"_a, "trans"_a);
  m.def("log_messages", [](View<double, 2> scores, View<double, 3> trans) {
    const size_t n = scores.shape(0), L = scores.shape(1);
    require(trans.shape(0) == n && trans.shape(1) == L && trans.shape(2) == L,
            "scores [n, L] and transitions [n, L, L] do not fit");
    return messages_of(scores, trans.data(), int64_t(L * L));
  }, "scores"_a, "trans"_a);
}

}  // namespace tagfield::bind
