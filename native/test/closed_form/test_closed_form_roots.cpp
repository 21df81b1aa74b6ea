#include <initializer_list>

#include "check.hpp"
#include "closed_form_arms.hpp"
#include "kido/ik/closed_form/line_roots.hpp"
#include "kido/ik/closed_form/trig_roots.hpp"

// Roots of polynomials, on the circle and on the line: all that were planted, and no others.

using namespace kido;
using namespace kido::closed_form;
using namespace arms;

namespace {

constexpr int kSamples = 40;

// sin((x - a) / 2) sin((x - b) / 2) as a function of cos x and sin x, twice.
void half_factors(double a, double b, double scale, double* out) {
    out[0] = scale * std::cos(0.5 * (a - b));
    out[1] = -scale * std::cos(0.5 * (a + b));
    out[2] = -scale * std::sin(0.5 * (a + b));
}

TrigPolynomial with_roots(double a, double b, double c, double d, double scale) {
    double first[3], second[3];
    half_factors(a, b, scale, first);
    half_factors(c, d, 1.0, second);
    return product(first, second);
}

void check_roots(const TrigPolynomial& f, std::initializer_list<double> roots, double bound) {
    double angles[4];
    const int count = roots_on_circle(f, false, angles);
    CHECK(count == static_cast<int>(roots.size()));
    for (double root : roots) CHECK_WITHIN(nearest(angles, count, root), bound);
}

double size_of(const TrigPolynomial& f) {
    return std::fabs(f.c0) + std::fabs(f.c1) + std::fabs(f.s1) + std::fabs(f.c2) + std::fabs(f.s2);
}

void fill(Random& random, double* c) {
    for (int k = 0; k < 3; ++k) c[k] = random.between(-1.0, 1.0);
}

}  // namespace

TEST("a product, a sum and a shift of functions on the circle have the values that they are made of") {
    Random random(41);
    for (int sample = 0; sample < kSamples; ++sample) {
        double a[3], b[3];
        fill(random, a);
        fill(random, b);
        const double x = random.angle(), by = random.angle(), f = random.between(-2.0, 2.0);
        const auto value = [&](const double* c) { return c[0] + c[1] * std::cos(x) + c[2] * std::sin(x); };
        const TrigPolynomial ab = product(a, b), bb = product(b, b);
        CHECK_WITHIN(std::fabs(ab.at(x) - value(a) * value(b)), 1e-14);
        CHECK_WITHIN(std::fabs(sum(ab, f, bb).at(x) - value(a) * value(b) - f * value(b) * value(b)), 1e-14);
        CHECK_WITHIN(std::fabs(ab.shifted(by).at(x - by) - ab.at(x)), 1e-14);
        CHECK_WITHIN(std::fabs(ab.size() - size_of(ab)), 1e-15);
    }
}

TEST("four roots on the circle are found wherever they are, of functions of any size") {
    Random random(42);
    for (double scale : {1e-6, -1.0, 1e6}) {
        for (int sample = 0; sample < kSamples; ++sample) {
            const double turn = random.angle();
            double roots[4];
            for (int k = 0; k < 4; ++k) roots[k] = turn + 0.5 * kPi * k + random.between(-0.6, 0.6);
            check_roots(with_roots(roots[0], roots[2], roots[1], roots[3], scale),
                        {roots[0], roots[1], roots[2], roots[3]}, 1e-12);
        }
    }
}

TEST("roots where the circle closes, and where the function is sampled, are found") {
    for (double scale : {0.01, 1.0, 100.0}) {
        check_roots(with_roots(kPi, -0.5 * kPi, 0.0, 0.5 * kPi, scale), {kPi, -0.5 * kPi, 0.0, 0.5 * kPi},
                    1e-13);
        check_roots(with_roots(kPi, 0.25 * kPi, -0.25 * kPi, 1.0, scale), {kPi, 0.25 * kPi, -0.25 * kPi, 1.0},
                    1e-13);
        check_roots(with_roots(0.0, 3.0, -3.0, 2.5, scale), {0.0, 3.0, -3.0, 2.5}, 1e-13);
        check_roots({0.0, -scale, 0.0, 0.0, 0.0}, {0.5 * kPi, -0.5 * kPi}, 1e-14);
        check_roots({0.0, 0.0, scale, 0.0, 0.0}, {0.0, kPi}, 1e-14);
    }
}

TEST("a function that touches zero where it is sampled first has that root, however small it is") {
    for (double scale : {1e-3, 1.0, 1e3}) {
        double angles[4];
        CHECK(roots_on_circle({scale, -scale, 0.0, 0.0, 0.0}, false, angles) == 1);
        CHECK_WITHIN(circular(angles[0], 0.0), 1e-7);
    }
}

TEST("of roots of two harmonics of which some are not real, the real ones are found") {
    Random random(43);
    for (int sample = 0; sample < kSamples; ++sample) {
        const double one = random.angle(), two = one + random.between(0.3, 3.0), where = random.angle();
        double first[3];
        half_factors(one, two, 1.0, first);
        const double above[3] = {1.5, std::cos(where), std::sin(where)};
        check_roots(product(first, above), {one, two}, 1e-12);
    }
}

TEST("how near to zero counts as touching it is relative to the size of the function") {
    Random random(44);
    for (int sample = 0; sample < kSamples; ++sample) {
        const double touch = random.angle(), where = touch + random.between(1.5, 4.5),
                     scale = random.between(0.1, 10.0);
        const double touching[3] = {scale, -scale * std::cos(touch), -scale * std::sin(touch)};
        const double above[3] = {1.5, -std::cos(where), -std::sin(where)};
        double angles[4];
        for (double part : {0.97, 1.03}) {
            TrigPolynomial f = product(touching, above);
            f.c0 += part * 1e-10 * size_of(f);
            const int count = roots_on_circle(f, false, angles);
            CHECK(count == (part < 1.0 ? 1 : 0));
            if (part < 1.0) CHECK_WITHIN(circular(angles[0], touch), 1e-9);
        }
    }
}

TEST("two roots that nearly meet are two, without the turn between them") {
    for (double middle : {0.7, -2.0, 3.1, 0.0}) {
        const double bend = 1e-5;
        double angles[4];
        const double twice[3] = {std::cos(bend), -std::cos(middle), -std::sin(middle)},
                     above[3] = {2.0, 0.3, 0.1};
        const int count = roots_on_circle(product(twice, above), false, angles);
        CHECK(count == 2);
        CHECK_WITHIN(nearest(angles, count, middle + bend), 1e-9);
        CHECK_WITHIN(nearest(angles, count, middle - bend), 1e-9);
    }
}

TEST("where no root is, an angle near the one that comes nearest to zero is given, if it is asked for") {
    Random random(45);
    for (int sample = 0; sample < kSamples; ++sample) {
        const double touch = random.angle(), where = touch + random.between(1.5, 4.5);
        const double touching[3] = {1.0, -std::cos(touch), -std::sin(touch)};
        const double above[3] = {1.5, -std::cos(where), -std::sin(where)};
        TrigPolynomial f = product(touching, above);
        f.c0 += 1e-4;
        double angles[4];
        CHECK(roots_on_circle(f, false, angles) == 0);
        const int count = roots_on_circle(f, true, angles);
        CHECK_WITHIN(nearest(angles, count, touch), 2e-3);
    }
}

TEST("real roots of polynomials are found in increasing order, those within the bound") {
    double roots[6];
    const double cubic[4] = {-6.0, 1.0, 4.0, 1.0};  // 1, -2, -3
    CHECK(real_roots(cubic, 3, 10.0, roots) == 3);
    CHECK_WITHIN(std::fabs(roots[0] + 3.0) + std::fabs(roots[1] + 2.0) + std::fabs(roots[2] - 1.0), 1e-14);
    CHECK(real_roots(cubic, 3, 2.5, roots) == 2);
    CHECK_WITHIN(std::fabs(roots[0] + 2.0) + std::fabs(roots[1] - 1.0), 1e-14);
    CHECK(real_roots(cubic, 3, 0.5, roots) == 0);
    const double line[2] = {3.0, -2.0}, level[2] = {1.0, 0.0};
    CHECK(real_roots(line, 1, 2.0, roots) == 1);
    CHECK(roots[0] == 1.5);
    CHECK(real_roots(line, 1, 1.0, roots) == 0);
    CHECK(real_roots(level, 1, 1.0, roots) == 0);
    CHECK(value_of(cubic, 3, 2.0) == 20.0);
}

TEST("a root between two points is found to the last digits, rising or falling, large or small") {
    for (double sign : {1.0, -1.0}) {
        for (double root : {-7.0, 1e-6, 0.3, 400.0}) {
            // (t - root) (t^2 + 1)
            const double p[4] = {-sign * root, sign, -sign * root, sign},
                         slope[3] = {p[1], 2.0 * p[2], 3.0 * p[3]};
            const double t = bracketed(p, slope, 3, root - 5.0, root + 11.0);
            CHECK_WITHIN(std::fabs(t - root), 3e-16 * (std::fabs(root) + 1e-3));
        }
    }
}

TEST("four roots on the line are found wherever they are, of polynomials of any size") {
    Random random(46);
    for (double scale : {1e-6, -1.0, 1e6}) {
        for (int sample = 0; sample < kSamples; ++sample) {
            double p[5] = {scale, 0.0, 0.0, 0.0, 0.0}, wanted[4], found[4];
            for (int k = 0; k < 4; ++k) {
                wanted[k] = -2.0 + k + random.between(-0.3, 0.3);
                for (int j = k + 1; j > 0; --j) p[j] = p[j - 1] - wanted[k] * p[j];
                p[0] *= -wanted[k];
            }
            CHECK(roots_on_line(p, false, found) == 4);
            for (int k = 0; k < 4; ++k) CHECK_WITHIN(std::fabs(found[k] - wanted[k]), 1e-11);
        }
    }
    double found[4];
    const double far[5] = {-1.0, 0.0, 0.0, 0.0, 1.0}, even[5] = {-16.0, 0.0, 0.0, 0.0, 1.0};
    CHECK(roots_on_line(far, false, found) == 2);
    CHECK_WITHIN(std::fabs(found[0] + 1.0) + std::fabs(found[1] - 1.0), 1e-15);
    CHECK(roots_on_line(even, false, found) == 2);
    CHECK_WITHIN(std::fabs(found[0] + 2.0) + std::fabs(found[1] - 2.0), 1e-15);
}

TEST("two roots on the line that nearly meet are two, and one that touches is not lost beside others") {
    double found[4];
    for (double middle : {1.5, -0.5}) {
        // ((t - middle)^2 - 1e-12) (t^2 + 1)
        const double c = middle * middle - 1e-12, b = -2.0 * middle;
        const double p[5] = {c, b, c + 1.0, b, 1.0};
        CHECK(roots_on_line(p, false, found) == 2);
        for (int k = 0; k < 2; ++k) CHECK_WITHIN(std::fabs(found[k] - middle), 2e-6);
        // (t - middle)^2 (t + middle) (t - 3)
        const double u = -3.0 * middle, v = middle - 3.0;
        const double q[5] = {(middle * middle + 1e-13) * u, b * u + (middle * middle + 1e-13) * v,
                             u + b * v + middle * middle + 1e-13, v + b, 1.0};
        const int count = roots_on_line(q, false, found);
        CHECK(count >= 3);
        double touch = 1.0, other = 1.0, last = 1.0;
        for (int k = 0; k < count; ++k) {
            touch = std::min(touch, std::fabs(found[k] - middle));
            other = std::min(other, std::fabs(found[k] + middle));
            last = std::min(last, std::fabs(found[k] - 3.0));
        }
        CHECK_WITHIN(touch, 1e-6);
        CHECK_WITHIN(other + last, 1e-9);
    }
}
