#pragma once

// The kernels are compiled once per instruction set, each time in a namespace of its own, so that the linker
// never merges two copies of one function that were compiled for different processors.
#ifndef KIDO_TARGET
#define KIDO_TARGET generic
#endif

#define KIDO_BEGIN      \
    namespace kido {    \
    inline namespace KIDO_TARGET {
#define KIDO_END \
    }            \
    }

// Sanitizers see more, and they and tests are built faster, where calls stay calls.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(KIDO_CALLS)
#define KIDO_INLINE inline
#define KIDO_INLINE_LAMBDA
#define KIDO_NOINLINE
#define KIDO_FLATTEN
#define KIDO_VECTOR_EXTENSION 1
#define KIDO_UNROLL
#elif defined(__GNUC__) || defined(__clang__)
#define KIDO_INLINE __attribute__((always_inline)) inline
#define KIDO_INLINE_LAMBDA __attribute__((always_inline))  // after the parameters
#define KIDO_NOINLINE [[gnu::noinline]]
#define KIDO_FLATTEN [[gnu::flatten]]  // all calls inside are inlined, if possible
#ifndef KIDO_VECTOR_EXTENSION
#define KIDO_VECTOR_EXTENSION 1
#endif
#define KIDO_UNROLL _Pragma("GCC unroll 16")
#else
#define KIDO_INLINE inline
#define KIDO_INLINE_LAMBDA
#define KIDO_NOINLINE
#define KIDO_FLATTEN
#ifndef KIDO_VECTOR_EXTENSION
#define KIDO_VECTOR_EXTENSION 0
#endif
#define KIDO_UNROLL
#endif

// Lanes of a vector register that holds doubles, at the native width of the instruction set.
#if defined(__AVX512F__)
#define KIDO_LANES 8
#elif defined(__AVX__)
#define KIDO_LANES 4
#else
#define KIDO_LANES 2
#endif
