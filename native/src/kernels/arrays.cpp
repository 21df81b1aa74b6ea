// Kernels over plain arrays of numbers.

#include "kido/batch/kernel_table.hpp"
#include "kido/scalar/lanes.hpp"
#include "kido/scalar/trig.hpp"

KIDO_BEGIN

static void sincos_array(const double* x, std::size_t count, double* sine, double* cosine) {
    constexpr std::size_t chunk = 1 << 20;
    for (std::size_t i = 0; i < count; i += chunk) {
        const std::size_t here = count - i < chunk ? count - i : chunk;
        sincos(x + i, static_cast<int>(here), sine + i, cosine + i);
    }
}

// x * 0 is 0 for every finite x and NaN otherwise.
static bool all_finite(const double* x, std::size_t count) {
    NativeLanes sum = 0.0;
    std::size_t i = 0;
    for (; i + KIDO_LANES <= count; i += KIDO_LANES) {
        NativeLanes block;
        std::memcpy(&block.v, x + i, sizeof block.v);
        sum = sum + block * 0.0;
    }
    double rest = 0.0;
    for (; i < count; ++i) rest += x[i] * 0.0;
    return rest == 0.0 && all(sum == 0.0);
}

extern const ArrayKernels array_kernels;
const ArrayKernels array_kernels = {sincos_array, all_finite};

KIDO_END
