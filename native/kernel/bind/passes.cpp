// Python bindings of the training passes: stochastic (Pass, with its responses), margin, and AROW.
#include <chrono>

#include "kernel/bind/handles.hpp"
#include "kernel/pass/mistake_passes.hpp"
#include "kernel/pass/stochastic.hpp"

namespace tagfield::bind {
namespace {

struct ResponseHandle {
  std::optional<Response> response;
  std::optional<Counted> counted;
  std::vector<std::pair<View<float, 3>, View<double, 2>>> kept;  // the arrays behind the tables of counts
  std::optional<View<float, 3>> cells;
  std::optional<View<double, 2>> tails;

  void check() const {
    require(!counted || (counted->tables.size() >= 2 && counted->exact),
            "responses to counts need the tables of 0 and 1 and an exact direction");
  }
  Kind kind() const { return {response ? &*response : nullptr, counted ? &*counted : nullptr}; }
};

struct PassHandle : ResponseHandle {
  Pass p;
  std::optional<LimitsHandle> limits;
  std::vector<std::shared_ptr<ResponseHandle>> kinds;  // where kinds of features have responses of their own
  std::vector<uint8_t> of_state, of_edge;  // copies: what is checked cannot change afterwards
  bool by_row = false;
  int of_transitions = 0;
  std::shared_ptr<Gathered> gathered = std::make_shared<Gathered>();

  // Which loop this pass takes, and what it responds with.
  void choose(const Layout& at) {
    check();
    p.response = nullptr, p.counted = nullptr, p.gathered = nullptr;
    if (kinds.empty() && p.minibatch == 1) {
      p.response = kind().response, p.counted = kind().counted;
      return;
    }
    p.kinds = Kinds{};
    for (const auto& each : kinds) each->check(), p.kinds.list.push_back(each->kind());
    if (kinds.empty()) {
      p.kinds.list = {kind(), Kind{}};
      p.kinds.transitions = p.kinds.edges = p.respond_edges ? 0 : 1;
    } else {
      p.kinds.transitions = of_transitions;
    }
    const auto row = [&](const std::vector<uint8_t>& of, int64_t rows) -> const uint8_t* {
      if (kinds.empty() || !by_row) return nullptr;
      require(int64_t(of.size()) == rows, "every row needs a kind");
      for (const uint8_t kind : of) require(kind < p.kinds.list.size(), "a row is of a kind that is not there");
      return of.data();
    };
    p.kinds.of_state = row(of_state, at.A), p.kinds.of_edge = row(of_edge, at.E);
    require(size_t(std::max(p.kinds.transitions, p.kinds.edges)) < p.kinds.list.size(), "transitions are of a kind that is not there");
    gathered->open(at, p.kinds.counted());
    p.gathered = gathered.get();
  }
};

// A table's arrays as the kernel reads them, checked.
Response table_of(const View<float, 3>& cells, const View<double, 2>& tails, size_t rows, int bits, bool low_linear, double low,
                  double high) {
  require(bits >= 1 && bits <= 12 && cells.shape(0) == rows && cells.shape(2) == 2 && tails.shape(0) == rows &&
              tails.shape(1) == 4 &&
              (int64_t(cells.shape(1)) == 1 + (int64_t(48) << bits) || int64_t(cells.shape(1)) == 1 + (int64_t(150) << bits)),
          "the response table has the wrong shape");
  Response r;
  r.cells = cells.data(), r.tails = tails.data(), r.n = int32_t(cells.shape(1)), r.bits = bits;
  r.low_linear = low_linear, r.low = low, r.high = high;
  return r;
}

// A copy: Python may change the array while a pass runs.
std::vector<int64_t> checked_order(const CorpusHandle& c, const View<int64_t, 1>& order) {
  const std::vector<int64_t> kept(order.data(), order.data() + order.shape(0));
  for (int64_t s : kept) require(s >= 0 && s < c.view.S, "the order names a sequence that is not there");
  return kept;
}

}  // namespace

void bind_passes(nb::module_& m) {
  nb::class_<PassHandle>(m, "Pass")
      .def(nb::init<>())
      .def_prop_rw("rate", [](PassHandle& h) { return h.p.rate; }, [](PassHandle& h, double v) { h.p.rate = v; })
      .def_prop_rw("decay", [](PassHandle& h) { return h.p.decay; }, [](PassHandle& h, double v) { h.p.decay = v; })
      .def_prop_rw("constant", [](PassHandle& h) { return h.p.constant; }, [](PassHandle& h, bool v) { h.p.constant = v; })
      .def_prop_rw("t", [](PassHandle& h) { return h.p.t; }, [](PassHandle& h, double v) { h.p.t = v; })
      .def_prop_rw("scale", [](PassHandle& h) { return h.p.scale; }, [](PassHandle& h, double v) { h.p.scale = v; })
      .def_prop_rw("averaging", [](PassHandle& h) { return h.p.averaging; }, [](PassHandle& h, bool v) { h.p.averaging = v; })
      .def_prop_rw("cost", [](PassHandle& h) { return h.p.cost; }, [](PassHandle& h, double v) { h.p.cost = v; })
      .def_prop_rw("preconditioner", [](PassHandle& h) { return PRECONDITIONERS[int(h.p.preconditioner)]; }, [](PassHandle& h, const std::string& v) {
        const auto* found = std::find(std::begin(PRECONDITIONERS), std::end(PRECONDITIONERS), v);
        require(found != std::end(PRECONDITIONERS), "no such preconditioner");
        h.p.preconditioner = Preconditioner(found - std::begin(PRECONDITIONERS));
      })
      .def_prop_rw("skip", [](PassHandle& h) { return h.p.skip; }, [](PassHandle& h, int v) {
        require(v >= 1, "at least one step from look to look");
        h.p.skip = v;
      })
      .def_prop_rw("most", [](PassHandle& h) { return h.p.most; }, [](PassHandle& h, double v) { h.p.most = v; })
      .def_prop_rw("mu", [](PassHandle& h) { return h.p.mu; }, [](PassHandle& h, double v) { h.p.mu = v; })
      .def_prop_rw("memory", [](PassHandle& h) { return h.p.memory; }, [](PassHandle& h, double v) { h.p.memory = v; })
      .def_prop_rw("floor", [](PassHandle& h) { return h.p.floor; }, [](PassHandle& h, double v) { h.p.floor = v; })
      .def_prop_rw("streaming", [](PassHandle& h) { return h.p.streaming; }, [](PassHandle& h, bool v) { h.p.streaming = v; })
      .def_prop_rw("observe_states", [](PassHandle& h) { return h.p.observe_states; },
                   [](PassHandle& h, bool v) { h.p.observe_states = v; })
      .def_prop_rw("observe_edges", [](PassHandle& h) { return h.p.observe_edges; },
                   [](PassHandle& h, bool v) { h.p.observe_edges = v; })
      .def_prop_rw("respond_edges", [](PassHandle& h) { return h.p.respond_edges; },
                   [](PassHandle& h, bool v) { h.p.respond_edges = v; })
      .def_prop_rw("block", [](PassHandle& h) { return h.p.block; }, [](PassHandle& h, int v) {
        require(v >= 1 && v <= MAX_BLOCK, "a block has 1 to 1024 sentences");
        h.p.block = v;
      })
      .def_prop_rw("threads", [](PassHandle& h) { return h.p.threads; }, [](PassHandle& h, int v) {
        require(v >= 1, "at least one thread");
        h.p.threads = v;
      })
      .def_prop_rw("least_work", [](PassHandle& h) { return h.p.least_work; },
                   [](PassHandle& h, double v) { h.p.least_work = v; })
      .def_prop_rw("summed_scale", [](PassHandle& h) { return h.p.summed_scale; },
                   [](PassHandle& h, double v) { h.p.summed_scale = v; })
      .def_prop_rw("averaged", [](PassHandle& h) { return h.p.averaged; }, [](PassHandle& h, int64_t v) { h.p.averaged = v; })
      .def_prop_rw("minibatch", [](PassHandle& h) { return h.p.minibatch; }, [](PassHandle& h, int64_t v) {
        require(v >= 1, "a mini-batch has at least one sentence");
        h.p.minibatch = v;
      })
      .def_prop_rw("mean", [](PassHandle& h) { return h.p.mean; }, [](PassHandle& h, bool v) { h.p.mean = v; })
      .def_prop_rw("ends", [](PassHandle& h) { return h.p.ends; }, [](PassHandle& h, bool v) { h.p.ends = v; })
      .def_prop_rw("steps", [](PassHandle& h) { return h.p.steps; }, [](PassHandle& h, int64_t v) { h.p.steps = v; })
      .def_prop_ro("loss", [](PassHandle& h) { return h.p.loss; })
      .def_prop_ro("failed", [](PassHandle& h) { return h.p.failed; })
      .def_prop_ro("fallbacks", [](PassHandle& h) { return h.p.fallbacks; })
      .def("set_response", [](PassHandle& h, View<float, 3> cells, View<double, 2> tails, int bits, bool odd, bool low_linear,
                              double low, double high, bool logs) {
        Response r = table_of(cells, tails, odd ? 1 : 2, bits, low_linear, low, high);
        require(low_linear || !logs, "a table of logarithms is linear near 0");
        h.cells = cells, h.tails = tails;
        r.odd = odd, r.logs = logs;
        r.find_first_curved();
        h.response = r;
      }, "cells"_a, "tails"_a, "bits"_a, "odd"_a, "low_linear"_a, "low"_a, "high"_a, "logs"_a)
      .def("add_count_table", [](PassHandle& h, View<float, 3> cells, View<double, 2> tails, int bits, bool low_linear,
                                 double low, double high) {
        Response r = table_of(cells, tails, 3, bits, low_linear, low, high);
        r.odd = false;
        if (!h.counted) h.counted.emplace();
        h.kept.emplace_back(cells, tails);
        h.counted->add(r);
      }, "cells"_a, "tails"_a, "bits"_a, "low_linear"_a, "low"_a, "high"_a)
      .def("clear_response", [](PassHandle& h) { static_cast<ResponseHandle&>(h) = {}, h.kinds.clear(); })
      .def("add_kind", [](PassHandle& h) {  // what was set becomes the response of the next kind of features
        require(h.kinds.size() < 256, "there are at most 256 kinds of features");
        h.kinds.push_back(std::make_shared<ResponseHandle>(std::move(static_cast<ResponseHandle&>(h))));
        static_cast<ResponseHandle&>(h) = {};
      })
      .def("set_kinds", [](PassHandle& h, View<uint8_t, 1> states, int transitions, View<uint8_t, 1> edges) {
        require(transitions >= 0 && size_t(transitions) < h.kinds.size(), "transitions are of a kind that is not there");
        h.of_state.assign(states.data(), states.data() + states.shape(0));
        h.of_edge.assign(edges.data(), edges.data() + edges.shape(0));
        h.by_row = true, h.of_transitions = transitions;
      }, "states"_a, "transitions"_a, "edges"_a)
      .def("set_exact", [](PassHandle& h, nb::callable direction) {
        if (!h.counted) h.counted.emplace();
        h.counted->exact = [direction](const std::vector<double>& E, const std::vector<double>& empirical,
                                       std::vector<double>& out) {
          nb::gil_scoped_acquire acquire;
          auto array = [](const std::vector<double>& v) {
            auto a = fresh<double, 1>({v.size()});
            std::copy(v.begin(), v.end(), a.data());
            return a;
          };
          auto result = nb::cast<View<double, 1>>(direction(array(E), array(empirical)));
          require(result.shape(0) == E.size(), "the exact direction has the wrong length");
          out.assign(result.data(), result.data() + E.size());
        };
      }, "direction"_a)
      .def("set_limits", [](PassHandle& h, const LimitsHandle& limits) { h.limits = limits; }, "limits"_a)
      .def("respond", [](const PassHandle& h, View<float, 1> u) {  // the table alone, for tests
        require(h.response.has_value(), "no response is set");
        auto f = fresh<float, 1>({u.shape(0)});
        for (size_t i = 0; i < u.shape(0); i += W) {
          const size_t n = std::min(size_t(W), u.shape(0) - i);
          float lanes[W] = {};
          std::copy_n(u.data() + i, n, lanes);
          store<float>(lanes, (*h.response)(load(lanes)));
          std::copy_n(lanes, n, f.data() + i);
        }
        return f;
      }, "u"_a)
      .def("run", [](PassHandle& h, const CorpusHandle& c, const FieldHandle& theta, const FieldHandle* squares,
                     const FieldHandle* rest, View<int64_t, 1> order, const FieldHandle* velocity) {
        fits_labelled(c, theta, false);
        require(squares || !h.p.remembers(), "this preconditioner needs a field for what it remembers");
        require(velocity || h.p.preconditioner != Preconditioner::SMD, "the preconditioner smd needs a field for its velocity");
        require(!measures_curvature(h.p.preconditioner) || (h.p.block == 1 && !h.p.streaming && !h.counted && h.p.minibatch == 1 && h.kinds.empty()),
                "this preconditioner has blocks of one sentence, no stream, no mini-batch, no kinds and no response to counts");
        require(rest || !h.p.averaging, "averaging needs a field for its rest");
        h.p.theta = theta.changeable();
        h.p.squares = squares ? squares->changeable_beside(theta) : Arrays{};
        h.p.velocity = velocity ? velocity->changeable_beside(theta) : Arrays{};
        h.p.rest = rest ? rest->changeable_beside(theta) : Arrays{};
        h.p.limits = LimitsHandle::of(h.limits ? &*h.limits : nullptr, c.view, theta.view.at);
        std::vector<int64_t> kept = checked_order(c, order);
        kept.erase(std::remove_if(kept.begin(), kept.end(), [&](int64_t s) { return c.view.length(s) == 0; }), kept.end());
        require(!h.p.streaming || h.p.block == 1, "a stream has blocks of one sentence");
        require(!h.p.streaming || h.p.minibatch == 1, "a stream has mini-batches of one sentence");
        h.choose(theta.view.at);
        require(!c.view.class_weight || !(h.p.counted || (h.p.gathered && h.p.kinds.counted())),
                "class weights do not apply to responses to counts");
        h.p.loss = 0, h.p.failed = -1;
        h.p.pulse = [] { pulse(); };
        nb::gil_scoped_release release;
        const Listening listening(ask_python);
        run_pass(c.grouped.of(c.view), theta.view.at, h.p, kept);
      }, "corpus"_a, "theta"_a, "squares"_a.none(), "rest"_a.none(), "order"_a, "velocity"_a.none() = nb::none());

  m.def("squared_norm", [](View<float, 2> x) {
    nb::gil_scoped_release release;
    return squared_norm(x.data(), int64_t(x.shape(0) * x.shape(1)));
  }, "array"_a);

  m.def("margin_pass", [](const CorpusHandle& c, const FieldHandle& theta, const FieldHandle& rest, View<int64_t, 1> order,
                          int type, double aggressiveness, bool cost_sensitive, double seen) {
    fits_labelled(c, theta, true);
    const std::vector<int64_t> kept = checked_order(c, order);
    require(!c.view.class_weight, "class weights need a likelihood");
    MarginPass p;
    p.type = type, p.c = aggressiveness, p.cost_sensitive = cost_sensitive, p.seen = seen;
    p.theta = theta.changeable(), p.rest = rest.changeable_beside(theta);
    {
      nb::gil_scoped_release release;
      const Listening listening(ask_python);
      FlushSubnormals flush;
      margin_pass(c.view, theta.view.at, p, kept.data(), int64_t(kept.size()));
    }
    return std::make_tuple(p.loss, p.seen, p.failed);
  }, "corpus"_a, "theta"_a, "rest"_a, "order"_a, "type"_a, "aggressiveness"_a, "cost_sensitive"_a, "seen"_a);

  m.def("arow_pass", [](const CorpusHandle& c, const FieldHandle& mean, const FieldHandle& spread, View<int64_t, 1> order,
                        double gamma) {
    fits_labelled(c, mean, true);
    const std::vector<int64_t> kept = checked_order(c, order);
    require(!c.view.class_weight, "class weights need a likelihood");
    require(gamma > 0, "gamma must be above 0");
    ArowPass p;
    p.gamma = gamma, p.mean = mean.changeable(), p.spread = spread.changeable_beside(mean);
    {
      nb::gil_scoped_release release;
      const Listening listening(ask_python);
      FlushSubnormals flush;
      arow_pass(c.view, mean.view.at, p, kept.data(), int64_t(kept.size()));
    }
    return std::make_tuple(p.loss, p.failed);
  }, "corpus"_a, "mean"_a, "spread"_a, "order"_a, "gamma"_a);
}

}  // namespace tagfield::bind
