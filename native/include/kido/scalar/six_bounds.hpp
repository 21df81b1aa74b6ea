#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kido/config.hpp"

// Six numbers compared at once, for no processor foresees which of them tells boxes apart.

KIDO_BEGIN

// Whether the first three numbers are at most those of `bounds`, and the other three at least.
KIDO_INLINE bool are_within(const double* six, const double* bounds) {
#if defined(__AVX512F__)
    const __m512d x = _mm512_maskz_loadu_pd(0x3F, six), b = _mm512_maskz_loadu_pd(0x3F, bounds);
    return (_mm512_mask_cmp_pd_mask(0x07, x, b, _CMP_LE_OQ) | _mm512_mask_cmp_pd_mask(0x38, x, b, _CMP_GE_OQ)) == 0x3F;
#else
    return (six[0] <= bounds[0]) & (six[1] <= bounds[1]) & (six[2] <= bounds[2]) & (six[3] >= bounds[3]) & (six[4] >= bounds[4]) &
           (six[5] >= bounds[5]);
#endif
}

KIDO_END
