#include "kernels.hpp"

#include <cfloat>

#include "kido/scalar/atan.hpp"

using kido::Dual;

namespace {

constexpr double kReference[][4] = {
    // y, x, angle as two parts
#include "reference/atan2.inc"
};
constexpr double kPi = 3.14159265358979323846;
constexpr double kInf = std::numeric_limits<double>::infinity();

const auto kAtan2 = []<class T>(const T* in, T* out) { out[0] = kido::atan2(in[0], in[1]); };

}  // namespace

TEST("atan2 lies within one ulp of the exact angle on both sides of every branch, from 5e-324 to 1.7e308") {
    for (const auto& row : kReference)
        CHECK_WITHIN(check::ulps(kido::atan2(row[0], row[1]), row[2], row[3]), 0.7);
}

#if LDBL_MANT_DIG >= 64
TEST("atan2 lies within one ulp of that in extended precision, all around") {
    double worst = 0.0;
    for (const auto& [y, x] : check::random_inputs<2>(300000, 1.0)) {
        const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
        const double high = static_cast<double>(exact);
        worst = std::fmax(worst, check::ulps(kido::atan2(y, x), high, static_cast<double>(exact - high)));
    }
    CHECK_WITHIN(worst, 0.7);
}
#endif

TEST("atan2 is exact on the axes, with signed zeros") {
    const double table[][3] = {
        {0.0, 1.0, 0.0},          {-0.0, 1.0, -0.0},      {0.0, -1.0, kPi},
        {-0.0, -1.0, -kPi},       {1.0, 0.0, kPi / 2},    {1.0, -0.0, kPi / 2},
        {-1.0, 0.0, -kPi / 2},    {-1.0, -0.0, -kPi / 2}, {0.0, 0.0, 0.0},
        {-0.0, 0.0, -0.0},        {0.0, -0.0, kPi},       {-0.0, -0.0, -kPi},
        {1.0, 1.0, kPi / 4},      {-1.0, 1.0, -kPi / 4},  {5e-324, 5e-324, kPi / 4},
        {3.0, -3.0, 3 * kPi / 4}, {kInf, 1.0, kPi / 2},   {-kInf, -1e308, -kPi / 2},
        {1.0, kInf, 0.0},         {-1.0, kInf, -0.0},     {1.0, -kInf, kPi},
        {-1e308, -kInf, -kPi},    {kInf, kInf, kPi / 4},  {-kInf, -kInf, -3 * kPi / 4}};
    for (const auto& row : table) CHECK(check::same_bits(kido::atan2(row[0], row[1]), row[2]));
}

TEST("atan2 of NaN is NaN") {
    CHECK(std::isnan(kido::atan2(std::nan(""), 1.0)));
    CHECK(std::isnan(kido::atan2(1.0, std::nan(""))));
}

TEST("atan2 in lanes is that of double, bit for bit") {
    check::Inputs<2> rows;
    for (const auto& row : kReference) rows.push_back({row[0], row[1]});
    check::lanes_agree<2, 1>(kAtan2, rows);
    check::lanes_agree<2, 1>(kAtan2, check::random_inputs<2>(2000, 1.0));
}

TEST("dual numbers carry the derivative of atan2") {
    check::Inputs<2> rows;
    for (const auto& [y, x] : check::random_inputs<2>(200, 1.0))
        if (std::hypot(y, x) > 0.2 && (x > 0.0 || std::fabs(y) > 1e-4)) rows.push_back({y, x});
    check::duals_agree<2, 1>(kAtan2, rows, 1e-8);
}

TEST("the derivative of atan2 survives lengths whose square leaves the range of doubles") {
    for (const double size : {1e-200, 1e200}) {
        const Dual<double> y(3.0 * size, size), x(4.0 * size, 0.0);
        CHECK_WITHIN(std::fabs(kido::atan2(y, x).dot - 4.0 / 25.0), 1e-16);
    }
}
