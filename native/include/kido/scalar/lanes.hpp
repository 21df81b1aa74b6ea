#pragma once

#include "kido/scalar/scalar.hpp"

// <immintrin.h> has 50 000 lines, which only the wider instruction sets need.
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

// W samples side by side, one a lane. With the vector extension of GCC and Clang each operation is one instruction;
// elsewhere a plain array and a loop give the same bits.

KIDO_BEGIN

template <int W>
struct LaneStorage {
#if KIDO_VECTOR_EXTENSION
    typedef double Values __attribute__((vector_size(W * 8)));
    typedef std::int64_t Bits __attribute__((vector_size(W * 8)));
#else
    struct Values {
        double lane[W];
        double& operator[](int i) { return lane[i]; }
        double operator[](int i) const { return lane[i]; }
    };
    struct Bits {
        std::int64_t lane[W];
        std::int64_t& operator[](int i) { return lane[i]; }
        std::int64_t operator[](int i) const { return lane[i]; }
    };
#endif
};

template <int W>
struct LaneMask {
    typename LaneStorage<W>::Bits bits;
};

template <int W>
struct Lanes {
    using Values = typename LaneStorage<W>::Values;
    Values v;

    Lanes() = default;
    KIDO_INLINE explicit Lanes(Values values) : v(values) {}
    KIDO_INLINE Lanes(double x) {
#if KIDO_VECTOR_EXTENSION
        v = x - Values{};
#else
        for (int i = 0; i < W; ++i) v[i] = x;
#endif
    }
};

template <int W>
struct ScalarTraits<Lanes<W>> {
    using Mask = LaneMask<W>;
    static constexpr int lanes = W;
};

#if KIDO_VECTOR_EXTENSION
#define KIDO_LANE_OPERATOR(op)                                                           \
    template <int W>                                                                     \
    KIDO_INLINE Lanes<W> operator op(Lanes<W> a, Lanes<W> b) {                           \
        return Lanes<W>(a.v op b.v);                                                     \
    }                                                                                    \
    template <int W>                                                                     \
    KIDO_INLINE Lanes<W> operator op(Lanes<W> a, double b) {                             \
        return Lanes<W>(a.v op b);                                                       \
    }                                                                                    \
    template <int W>                                                                     \
    KIDO_INLINE Lanes<W> operator op(double a, Lanes<W> b) {                             \
        return Lanes<W>(a op b.v);                                                       \
    }
#define KIDO_LANE_COMPARISON(op)                                                         \
    template <int W>                                                                     \
    KIDO_INLINE LaneMask<W> operator op(Lanes<W> a, Lanes<W> b) {                        \
        return {a.v op b.v};                                                             \
    }                                                                                    \
    template <int W>                                                                     \
    KIDO_INLINE LaneMask<W> operator op(Lanes<W> a, double b) {                          \
        return {a.v op Lanes<W>(b).v};                                                   \
    }
#define KIDO_LANE_MASK_OPERATOR(op)                                                      \
    template <int W>                                                                     \
    KIDO_INLINE LaneMask<W> operator op(LaneMask<W> a, LaneMask<W> b) {                  \
        return {a.bits op b.bits};                                                       \
    }
#else
#define KIDO_LANE_OPERATOR(op)                                                           \
    template <int W>                                                                     \
    KIDO_INLINE Lanes<W> operator op(Lanes<W> a, Lanes<W> b) {                           \
        for (int i = 0; i < W; ++i) a.v[i] = a.v[i] op b.v[i];                           \
        return a;                                                                        \
    }                                                                                    \
    template <int W>                                                                     \
    KIDO_INLINE Lanes<W> operator op(Lanes<W> a, double b) {                             \
        return a op Lanes<W>(b);                                                         \
    }                                                                                    \
    template <int W>                                                                     \
    KIDO_INLINE Lanes<W> operator op(double a, Lanes<W> b) {                             \
        return Lanes<W>(a) op b;                                                         \
    }
#define KIDO_LANE_COMPARISON(op)                                                         \
    template <int W>                                                                     \
    KIDO_INLINE LaneMask<W> operator op(Lanes<W> a, Lanes<W> b) {                        \
        LaneMask<W> m;                                                                   \
        for (int i = 0; i < W; ++i) m.bits[i] = a.v[i] op b.v[i] ? -1 : 0;               \
        return m;                                                                        \
    }                                                                                    \
    template <int W>                                                                     \
    KIDO_INLINE LaneMask<W> operator op(Lanes<W> a, double b) {                          \
        return a op Lanes<W>(b);                                                         \
    }
#define KIDO_LANE_MASK_OPERATOR(op)                                                      \
    template <int W>                                                                     \
    KIDO_INLINE LaneMask<W> operator op(LaneMask<W> a, LaneMask<W> b) {                  \
        for (int i = 0; i < W; ++i) a.bits[i] = a.bits[i] op b.bits[i];                  \
        return a;                                                                        \
    }
#endif

KIDO_LANE_OPERATOR(+)
KIDO_LANE_OPERATOR(-)
KIDO_LANE_OPERATOR(*)
KIDO_LANE_OPERATOR(/)
KIDO_LANE_COMPARISON(<)
KIDO_LANE_COMPARISON(<=)
KIDO_LANE_COMPARISON(>)
KIDO_LANE_COMPARISON(>=)
KIDO_LANE_COMPARISON(==)
KIDO_LANE_MASK_OPERATOR(&)
KIDO_LANE_MASK_OPERATOR(|)
KIDO_LANE_MASK_OPERATOR(^)

#undef KIDO_LANE_OPERATOR
#undef KIDO_LANE_COMPARISON
#undef KIDO_LANE_MASK_OPERATOR

template <int W>
KIDO_INLINE Lanes<W> operator-(Lanes<W> a) {
#if KIDO_VECTOR_EXTENSION
    return Lanes<W>(-a.v);
#else
    for (int i = 0; i < W; ++i) a.v[i] = -a.v[i];
    return a;
#endif
}

template <int W>
KIDO_INLINE Lanes<W>& operator+=(Lanes<W>& a, Lanes<W> b) {
    return a = a + b;
}

template <int W>
KIDO_INLINE Lanes<W>& operator-=(Lanes<W>& a, Lanes<W> b) {
    return a = a - b;
}

template <int W>
KIDO_INLINE double get_lane(Lanes<W> x, int i) {
    return x.v[i];
}

template <int W>
KIDO_INLINE void set_lane(Lanes<W>& x, int i, double value) {
    x.v[i] = value;
}

template <int W>
KIDO_INLINE Lanes<W> select(LaneMask<W> m, Lanes<W> a, Lanes<W> b) {
#if KIDO_VECTOR_EXTENSION
    return Lanes<W>(m.bits ? a.v : b.v);
#else
    for (int i = 0; i < W; ++i) a.v[i] = m.bits[i] ? a.v[i] : b.v[i];
    return a;
#endif
}

template <int W>
KIDO_INLINE bool any(LaneMask<W> m) {
    std::int64_t bits = 0;
    for (int i = 0; i < W; ++i) bits |= m.bits[i];
    return bits != 0;
}

template <int W>
KIDO_INLINE bool all(LaneMask<W> m) {
    std::int64_t bits = -1;
    for (int i = 0; i < W; ++i) bits &= m.bits[i];
    return bits != 0;
}

template <int W>
KIDO_INLINE Lanes<W> sqrt(Lanes<W> x) {
    for (int i = 0; i < W; ++i) x.v[i] = std::sqrt(x.v[i]);
    return x;
}

template <int W>
KIDO_INLINE Lanes<W> abs(Lanes<W> x) {
    typename LaneStorage<W>::Bits bits;
    std::memcpy(&bits, &x.v, sizeof bits);
#if KIDO_VECTOR_EXTENSION
    bits = bits & INT64_MAX;
#else
    for (int i = 0; i < W; ++i) bits[i] &= INT64_MAX;
#endif
    std::memcpy(&x.v, &bits, sizeof bits);
    return x;
}

// Lane i is lane Order[i] of x.
template <int... Order>
KIDO_INLINE Lanes<sizeof...(Order)> shuffled(const Lanes<sizeof...(Order)>& x) {
#if KIDO_VECTOR_EXTENSION
    return Lanes<sizeof...(Order)>(__builtin_shufflevector(x.v, x.v, Order...));
#else
    const int order[] = {Order...};
    Lanes<sizeof...(Order)> y;
    for (int i = 0; i < static_cast<int>(sizeof...(Order)); ++i) y.v[i] = x.v[order[i]];
    return y;
#endif
}

template <int W>
KIDO_INLINE LaneMask<W> pattern_bit(Lanes<W> x, int index) {
    typename LaneStorage<W>::Bits bits;
    std::memcpy(&bits, &x.v, sizeof bits);
#if KIDO_VECTOR_EXTENSION
    return {-((bits >> index) & 1)};
#else
    for (int i = 0; i < W; ++i) bits[i] = -((bits[i] >> index) & 1);
    return {bits};
#endif
}

template <int W>
KIDO_INLINE double greatest_lane(Lanes<W> x) {
    double most = x.v[0];
    for (int i = 1; i < W; ++i) most = most < x.v[i] ? x.v[i] : most;
    return most;
}

// Bit i: whether lane i is set.
template <int W>
KIDO_INLINE unsigned lane_bits(LaneMask<W> m) {
    unsigned bits = 0;
    for (int i = 0; i < W; ++i) bits |= m.bits[i] ? 1U << i : 0U;
    return bits;
}

// Bit i: whether x and y are equal in lane i.
template <int W>
KIDO_INLINE unsigned equal_lanes(const Lanes<W>& x, const Lanes<W>& y) {
    return lane_bits(x == y);
}

using NativeLanes = Lanes<KIDO_LANES>;

// Operations that the vector extension has no operator for.
#if KIDO_VECTOR_EXTENSION && defined(__AVX512F__)
KIDO_INLINE bool any(LaneMask<8> m) {
    const __m512i bits = (__m512i)m.bits;
    return _mm512_test_epi64_mask(bits, bits) != 0;
}
KIDO_INLINE bool all(LaneMask<8> m) {
    const __m512i bits = (__m512i)m.bits;
    return _mm512_test_epi64_mask(bits, bits) == 0xFF;
}
KIDO_INLINE double greatest_lane(Lanes<8> x) {
    const __m256d four = _mm256_max_pd(_mm512_maskz_extractf64x4_pd(0xF, x.v, 0), _mm512_maskz_extractf64x4_pd(0xF, x.v, 1));
    const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}
KIDO_INLINE unsigned lane_bits(LaneMask<8> m) {
    const __m512i bits = (__m512i)m.bits;
    return _mm512_test_epi64_mask(bits, bits);
}
KIDO_INLINE unsigned equal_lanes(const Lanes<8>& x, const Lanes<8>& y) { return _mm512_cmp_pd_mask(x.v, y.v, _CMP_EQ_OQ); }
KIDO_INLINE Lanes<8> sqrt(Lanes<8> x) { return Lanes<8>(static_cast<Lanes<8>::Values>(_mm512_maskz_sqrt_pd(0xFF, x.v))); }
#endif
#if KIDO_VECTOR_EXTENSION && defined(__AVX__)
KIDO_INLINE bool any(LaneMask<4> m) { return _mm256_movemask_pd((__m256d)m.bits) != 0; }
KIDO_INLINE bool all(LaneMask<4> m) { return _mm256_movemask_pd((__m256d)m.bits) == 0xF; }
KIDO_INLINE unsigned lane_bits(LaneMask<4> m) { return static_cast<unsigned>(_mm256_movemask_pd((__m256d)m.bits)); }
KIDO_INLINE Lanes<4> sqrt(Lanes<4> x) { return Lanes<4>(static_cast<Lanes<4>::Values>(_mm256_sqrt_pd(x.v))); }
#elif KIDO_VECTOR_EXTENSION && defined(__SSE2__)
KIDO_INLINE bool any(LaneMask<2> m) { return _mm_movemask_pd((__m128d)m.bits) != 0; }
KIDO_INLINE bool all(LaneMask<2> m) { return _mm_movemask_pd((__m128d)m.bits) == 0x3; }
KIDO_INLINE unsigned lane_bits(LaneMask<2> m) { return static_cast<unsigned>(_mm_movemask_pd((__m128d)m.bits)); }
KIDO_INLINE Lanes<2> sqrt(Lanes<2> x) { return Lanes<2>(static_cast<Lanes<2>::Values>(_mm_sqrt_pd(x.v))); }
#endif

KIDO_END
