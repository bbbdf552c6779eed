// Sentences out of files of ragged arrays, in any order, into memory of their own.
//
//     file f: families; a family has offsets [S+1] and columns: column[offsets[s] .. offsets[s+1]] is sentence s
//     order ─▶ by part: sort ─▶ runs of neighbours ─▶ pread ─▶ staging ─▶ memcpy into the result, in the order given
//
// Files are read and not mapped: one that is cut off or overwritten meanwhile gives an error, or other numbers, so
// the caller checks the result; a mapped one would end the process. All offsets are read into memory and checked before
// they are used. Neighbours are read at once, also across small gaps: the sentences of a pool (train/problem/order.py) come from
// runs of 256.
#pragma once

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "text/errors.hpp"

namespace tagfield::text {

struct RaggedColumn {
    std::int64_t at = 0;    // its first byte in the file
    std::int64_t size = 1;  // bytes of an element
};

struct RaggedFamily {
    std::int64_t at = -1;     // the first byte of its offsets; −1: sentence s has one element, element s
    std::int64_t length = 0;  // elements in all
    std::vector<RaggedColumn> columns;
};

struct RaggedFile {
    std::string name;  // for messages
    int descriptor = -1;
    std::int64_t first = 0, sentences = 0;  // the number of its first sentence among all; how many it has
    std::vector<RaggedFamily> families;
};

struct GatheredFamily {
    std::vector<std::int64_t> offsets;                     // [n+1]
    std::vector<std::unique_ptr<std::uint8_t[]>> columns;  // [offsets[n] · size] each
};

class Gatherer {
  public:
    static constexpr std::int64_t gap = 16;  // sentences that are read and not used, rather than to read twice

    // Files in order; every one has the same families, with columns of the same sizes.
    explicit Gatherer(const std::vector<RaggedFile>& files) : files_(files) {
        for (const RaggedFile& file : files)
            if (file.families.size() != files[0].families.size()) throw InputError("the files of a corpus differ");
        for (const RaggedFile& file : files)
            for (std::size_t f = 0; f < file.families.size(); ++f) {
                const auto &mine = file.families[f].columns, &theirs = files[0].families[f].columns;
                const auto alike = [](const RaggedColumn& a, const RaggedColumn& b) { return a.size == b.size; };
                if (!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), alike))
                    throw InputError("the files of a corpus differ");
            }
    }

    // ends: where parts of the order end; what a part takes is read at once
    std::vector<GatheredFamily> run(const std::int64_t* order, std::int64_t n, const std::vector<std::int64_t>& ends) {
        std::vector<GatheredFamily> result(files_.empty() ? 0 : files_[0].families.size());
        spans_.assign(result.size() * static_cast<std::size_t>(n), {});
        for (std::int64_t i = 0; i < n; ++i)
            if (order[i] < 0 || files_.empty() || order[i] >= files_.back().first + files_.back().sentences)
                throw InputError("no sequence has the number " + std::to_string(order[i]));
        std::int64_t from = 0;
        std::vector<std::vector<Run>> parts;
        for (const std::int64_t end : ends) {
            if (end < from || end > n) throw InputError("the parts of an order must be ascending");
            parts.push_back(runs_of(order, from, end));
            for (Run& run : parts.back())
                for (std::size_t f = 0; f < result.size(); ++f) read_offsets(run, f, order, n);
            from = end;
        }
        if (from != n) throw InputError("the parts of an order must end where it ends");
        for (std::size_t f = 0; f < result.size(); ++f) {
            auto& offsets = result[f].offsets;
            offsets.assign(static_cast<std::size_t>(n) + 1, 0);
            for (std::int64_t i = 0; i < n; ++i) offsets[i + 1] = offsets[i] + span(f, n, i).length;
            for (const RaggedColumn& column : files_[0].families[f].columns)
                result[f].columns.emplace_back(new std::uint8_t[static_cast<std::size_t>(offsets[n] * column.size)]);
        }
        for (const std::vector<Run>& runs : parts)
            for (std::size_t f = 0; f < result.size(); ++f)
                for (std::size_t c = 0; c < result[f].columns.size(); ++c)
                    for (const Run& run : runs) copy_column(run, f, c, n, result[f]);
        return result;
    }

  private:
    struct Span {  // of a sentence, in elements of its file
        std::int64_t begin = 0, length = 0;
    };
    struct Run {  // neighbours in a file, and which of the order they are
        const RaggedFile* file;
        std::int64_t begin, end;             // sentences of the file
        std::vector<std::int64_t> which;     // indices into the order, ascending by sentence
        std::vector<std::int64_t> low, high;  // [families] elements that are read
    };

    Span& span(std::size_t f, std::int64_t n, std::int64_t i) { return spans_[f * static_cast<std::size_t>(n) + i]; }

    std::vector<Run> runs_of(const std::int64_t* order, std::int64_t from, std::int64_t to) const {
        std::vector<std::int64_t> sorted;
        for (std::int64_t i = from; i < to; ++i) sorted.push_back(i);
        std::sort(sorted.begin(), sorted.end(), [&](std::int64_t a, std::int64_t b) { return order[a] < order[b]; });
        std::vector<Run> runs;
        std::size_t f = 0;
        for (const std::int64_t i : sorted) {
            const std::int64_t s = order[i];
            while (s >= files_[f].first + files_[f].sentences) ++f;
            const std::int64_t own = s - files_[f].first;
            if (runs.empty() || runs.back().file != &files_[f] || own > runs.back().end + gap)
                runs.push_back({&files_[f], own, own, {}, {}, {}});
            runs.back().end = own + 1;
            runs.back().which.push_back(i);
        }
        return runs;
    }

    void read_offsets(Run& run, std::size_t f, const std::int64_t* order, std::int64_t n) {
        const RaggedFamily& family = run.file->families[f];
        const std::int64_t count = run.end - run.begin;
        offsets_.resize(static_cast<std::size_t>(count) + 1);
        if (family.at < 0) {
            for (std::int64_t k = 0; k <= count; ++k) offsets_[k] = run.begin + k;
        } else {
            read(*run.file, family.at + 8 * run.begin, offsets_.data(), 8 * offsets_.size());
        }
        if (offsets_[0] < 0 || offsets_.back() > family.length || !std::is_sorted(offsets_.begin(), offsets_.end()))
            throw InputError(run.file->name + ": the sentence offsets are not ascending; pack the corpus again");
        run.low.push_back(offsets_[0]);
        run.high.push_back(offsets_.back());
        for (const std::int64_t i : run.which) {
            const std::int64_t k = order[i] - run.file->first - run.begin;
            span(f, n, i) = {offsets_[k], offsets_[k + 1] - offsets_[k]};
        }
    }

    void copy_column(const Run& run, std::size_t f, std::size_t c, std::int64_t n, GatheredFamily& into) {
        const RaggedColumn column = run.file->families[f].columns[c];
        const std::int64_t low = run.low[f];
        const auto bytes = static_cast<std::size_t>((run.high[f] - low) * column.size);
        if (bytes > room_) {
            staging_.reset(new std::uint8_t[bytes]);
            room_ = bytes;
        }
        read(*run.file, column.at + low * column.size, staging_.get(), bytes);
        for (const std::int64_t i : run.which) {
            const Span& from = span(f, n, i);
            if (from.length)
                std::memcpy(into.columns[c].get() + into.offsets[i] * column.size,
                            staging_.get() + (from.begin - low) * column.size,
                            static_cast<std::size_t>(from.length * column.size));
        }
    }

    static void read(const RaggedFile& file, std::int64_t at, void* into, std::size_t size) {
        auto* out = static_cast<char*>(into);
        while (size) {
            const std::int64_t count = read_some(file.descriptor, at, out, std::min<std::size_t>(size, 1u << 30));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) throw InputError(file.name + ": the file cannot be read (" + std::strerror(errno) + ")");
            if (count == 0)
                throw InputError(file.name + ": the file became shorter while it was read; pack the corpus again");
            at += count;
            out += count;
            size -= static_cast<std::size_t>(count);
        }
    }

    static std::int64_t read_some(int descriptor, std::int64_t at, void* into, std::size_t size) {
#ifdef _WIN32
        if (_lseeki64(descriptor, at, SEEK_SET) < 0) return -1;
        return _read(descriptor, into, static_cast<unsigned>(size));
#else
        return ::pread(descriptor, into, size, static_cast<off_t>(at));
#endif
    }

    const std::vector<RaggedFile>& files_;
    std::vector<Span> spans_;  // [families, n]
    std::vector<std::int64_t> offsets_;
    std::unique_ptr<std::uint8_t[]> staging_;
    std::size_t room_ = 0;
};

}  // namespace tagfield::text
