// A corpus as two lists for the gradient: by token, to sum scores, and by row, to sum the gradient.
//
//     by token   s_t(y)  = Σ_a value · x[a, y]      rows are read one after another, the sum stays in registers
//     by row     g[a, y] += Σ_t value · D_t(y)      over the tokens of a chunk of sentences; a row is read and written once
//
// The second list lets threads share the work and give the same bits: a row belongs to one task, which adds what its tokens say
// in the order of the corpus, on any thread. D of a chunk stays in the cache of a core, or near it. The rows of a poor
// attribute (feature_rows.hpp) are single features. No loop's length depends on how many labels an attribute has, so branch prediction
// does not fail.
//
// The lists are made once: what each token adds up, and, for each chunk of sentences, what each row adds up.
//
//     corpus ─▶ by token: (row, value), (feature, label, value) ─▶ chunks ─▶ sorted by row and by feature ─▶ tasks
#pragma once
#include <algorithm>
#include <vector>

#include "kernel/corpus/corpus.hpp"
#include "kernel/gradient/feature_rows.hpp"

namespace tagfield {

constexpr int64_t BLOCK = 8;  // sentences whose lattices are one task; chunks consist of whole blocks

class PackedLists {
  static constexpr int64_t CHUNK = int64_t(1) << 17;     // D of a chunk, in doubles: at least 1 MB, or four of them where
                                                         // full rows, which are longer, pass through memory for each,
  static constexpr int64_t BLOCKS = 4;                   // and blocks, for as many threads; but no more than
  static constexpr int64_t LARGE = int64_t(1) << 21;     // 16 MB where sentences are very long
  static constexpr int64_t MOST = int64_t(UINT32_MAX);   // entries that can be counted
  static constexpr int64_t TASK = 4096;                  // entries of a task, or more where one row has more

 public:
  static constexpr int AHEAD = 8, FAR = 32;              // entries between asking for memory and using it: rows, features
  static constexpr uint32_t LAST = uint32_t(1) << 31;    // the last token of its row in the chunk

  struct Feature {
    uint32_t from, to;  // a feature of x; its place in D of the chunk [tokens, Lp]
  };
  struct Task {
    int64_t rows, entries, features;  // where it begins in of_row, token and by_feature; it ends where the next one begins
  };
  struct Chunk {
    int64_t first, last;      // its sentences
    std::vector<Task> tasks;  // and one more, for the end
  };

  // By token: where the entries of a sentence begin, and where those of a token end, counted from there.
  std::vector<int64_t> sentence[2];     // [S+1] rows, features
  std::vector<uint32_t> end[2];         // [T]
  std::vector<uint32_t> row, feature;   // and AHEAD or FAR more, so that looking ahead needs no check
  std::vector<uint16_t> label;          // of the features
  std::vector<float> value[2];          // or empty
  // By row.
  std::vector<Chunk> chunks;
  std::vector<uint32_t> of_row, token;  // [rows of each chunk], [entries]; and AHEAD more
  std::vector<Feature> by_feature;      // and FAR more
  std::vector<float> row_value[2];      // of token and by_feature, or empty

  PackedLists(const Corpus& c, const FeatureRows& rows)
      : Lp_(rows.layout().Lp()), least_(rows.dense() ? 4 * CHUNK : CHUNK) {
    if (c.classes > rows.layout().L) throw std::invalid_argument("the labels do not fit");
    if (c.attributes > rows.layout().A) throw std::invalid_argument("the rows do not fit the attributes");
    if (c.longest * Lp_ > int64_t(1) << 27) too_long();
    reserve(c, rows);
    for (int64_t s = 0; s < c.S; ++s) list_tokens(c, rows, s);
    for (int kind : {0, 1}) sentence[kind].push_back(begun(kind));
    for (int64_t s = 0; s < c.S; s = chunks.back().last) {
      chunks.push_back({s, end_of_chunk(c, s), {}});
      list_rows(c, chunks.back());
      list_features(c, chunks.back());
    }
    row.resize(row.size() + AHEAD, 0), feature.resize(feature.size() + FAR, 0);
    of_row.resize(of_row.size() + AHEAD, 0), token.resize(token.size() + AHEAD, 0);
    by_feature.resize(by_feature.size() + FAR, Feature{0, 0});
    of_row.shrink_to_fit();
    for (auto* scratch : {&keys_, &room_}) std::vector<uint64_t>().swap(*scratch);
    std::vector<uint32_t>().swap(token_of_);
  }

 private:
  int64_t Lp_, least_;
  SentenceReader reader_;
  std::vector<uint32_t> at_[2];         // of the sentence at hand: where the next entry of each token goes
  std::vector<uint64_t> keys_, room_;   // row or feature, and the entry's number in the chunk
  std::vector<uint32_t> token_of_;      // of the chunk's entries

  [[noreturn]] static void too_long() { throw std::invalid_argument("a sequence is too long for so many labels"); }
  int64_t begun(int kind) const { return int64_t(kind ? feature.size() : row.size()); }

  template <class Fn> void each_occurrence(const Corpus& c, int64_t s, Fn fn) {  // fn(attribute, position, value)
    const Sentence x = reader_.open(c, s);
    int64_t i = 0;
    for (int64_t d = 0; d < x.D; ++d)
      for (; i < x.stop[d]; ++i) fn(int64_t(x.attribute[d]), size_t(x.position[i]), x.value ? x.value[i] : 1.f);
  }

  void reserve(const Corpus& c, const FeatureRows& rows) {  // the lists are large: no room for growth
    size_t entries = 0, features = 0;
    for (int64_t s = 0; s < c.S; ++s)
      each_occurrence(c, s, [&](int64_t a, size_t, float) {
        if (rows.row(a) >= 0)
          ++entries;
        else
          features += size_t(rows.features_of(a));
      });
    row.reserve(entries + AHEAD), token.reserve(entries + AHEAD);
    feature.reserve(features + FAR), label.reserve(features), by_feature.reserve(features + FAR);
    for (int kind : {0, 1}) sentence[kind].reserve(size_t(c.S) + 1), end[kind].reserve(size_t(c.T));
    if (c.value)
      for (auto* both : {value, row_value}) both[0].reserve(entries), both[1].reserve(features);
  }

  void list_tokens(const Corpus& c, const FeatureRows& rows, int64_t s) {
    const auto n = size_t(c.length(s));
    if (c.occurrences[s + 1] - c.occurrences[s] > MOST / FeatureRows::MANY) too_long();
    for (int kind : {0, 1}) at_[kind].assign(n + 1, 0), sentence[kind].push_back(begun(kind));
    each_occurrence(c, s, [&](int64_t a, size_t t, float) {
      if (rows.row(a) >= 0)
        ++at_[0][t + 1];
      else
        at_[1][t + 1] += uint32_t(rows.features_of(a));
    });
    for (int kind : {0, 1})
      for (size_t t = 0; t < n; ++t) {
        at_[kind][t + 1] += at_[kind][t];
        end[kind].push_back(at_[kind][t + 1]);
      }
    const auto rows0 = size_t(begun(0)), features0 = size_t(begun(1));
    row.resize(rows0 + at_[0][n]), feature.resize(features0 + at_[1][n]), label.resize(feature.size());
    if (c.value) value[0].resize(row.size()), value[1].resize(feature.size());
    each_occurrence(c, s, [&](int64_t a, size_t t, float worth) {
      const int64_t full = rows.row(a);
      if (full >= 0) {
        const size_t i = rows0 + at_[0][t]++;
        row[i] = uint32_t(full);
        if (c.value) value[0][i] = worth;
      } else {
        rows.each_feature(a, [&](int64_t k, uint16_t y) {
          const size_t i = features0 + at_[1][t]++;
          feature[i] = uint32_t(k), label[i] = y;
          if (c.value) value[1][i] = worth;
        });
      }
    });
  }

  int64_t end_of_chunk(const Corpus& c, int64_t from) const {
    for (int64_t s = from + BLOCK, blocks = 1; s < c.S; s += BLOCK, ++blocks) {
      const int64_t size = (c.tokens[s] - c.tokens[from]) * Lp_;
      if (size >= least_ && (blocks >= BLOCKS || size >= LARGE)) return s;
    }
    return c.S;
  }

  // The entries of a kind in a chunk, sorted by id, then by token: keys_ [entries] and token_of_.
  void sort(const Corpus& c, const Chunk& chunk, int kind) {
    const std::vector<uint32_t>& ids = kind ? feature : row;
    const int64_t from = sentence[kind][size_t(chunk.first)], count = sentence[kind][size_t(chunk.last)] - from;
    if (count > MOST) too_long();
    keys_.resize(size_t(count)), room_.resize(size_t(count)), token_of_.resize(size_t(count));
    uint32_t most = 0;
    size_t i = 0;
    for (int64_t s = chunk.first; s < chunk.last; ++s)
      for (int64_t t = c.tokens[s]; t < c.tokens[s + 1]; ++t)
        for (const auto stop = size_t(sentence[kind][size_t(s)] - from) + end[kind][size_t(t)]; i < stop; ++i) {
          const uint32_t id = ids[size_t(from) + i];
          keys_[i] = uint64_t(id) << 32 | i, token_of_[i] = uint32_t(t - c.tokens[chunk.first]);
          most = std::max(most, id);
        }
    for (int shift = 32; shift < 64 && most >> (shift - 32); shift += 11) {  // digits of 11 bits, the lowest first
      std::vector<size_t> at(2049, 0);
      for (uint64_t key : keys_) ++at[(key >> shift & 2047) + 1];
      for (size_t digit = 0; digit < 2048; ++digit) at[digit + 1] += at[digit];
      for (uint64_t key : keys_) room_[at[key >> shift & 2047]++] = key;
      keys_.swap(room_);
    }
  }

  // Calls fn(id, number of the entry, whether its id ends here); a task begins wherever the last one has entries enough.
  template <class Fn> void divide(Chunk& chunk, Fn fn) {
    int64_t since = TASK;
    for (size_t i = 0; i < keys_.size(); ++i) {
      const uint64_t id = keys_[i] >> 32;
      const bool begins = !i || keys_[i - 1] >> 32 != id, ends = i + 1 == keys_.size() || keys_[i + 1] >> 32 != id;
      if (begins && since >= TASK) begin_task(chunk), since = 0;
      fn(uint32_t(id), size_t(uint32_t(keys_[i])), ends);
      ++since;
    }
  }
  void begin_task(Chunk& chunk) const {
    chunk.tasks.push_back({int64_t(of_row.size()), int64_t(token.size()), int64_t(by_feature.size())});
  }

  void list_rows(const Corpus& c, Chunk& chunk) {
    sort(c, chunk, 0);
    const auto from = size_t(sentence[0][size_t(chunk.first)]);
    divide(chunk, [&](uint32_t id, size_t i, bool ends) {
      token.push_back(token_of_[i] | (ends ? LAST : 0));
      if (ends) of_row.push_back(id);
      if (c.value) row_value[0].push_back(value[0][from + i]);
    });
  }

  void list_features(const Corpus& c, Chunk& chunk) {
    sort(c, chunk, 1);
    const auto from = size_t(sentence[1][size_t(chunk.first)]);
    divide(chunk, [&](uint32_t id, size_t i, bool) {
      by_feature.push_back({id, uint32_t(token_of_[i] * Lp_ + label[from + i])});
      if (c.value) row_value[1].push_back(value[1][from + i]);
    });
    begin_task(chunk);
  }
};

class Packed {
  typedef PackedLists P;

  const Corpus& c_;
  const FeatureRows& rows_;
  P of_;

 public:
  Packed(const Corpus& c, const FeatureRows& rows) : c_(c), rows_(rows), of_(c, rows) {}

  const Corpus& corpus() const { return c_; }
  const FeatureRows& rows() const { return rows_; }
  int64_t chunks() const { return int64_t(of_.chunks.size()); }
  int64_t first_sentence(int64_t chunk) const { return of_.chunks[size_t(chunk)].first; }
  int64_t last_sentence(int64_t chunk) const { return of_.chunks[size_t(chunk)].last; }
  int64_t tasks(int64_t chunk) const { return int64_t(of_.chunks[size_t(chunk)].tasks.size()) - 1; }
  int64_t most_tokens() const {  // of a chunk
    int64_t most = 0;
    for (const P::Chunk& k : of_.chunks) most = std::max(most, c_.tokens[k.last] - c_.tokens[k.first]);
    return most;
  }

  // scores [n, Lp] of sentence s; `full` are the full rows.
  void sum_scores(int64_t s, const double* x, const double* full, double* scores) const;

  // Adds value · D of every occurrence in a chunk, D [tokens, Lp], to the rows of one task.
  void add_task(int64_t chunk, int64_t task, const double* D, double* gradient, double* full) const;
};

}  // namespace tagfield
