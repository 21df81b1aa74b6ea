#include "kernels.hpp"

using namespace kido;

static_assert(Scalar<Lanes<2>> && Scalar<Lanes<4>> && Scalar<Lanes<8>> && Scalar<Dual<NativeLanes>>);
static_assert(lanes_of<double> == 1 && lanes_of<Lanes<4>> == 4 && lanes_of<Dual<Lanes<2>>> == 2);

namespace {

// Every operation a scalar offers, smooth in both inputs where they are positive and differ.
const auto kOperations = []<class T>(const T* in, T* out) {
    const T a = in[0], b = in[1];
    T sum = a, rest = a;
    sum += b;
    rest -= b;
    const T arithmetic[] = {a + b, a - b, a * b, a / b, -a, sum, rest};
    const T with_double[] = {a + 0.3, 0.3 + a, a - 0.3, 0.3 - a, a * 0.7, 0.7 * a, a / 0.7, 0.7 / a};
    const T functions[] = {kido::sqrt(a), kido::abs(-b), square(a), max(a, b), min(a, b)};
    const T masked[] = {select(a < b, a * b, a / b), select(a <= 0.5, a, b), select(a > b, a, b),
                        select((a >= b) & (a == a), a, b), select((a < b) | (b > 0.5), a, b)};
    for (const T& x : arithmetic) *out++ = x;
    for (const T& x : with_double) *out++ = x;
    for (const T& x : functions) *out++ = x;
    for (const T& x : masked) *out++ = x;
};

check::Inputs<2> positive_pairs() {
    check::Inputs<2> rows;
    for (const auto& [a, b] : check::random_inputs<2>(200, 1.0))
        if (std::fabs(std::fabs(a) - std::fabs(b)) > 1e-3 && std::fabs(std::fabs(a) - 0.5) > 1e-3 &&
            std::fabs(std::fabs(b) - 0.5) > 1e-3 && std::fabs(a) > 0.3 && std::fabs(b) > 0.3)
            rows.push_back({std::fabs(a), std::fabs(b)});
    return rows;
}

}  // namespace

TEST("each operation in lanes is that of double, bit for bit") {
    check::lanes_agree<2, 25>(kOperations, positive_pairs());
}

TEST("each operation on dual numbers carries its derivative") {
    check::duals_agree<2, 25>(kOperations, positive_pairs(), 1e-7);
}

TEST("dual numbers of dual numbers carry second derivatives") {
    using Second = Dual<Dual<double>>;
    const Second x(Dual<double>(2.0, 1.0), Dual<double>(1.0, 0.0));
    CHECK((x * x * x).dot.dot == 12.0);
    CHECK((1.0 / x).dot.dot == 0.25);
    CHECK_WITHIN(std::fabs(sqrt(x).dot.dot + 0.25 / (2.0 * std::sqrt(2.0))), 1e-16);
}

TEST("abs clears the sign of zero and of infinity, in double and in lanes") {
    for (const double x : {-0.0, 0.0, -3.5, 3.5, -static_cast<double>(INFINITY)}) {
        CHECK(check::same_bits(kido::abs(x), std::fabs(x)));
        CHECK(check::same_bits(get_lane(kido::abs(Lanes<4>(x)), 3), std::fabs(x)));
    }
}

TEST("any and all tell one lane from every lane") {
    Lanes<4> x = 1.0;
    CHECK(!any(x < 0.0) && !all(x < 0.0));
    set_lane(x, 3, -1.0);
    CHECK(any(x < 0.0) && !all(x < 0.0));
    CHECK(any(x < 2.0) && all(x < 2.0));
}

TEST("the bits of a pattern are read lane by lane") {
    Lanes<2> x = 0x1.8p52 + 2.0;
    set_lane(x, 1, -(0x1.8p52 + 1.0));
    const Lanes<2> one = 1.0, zero = 0.0;
    const Lanes<2> bit0 = select(pattern_bit(x, 0), one, zero), bit1 = select(pattern_bit(x, 1), one, zero);
    const Lanes<2> sign = select(pattern_bit(x, 63), one, zero);
    CHECK(get_lane(bit0, 0) == 0.0 && get_lane(bit0, 1) == 1.0);
    CHECK(get_lane(bit1, 0) == 1.0 && get_lane(bit1, 1) == 0.0);
    CHECK(get_lane(sign, 0) == 0.0 && get_lane(sign, 1) == 1.0);
}

TEST("is_finite refuses NaN and both infinities") {
    CHECK(is_finite(1.7e308) && is_finite(-0.0) && is_finite(5e-324));
    CHECK(!is_finite(INFINITY) && !is_finite(-INFINITY) && !is_finite(std::nan("")));
}
