// FrequentStrings: the ids of up to 16,384 strings, found by 32 bits of their hash without a branch.
//
//     bucket {16 × bits, 16 × id}, one of up to 2,048     a string is in the bucket of its bits, or elsewhere if that one is full
//
// Along a chain of slots a search ends after one, two or five comparisons, and the processor guesses wrongly which. Here all
// bits of a bucket are compared at once.
#pragma once

#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tagfield::text {

class FrequentStrings {
  public:
    static constexpr std::int32_t absent = -1;

    // The id that was kept with these bits, or `absent`. Another string may have the same bits.
    std::int32_t likely(std::uint32_t bits) const {
        const Bucket& bucket = buckets_[home(bits)];
        return bucket.ids[__builtin_ctz(matches(bucket, bits) | 1u << last)];
    }

    // False if there is no room for it.
    bool keep(std::uint32_t bits, std::int32_t id) {
        if (kept_ == most) return false;
        if (kept_ >= buckets_.size() * (last + 1) / 2 && buckets_.size() < most_buckets) grow();
        Bucket& bucket = buckets_[home(bits)];
        const std::uint32_t at = free_place(bucket);
        if (at == last) return false;
        bucket.bits[at] = bits;
        bucket.ids[at] = id;
        ++kept_;
        return true;
    }

  private:
    static constexpr std::uint32_t last = 15;  // this place stays free, for what no other place has
    static constexpr std::size_t most = 1 << 14, most_buckets = 2048;

    struct alignas(64) Bucket {
        std::uint32_t bits[last + 1] = {};
        std::int32_t ids[last + 1] = {absent, absent, absent, absent, absent, absent, absent, absent,
                                      absent, absent, absent, absent, absent, absent, absent, absent};
    };

    std::size_t home(std::uint32_t bits) const { return bits & (buckets_.size() - 1); }

    // A bit for each place that has these bits. Free places have 0, so one of them may be among the matches, after the others.
    static std::uint32_t matches(const Bucket& bucket, std::uint32_t bits) {
#if defined(__SSE2__)
        const __m128i wanted = _mm_set1_epi32(static_cast<int>(bits));
        const auto same = [&](int i) {
            return _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(bucket.bits) + i), wanted);
        };
        const __m128i low = _mm_packs_epi32(same(0), same(1)), high = _mm_packs_epi32(same(2), same(3));
        return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i <= last; ++i) found |= static_cast<std::uint32_t>(bucket.bits[i] == bits) << i;
        return found;
#endif
    }

    static std::uint32_t free_place(const Bucket& bucket) {
        std::uint32_t at = 0;
        while (bucket.ids[at] != absent) ++at;
        return at;
    }

    // Twice as many buckets; each takes over a part of one.
    void grow() {
        std::vector<Bucket> old(2 * buckets_.size());
        old.swap(buckets_);
        for (const Bucket& bucket : old)
            for (std::uint32_t i = 0; bucket.ids[i] != absent; ++i) {
                Bucket& to = buckets_[home(bucket.bits[i])];
                const std::uint32_t at = free_place(to);
                to.bits[at] = bucket.bits[i];
                to.ids[at] = bucket.ids[i];
            }
    }

    std::vector<Bucket> buckets_ = std::vector<Bucket>(1);
    std::size_t kept_ = 0;
};

}  // namespace tagfield::text
