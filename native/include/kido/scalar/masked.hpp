#pragma once

#include "kido/scalar/lanes.hpp"

// The first `count` < KIDO_LANES numbers of a register, read or written without touching the memory behind them.

KIDO_BEGIN

namespace masked {

#if KIDO_VECTOR_EXTENSION && defined(__AVX512F__)
KIDO_INLINE __mmask8 first(int count) { return static_cast<__mmask8>((1U << count) - 1U); }
KIDO_INLINE NativeLanes load(const double* p, int count) {
    return NativeLanes(static_cast<NativeLanes::Values>(_mm512_maskz_loadu_pd(first(count), p)));
}
KIDO_INLINE void store(double* p, const NativeLanes& x, int count) { _mm512_mask_storeu_pd(p, first(count), x.v); }
#elif KIDO_VECTOR_EXTENSION && defined(__AVX__)
KIDO_INLINE __m256i first(int count) {
    static constexpr std::int64_t ones[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ones + 4 - count));
}
KIDO_INLINE NativeLanes load(const double* p, int count) {
    return NativeLanes(static_cast<NativeLanes::Values>(_mm256_maskload_pd(p, first(count))));
}
KIDO_INLINE void store(double* p, const NativeLanes& x, int count) { _mm256_maskstore_pd(p, first(count), x.v); }
#else
KIDO_INLINE NativeLanes load(const double* p, int count) {
    NativeLanes x = 0.0;
    for (int i = 0; i < count; ++i) set_lane(x, i, p[i]);
    return x;
}
KIDO_INLINE void store(double* p, const NativeLanes& x, int count) {
    for (int i = 0; i < count; ++i) p[i] = get_lane(x, i);
}
#endif

}  // namespace masked

KIDO_END
