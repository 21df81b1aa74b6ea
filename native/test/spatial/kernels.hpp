#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/scalar/dual.hpp"
#include "kido/scalar/lanes.hpp"

// What the tests of every kernel ask. A kernel is a generic function (const T* in, T* out) with fixed widths.

namespace check {

template <int N>
using Inputs = std::vector<std::array<double, N>>;

// Distance from the exact value high + low, in units of the last place of high.
inline double ulps(double computed, double high, double low) {
    const double next = std::nextafter(std::fabs(high), INFINITY);
    const double ulp =
        std::isfinite(next) ? next - std::fabs(high) : std::fabs(high) - std::nextafter(std::fabs(high), 0.0);
    return std::fabs((computed - high) - low) / ulp;
}

template <std::size_t N>
double norm(const std::array<double, N>& a) {
    double sum = 0.0;
    for (const double x : a) sum = std::hypot(sum, x);
    return sum;
}

inline double distance(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum = std::hypot(sum, a[i] - b[i]);
    return sum;
}

// `count` rows uniform in [-size, size].
template <int N>
Inputs<N> random_inputs(int count, double size, unsigned seed = 1) {
    std::mt19937_64 engine(seed);
    Inputs<N> rows(count);
    for (auto& row : rows)
        for (double& x : row) x = (static_cast<double>(engine() >> 11) * 0x1p-52 - 1.0) * size;
    return rows;
}

template <int W, int In, int Out, class Kernel>
void lanes_agree_at_width(Kernel kernel, const Inputs<In>& rows) {
    using T = kido::Lanes<W>;
    for (std::size_t start = 0; start + W <= rows.size(); start += W) {
        T in[In], out[Out];
        for (int k = 0; k < In; ++k) {
            double column[W];
            for (int lane = 0; lane < W; ++lane) column[lane] = rows[start + lane][k];
            std::memcpy(&in[k].v, column, sizeof column);
        }
        kernel(in, out);
        for (int lane = 0; lane < W; ++lane) {
            double single[Out];
            kernel(rows[start + lane].data(), single);
            for (int k = 0; k < Out; ++k) CHECK(same_bits(kido::get_lane(out[k], lane), single[k]));
        }
    }
}

// Lanes of every width give the bits of double.
template <int In, int Out, class Kernel>
void lanes_agree(Kernel kernel, const Inputs<In>& rows) {
    CHECK(rows.size() >= 8);
    lanes_agree_at_width<2, In, Out>(kernel, rows);
    lanes_agree_at_width<4, In, Out>(kernel, rows);
    lanes_agree_at_width<8, In, Out>(kernel, rows);
}

// Dual numbers carry the bits of double and the derivative that central differences of step `step` approach.
template <int In, int Out, class Kernel>
void duals_agree(Kernel kernel, const Inputs<In>& rows, double tolerance, double step = 1e-5) {
    using T = kido::Dual<double>;
    const Inputs<In> directions = random_inputs<In>(static_cast<int>(rows.size()), 1.0, 77);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        T in[In], out[Out];
        double ahead[In], behind[In], far[Out], near[Out], value[Out], slope[Out], dot[Out];
        for (int k = 0; k < In; ++k) {
            in[k] = T(rows[i][k], directions[i][k]);
            ahead[k] = rows[i][k] + step * directions[i][k];
            behind[k] = rows[i][k] - step * directions[i][k];
        }
        kernel(in, out);
        kernel(rows[i].data(), value);
        kernel(ahead, far);
        kernel(behind, near);
        for (int k = 0; k < Out; ++k) {
            CHECK(same_bits(out[k].value, value[k]));
            slope[k] = (far[k] - near[k]) / (2.0 * step);
            dot[k] = out[k].dot;
        }
        CHECK_WITHIN(distance(dot, slope, Out), tolerance);
    }
}

}  // namespace check
