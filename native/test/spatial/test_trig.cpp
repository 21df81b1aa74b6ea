#include "kernels.hpp"

#include <cfloat>

#include "kido/scalar/trig.hpp"

using namespace kido;

namespace {

constexpr double kReference[][5] = {
    // x, sin x as two parts, cos x as two parts
#include "reference/trig.inc"
};

const auto kSinCos = []<class T>(const T* in, T* out) {
    const SinCos<T> y = sincos(in[0]);
    out[0] = y.sin;
    out[1] = y.cos;
};

check::Inputs<1> reference_angles() {
    check::Inputs<1> rows;
    for (const auto& row : kReference) rows.push_back({row[0]});
    return rows;
}

}  // namespace

TEST("sin and cos lie within one ulp of the exact values from 1e-323 to 1.8e308") {
    for (const auto& row : kReference) {
        const SinCos<double> y = sincos(row[0]);
        CHECK_WITHIN(check::ulps(y.sin, row[1], row[2]), 0.9);
        CHECK_WITHIN(check::ulps(y.cos, row[3], row[4]), 0.9);
    }
}

#if LDBL_MANT_DIG >= 64
TEST("sin and cos lie within one ulp of those in extended precision, over |x| <= 1e5") {
    for (const double size : {1e-3, 1.0, 10.0, 1e3, 1e5}) {
        double worst = 0.0;
        for (const auto& [x] : check::random_inputs<1>(100000, size)) {
            const SinCos<double> y = sincos(x);
            const long double s = std::sin(static_cast<long double>(x)),
                              c = std::cos(static_cast<long double>(x));
            const double sh = static_cast<double>(s), ch = static_cast<double>(c);
            worst = std::fmax(worst, check::ulps(y.sin, sh, static_cast<double>(s - sh)));
            worst = std::fmax(worst, check::ulps(y.cos, ch, static_cast<double>(c - ch)));
        }
        CHECK_WITHIN(worst, 0.9);
    }
}
#endif

TEST("sin and cos of zero are exact") {
    for (const double zero : {0.0, -0.0}) CHECK(sincos(zero).sin == 0.0 && sincos(zero).cos == 1.0);
}

TEST("sin is odd and cos is even, bit for bit") {
    for (const auto& row : kReference) {
        const SinCos<double> y = sincos(row[0]), mirrored = sincos(-row[0]);
        CHECK(check::same_bits(mirrored.sin, -y.sin));
        CHECK(check::same_bits(mirrored.cos, y.cos));
    }
}

TEST("sin and cos of what is not finite are NaN, in its lane alone") {
    for (const double bad : {static_cast<double>(INFINITY), -static_cast<double>(INFINITY), std::nan("")}) {
        Lanes<4> x = 1.0;
        set_lane(x, 2, bad);
        const SinCos<Lanes<4>> y = sincos(x);
        CHECK(std::isnan(get_lane(y.sin, 2)) && std::isnan(get_lane(y.cos, 2)));
        CHECK(check::same_bits(get_lane(y.sin, 1), sincos(1.0).sin));
    }
}

TEST("sin and cos in lanes are those of double, bit for bit") {
    check::lanes_agree<1, 2>(kSinCos, reference_angles());
    check::lanes_agree<1, 2>(kSinCos, check::random_inputs<1>(4000, 2e5));
}

TEST("sin and cos of an array are those of its elements, whatever its length") {
    const auto angles = check::random_inputs<1>(40, 1e4);
    for (int count = 0; count <= 17; ++count) {
        double x[17], s[18], c[18];
        for (int i = 0; i < count; ++i) x[i] = angles[i][0];
        s[count] = c[count] = 7.0;
        sincos(x, count, s, c);
        for (int i = 0; i < count; ++i) {
            CHECK(check::same_bits(s[i], sincos(x[i]).sin));
            CHECK(check::same_bits(c[i], sincos(x[i]).cos));
        }
        CHECK(s[count] == 7.0 && c[count] == 7.0);
    }
}

TEST("dual numbers carry the derivatives of sin and cos") {
    check::duals_agree<1, 2>(kSinCos, check::random_inputs<1>(200, 10.0), 1e-9);
}
