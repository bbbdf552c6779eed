// What a sentence's chain leaves for the steps (sentence_losses.hpp).
#include "kernel/pass/sentence_losses.hpp"

#include <algorithm>
#include <cmath>

namespace tagfield {

void SentenceLosses::run(int64_t s, const Sentence& x, const int32_t* groups, float* scores, Item& item) {
  const int64_t n = x.n, Lp = at_.Lp();
  item.s = s, item.x = &x, item.groups = groups;
  item.make_room(at_, n);
  item.leftover.clear();
  item.known = known(x), item.looks = c_.edges.in(s);
  item.exactly = pass_.counted && !item.known;
  item.ran = 0;
  if (item.looks) item.open_pairs(at_);
  pass_.limits.forbid(c_, at_, s, scores);
  for (int64_t t = 0; pass_.cost != 0 && t < n; ++t)
    if (x.y[t] >= 0) scores[t * Lp + x.y[t]] -= float(pass_.cost) / scale_;
  ChainJob<float> job;
  job.s = s, job.n = n, job.scores = scores, job.y = x.y, job.owner = &item;
  job.agreeing = !item.known, job.separately = separately();
  job.factors = item.known && !pass_.counted;
  job.runs_before = item.first_run;
  job.node = item.D, job.edge = &item.edge_room;
  if (job.agreeing && job.separately) job.agreeing_node = expected_.empirical.reserve(n * Lp);
  chain_.add(job, *this);
}

void SentenceLosses::result(const ChainJob<float>& job, Paths paths, const ChainResult<float>& found) {
  Item& item = *static_cast<Item*>(job.owner);
  const int64_t nodes = job.n * at_.Lp(), cells = job.n > 1 ? at_.cells() : 0;
  const bool keeps = job.agreeing && job.separately;
  if (found.run) item.runs[item.ran++] = *found.run;
  if (found.position) item.own_pairs->keep(*found.position, job.n);
  if (paths != Paths::AGREEING) {
    item.loss = found.log_z, item.transitions = found.transitions;
    if (!keeps) return;
    std::copy_n(found.node, nodes, expected_.E.reserve(nodes));
    std::copy_n(found.matrix, cells, expected_.edge_E.reserve(at_.cells()));
    return;
  }
  item.loss -= found.log_z;
  for (int64_t k = 0; k < nodes; ++k) item.D[k] -= found.node[k];
  if (keeps) std::copy_n(found.matrix, cells, expected_.edge_empirical.reserve(at_.cells()));
  if (job.n > 1) item.transitions.subtract(found.transitions);
}

void SentenceLosses::end(const ChainJob<float>& job) {
  Item& item = *static_cast<Item*>(job.owner);
  const Sentence& x = *item.x;
  const bool gold = item.known && !c_.class_weight;
  if (gold) item.loss -= double(scale_) * chain_.path_score(job, pass_.theta.trans);
  if (item.looks) gold ? item.own_pairs->subtract_gold(x.y, x.n) : item.own_pairs->subtract_agreeing();
  if (!std::isfinite(item.loss)) return;
  for (int64_t t = 0; gold && t < x.n; ++t) item.D[t * at_.Lp() + x.y[t]] -= 1;
  if (gold) item.transitions.subtract_gold(x.y, x.n);
  respond(item);
}

// F = f(D), the directions of the transitions in the place of their u, and what no table knows.
void SentenceLosses::respond(Item& item) {
  const Sentence& x = *item.x;
  const int64_t n = x.n, Lp = at_.Lp();
  if (pass_.gathered) return keep_known(x, item);
  if (item.exactly) return collect(item);
  const bool edges_too = n > 1 && pass_.respond_edges;
  if (pass_.counted) {
    float* F = item.own_directions(at_, n);
    respond_rows(*pass_.counted, item.D, x.y, n, int(Lp), F);
    item.F = F;
    if (edges_too) count_edges(x, at_, *pass_.counted, pass_.theta.trans, item.transitions.numbers(), counts_.data(), item.leftover);
    collect_counted(item);
  } else if (pass_.response) {
    const Response f = *pass_.response;
    float* F = item.own_directions(at_, n);
    for (int64_t k = 0; k < n * Lp; k += W) store<float>(F + k, f(load(item.D + k)));
    item.F = F;
    if (edges_too) item.transitions.respond(pass_.theta.trans, f);
  }
}

// For mini-batches, which respond later: Ẽ, where it is not counts.
void SentenceLosses::keep_known(const Sentence& x, Item& item) const {
  if (item.known || !pass_.gathered->empirical.state) return;
  const int64_t nodes = x.n * at_.Lp(), edges = int64_t(at_.L) * at_.Lp();
  std::copy_n(expected_.empirical.get(), nodes, item.empirical.reserve(nodes));
  if (x.n > 1) std::copy_n(expected_.edge_empirical.get(), edges, item.edge_empirical.reserve(edges));
}

void SentenceLosses::collect(Item& item) {
  const int64_t s = item.s;
  const Sentence& x = *item.x;
  const int32_t* groups = item.groups;
  const Arrays& theta = pass_.theta;
  const bool edges_too = x.n > 1 && pass_.respond_edges;
  with_rows(at_, [&](auto rows) {
    expected_.collect<decltype(rows)::value>(x, groups, at_, theta.state, theta.trans, edges_too, item.leftover);
  });
  if (item.looks && pass_.respond_edges) item.own_pairs->collect(c_, s, theta.edge, item.leftover);
}

// Attributes with values, and those that occur more often than there are tables.
void SentenceLosses::collect_counted(Item& item) {
  const int64_t s = item.s;
  const Sentence& x = *item.x;
  const int32_t* groups = item.groups;
  const Counted& f = *pass_.counted;
  const int64_t tables = int64_t(f.tables.size());
  Exactly& rest = item.leftover;
  with_rows(at_, [&](auto rows) {
    constexpr Rows R = decltype(rows)::value;
    for (rest.group = 0; rest.group < GROUPS; ++rest.group)
      each_slot<R>(x, at_, groups[rest.group], groups[rest.group + 1], [&](int64_t k0, int64_t k1, int64_t from, int64_t to) {
        if (x.value || to - from >= tables)
          counted_slot<R>(x, at_, f, item.D, pass_.theta.state, k0, k1, from, to, &rest,
                          [](int64_t, const Vec<float>&, const Vec<float>&) {});
      });
  });
  if (item.looks)
    item.own_pairs->each_counted(c_, s, Groups{}, pass_, &rest, [](int64_t, const Vec<float>&, const Vec<float>&) {});
}

}  // namespace tagfield
