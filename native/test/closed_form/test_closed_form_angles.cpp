#include "check.hpp"
#include "closed_form_arms.hpp"
#include "kido/ik/closed_form/line_roots.hpp"
#include "kido/ik/closed_form/subproblems.hpp"

// Geometric subproblems against their equations: in reach, out of it, at its edge, and with a direction lost.

using namespace kido;
using namespace kido::closed_form;
using namespace arms;

namespace {

constexpr int kSamples = 60;
constexpr double kSize = 2.5;

double angle_between(const Point& a, const Point& b) {
    return std::acos(std::clamp(dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)), -1.0, 1.0));
}

}  // namespace

TEST("a turn and its way back are those of Rodrigues' formula") {
    Random random(31);
    for (int sample = 0; sample < kSamples; ++sample) {
        const Point k = random.direction(), x = random.point();
        const double angle = random.angle();
        CHECK_WITHIN(far_apart(AngleAxis(k, angle) * x, rotated(k, angle, x)), 1e-15);
        CHECK_WITHIN(far_apart(AngleAxis(k, angle).back(x), rotated(k, -angle, x)), 1e-15);
        CHECK_WITHIN(std::fabs(dot(normal_to(k), k)), 1e-15);
        CHECK_WITHIN(std::fabs(length(normal_to(k)) - 1.0), 1e-15);
        CHECK_WITHIN(std::fabs(angle_of(k, x) - angle_between(k, x)), 1e-7);
    }
}

TEST("align takes what is seen along an axis from one direction to another, lengths and heights aside") {
    Random random(32);
    for (int sample = 0; sample < kSamples; ++sample) {
        const Point k = random.direction(), x = random.point();
        const double angle = random.angle();
        const Point y = rotated(k, angle, x) * random.between(0.1, 3.0) + k * random.between(-3.0, 3.0);
        CHECK_WITHIN(circular(align(k, x, y, kSize, 0.0).angle, angle), 1e-12);
    }
    CHECK(align(unit({1.0, 1.0, 0.0}), {2.0, 2.0, 0.0}, {0.0, 1.0, 0.0}, 1.0, 0.7).angle == 0.7);
    CHECK(align(unit({1.0, 1.0, 0.0}), {0.0, 1.0, 0.0}, {2.0, 2.0, 0.0}, 1.0, 0.7).free);
}

TEST("on_line solves its equation or comes nearest to it, and says by how much it fails") {
    Random random(33);
    for (int sample = 0; sample < kSamples; ++sample) {
        const double a = random.between(-1.0, 1.0), b = random.between(-1.0, 1.0), angle = random.angle();
        const double r = std::hypot(a, b), best = std::atan2(b, a);
        const auto left = [&](double x) { return a * std::cos(x) + b * std::sin(x); };
        const Angles found = on_line(a, b, left(angle), kSize, 0.0);
        CHECK(found.count >= 2);
        CHECK(found.excess == 0.0);
        CHECK_WITHIN(nearest(found.angle, found.count, angle), 1e-7);
        for (int k = 0; k < found.count; ++k) {
            CHECK_WITHIN(std::fabs(left(found.angle[k]) - left(angle)), 1e-13);
        }
        const Angles above = on_line(a, b, r + 0.5, kSize, 0.0), below = on_line(a, b, -r - 0.25, kSize, 0.0);
        CHECK(above.count == 1 && below.count == 1);
        CHECK_WITHIN(circular(above.angle[0], best), 1e-14);
        CHECK_WITHIN(circular(below.angle[0], best + kPi), 1e-14);
        CHECK_WITHIN(std::fabs(above.excess - 0.5 / kSize), 1e-15);
        CHECK_WITHIN(std::fabs(below.excess - 0.25 / kSize), 1e-15);
    }
}

TEST("on_line without a direction leaves the angle as it is, and what rounding left is no excess") {
    for (double d : {0.0, 1e-13, -1e-13}) {
        const Angles found = on_line(0.0, 0.0, d, kSize, 0.3);
        CHECK(found.count == 1);
        CHECK(found.angle[0] == 0.3);
        CHECK(found.excess == 0.0);
    }
    for (double d : {0.5, -0.5}) {
        CHECK_WITHIN(std::fabs(on_line(0.0, 0.0, d, kSize, 0.3).excess - 0.5 / kSize), 2e-12);
    }
}

TEST("at_distance finds every rotation that reaches a distance") {
    Random random(34);
    for (int sample = 0; sample < kSamples; ++sample) {
        const Point k = random.direction(), x = random.point(), y = random.point();
        const double angle = random.angle(), far = far_apart(rotated(k, angle, x), y);
        const Angles found = at_distance(k, x, y, far, kSize, 0.0);
        CHECK(found.count >= 2);
        CHECK_WITHIN(found.excess, kRounding);
        CHECK_WITHIN(nearest(found.angle, found.count, angle), 1e-7);
        for (int i = 0; i < found.count; ++i) {
            CHECK_WITHIN(std::fabs(far_apart(rotated(k, found.angle[i], x), y) - far), 1e-12);
        }
    }
}

TEST("at_distance beyond its reach comes as near as it can, above and aside, within and without") {
    const Point up{0.0, 0.0, 1.0}, x = rotated(up, 0.3, {2.0, 0.0, 0.0}),
                                   y = rotated(up, 1.1, {5.0, 0.0, 0.7});
    const Angles high = at_distance(up, x, y, 0.2, kSize, 0.0);
    CHECK_WITHIN(std::fabs(high.excess - 3.0 / kSize), 1e-15);
    CHECK_WITHIN(nearest(high.angle, high.count, 0.8), 1e-15);
    const Angles higher = at_distance(up, y, x, 0.2, kSize, 0.0);
    CHECK_WITHIN(std::fabs(higher.excess - 3.0 / kSize), 1e-15);
    CHECK_WITHIN(nearest(higher.angle, higher.count, -0.8), 1e-15);
    // 0.7 up, and 2 or 8 aside.
    const Angles less = at_distance(up, x, y, std::hypot(2.0, 0.7), kSize, 0.0);
    CHECK(less.count == 1);
    CHECK_WITHIN(std::fabs(less.excess - 1.0 / kSize), 1e-15);
    CHECK_WITHIN(circular(less.angle[0], 0.8), 1e-15);
    const Angles more = at_distance(up, x, y, std::hypot(8.0, 0.7), kSize, 0.0);
    CHECK(more.count == 1);
    CHECK_WITHIN(std::fabs(more.excess - 1.0 / kSize), 1e-15);
    CHECK_WITHIN(circular(more.angle[0], 0.8 + kPi), 1e-15);
    // In the plane of the circle but for the height alone.
    const Angles level = at_distance(up, x, x + up * 0.7, 0.3, kSize, 0.0);
    CHECK_WITHIN(std::fabs(level.excess - 0.4 / kSize), 1e-15);
}

TEST("at_distance of a point on the axis leaves the angle as it is and compares the distances") {
    Random random(35);
    for (int sample = 0; sample < kSamples; ++sample) {
        const Point k = random.direction(), on = k * random.between(-1.0, 1.0), y = random.point();
        const double far = far_apart(on, y), aside = std::sqrt(far * far - std::pow(dot(k, on - y), 2));
        for (bool swapped : {false, true}) {
            const Point &a = swapped ? y : on, &b = swapped ? on : y;
            const Angles found = at_distance(k, a, b, far, kSize, 0.6);
            CHECK(found.count == 1);
            CHECK(found.angle[0] == 0.6);
            CHECK(found.excess == 0.0);
            const double longer = std::sqrt(far * far - aside * aside + std::pow(aside + 0.5, 2));
            CHECK_WITHIN(std::fabs(at_distance(k, a, b, longer, kSize, 0.6).excess - 0.5 / kSize), 2e-12);
        }
    }
}

TEST("at_angle finds every rotation that reaches an angle, wherever the three directions are") {
    Random random(36);
    for (double bend : {0.01, 0.3, 1.5, 2.8, 3.13}) {
        for (int sample = 0; sample < kSamples; ++sample) {
            const Point k1 = random.direction(), k2 = rotated(random.normal_to(k1), bend, k1);
            const Point x = random.point();
            const double angle = random.angle(), turned = random.angle();
            const Point y = rotated(k1, turned, rotated(k2, angle, x));
            const Angles found = at_angle(k1, k2, x, y, 0.0);
            CHECK(found.count >= 2);
            CHECK_WITHIN(found.excess, kRounding);
            CHECK_WITHIN(nearest(found.angle, found.count, angle), 1e-6);
            for (int i = 0; i < found.count; ++i) {
                const double error = dot(k1, rotated(k2, found.angle[i], x)) - dot(k1, y);
                CHECK_WITHIN(std::fabs(error), 1e-13);
            }
        }
    }
}

TEST("at_angle out of reach comes nearest, and does not take that for a solution") {
    const Point up{0.0, 0.0, 1.0}, side{1.0, 0.0, 0.0};
    const Point k2 = rotated(side, 0.5, up),
                x = rotated(k2, 0.8, rotated(side, 0.7, up));  // 0.2 beyond k2, turned
    for (double wanted : {0.0, 0.2, 0.29, 0.71, 1.2, 3.0}) {
        const Point y = rotated(side, wanted, up);
        const Angles found = at_angle(up, k2, x, y, 0.0);
        CHECK(found.count == 1);
        CHECK_WITHIN(circular(found.angle[0], wanted < 0.5 ? kPi - 0.8 : -0.8), 1e-14);
        const double least = std::min(std::fabs(std::cos(0.3) - std::cos(wanted)),
                                      std::fabs(std::sin(0.3) - std::sin(wanted)));
        const double most = std::min(std::fabs(std::cos(0.7) - std::cos(wanted)),
                                     std::fabs(std::sin(0.7) - std::sin(wanted)));
        CHECK(found.excess > 0.5 * (wanted < 0.5 ? least : most));
    }
}

TEST("at_angle without a direction leaves the angle as it is and compares the angles") {
    Random random(37);
    for (int sample = 0; sample < kSamples; ++sample) {
        const Point k1 = random.direction(), k2 = random.direction(k1);
        const Point aside = rotated(random.normal_to(k1), 0.4, k1);
        for (double sign : {1.0, -1.0}) {
            const Angles one_axis = at_angle(k1, k1 * sign, aside * 2.0, rotated(k1, 0.9, aside), 0.6);
            CHECK(one_axis.count == 1);
            CHECK(one_axis.angle[0] == 0.6);
            CHECK(one_axis.excess == 0.0);
            const Angles on_axis = at_angle(k1, k2 * sign, k2, rotated(k1, 0.9, k2), 0.6);
            CHECK(on_axis.angle[0] == 0.6);
            CHECK(on_axis.excess == 0.0);
        }
        const Point more = rotated(random.normal_to(k1), 0.65, k1);
        CHECK_WITHIN(std::fabs(at_angle(k1, k1, aside, more, 0.6).excess - 0.25), 2e-12);
    }
}

TEST("two angles that nearly meet come with the one between, in front and behind") {
    const double bend = 1e-8;
    const Angles front = on_line(0.6, 0.8, std::cos(bend), 1.0, 0.0),
                 behind = on_line(0.6, 0.8, -std::cos(bend), 1.0, 0.0);
    CHECK(front.count == 3 || front.count == 1);
    CHECK_WITHIN(nearest(front.angle, front.count, std::atan2(0.8, 0.6)), 1e-15);
    CHECK_WITHIN(nearest(behind.angle, behind.count, std::atan2(0.8, 0.6) + kPi), 1e-15);
    const Angles gap = mirrored(0.3, 1e-14, 2.0, 0.0), far_gap = mirrored(0.3, 2.0, 1e-14, 0.0);
    CHECK(gap.count == 3 && far_gap.count == 3);
    CHECK(gap.angle[2] == 0.3);
    CHECK_WITHIN(circular(far_gap.angle[2], 0.3 + kPi), 1e-15);
    CHECK_WITHIN(std::fabs(gap.angle[0] + gap.angle[1] - 0.6), 1e-15);
    CHECK_WITHIN(std::fabs(gap.angle[0] - gap.angle[1] - 4.0 * std::sqrt(0.5e-14)), 1e-15);
    CHECK(mirrored(0.3, 1e-12, 2.0, 0.0).count == 2);
}

TEST("at_sphere and equally_long solve their equations for any line") {
    Random random(38);
    for (int sample = 0; sample < kSamples; ++sample) {
        const Point k = random.direction(), x = random.point(), y = random.point();
        const double t = random.between(-1.0, 1.0), far = far_apart(x + k * t, y);
        const Places sphere = at_sphere(k, x, y, far, kSize);
        double least = 1e300;
        for (int i = 0; i < sphere.count; ++i) {
            CHECK_WITHIN(std::fabs(far_apart(x + k * sphere.at[i], y) - far), 1e-12);
            least = std::min(least, std::fabs(sphere.at[i] - t));
        }
        CHECK_WITHIN(least, 1e-7);
        CHECK_WITHIN(sphere.excess, kRounding);
        const Point b = random.point(), c = random.point(), d = random.point();
        const Point p = b * t + random.direction() * length(c + d * t);
        const Places equal = equally_long(p, b, c, d, kSize, 0.0);
        least = 1e300;
        for (int i = 0; i < equal.count; ++i) {
            const double s = equal.at[i];
            CHECK_WITHIN(std::fabs(length(p - b * s) - length(c + d * s)) / std::max(1.0, std::fabs(s)),
                         1e-12);
            least = std::min(least, std::fabs(s - t));
        }
        CHECK_WITHIN(least, 1e-7);
        CHECK_WITHIN(equal.excess, kRounding);
    }
}

TEST("equally_long comes nearest where no place will do, and rounding is no excess") {
    const Point x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0};
    const Places missed =
        equally_long(x * 0.3 + y * 2.0, x, y, zero3<double>(), kSize, 0.0);  // |p - x t| >= 2 > 1
    CHECK(missed.count == 1);
    CHECK_WITHIN(std::fabs(missed.at[0] - 0.3), 1e-15);
    CHECK_WITHIN(std::fabs(missed.excess - 3.0 / (kSize * kSize)), 1e-15);
    const Places near =
        equally_long(y * (kSize + 2e-13), zero3<double>(), x * kSize, zero3<double>(), kSize, 0.4);
    CHECK(near.at[0] == 0.4);
    CHECK(near.excess == 0.0);
    const Places apart = equally_long(y * 3.0, zero3<double>(), x * 2.0, zero3<double>(), kSize, 0.4);
    CHECK_WITHIN(std::fabs(apart.excess - 5.0 / (kSize * kSize)), 2e-12);
    const Places meeting = equally_long(x * 0.3 + y, x, y * (1.0 + 1e-15), zero3<double>(), kSize, 0.0);
    for (int i = 0; i < meeting.count; ++i) CHECK_WITHIN(std::fabs(meeting.at[i] - 0.3), 1e-7);
}

TEST("equally_long keeps the digits of a small place beside a large one, on either side") {
    Random random(39);
    for (int sample = 0; sample < kSamples; ++sample) {
        const Point k = random.direction();
        const double far = random.between(0.3, 0.7) * random.either(), gap = random.between(1e-12, 3e-12);
        const Places found = equally_long(k * far, k, k * (far - gap), zero3<double>(), 1.0, 0.0);
        const double exact = length(k * far) - length(k * (far - gap));
        CHECK(found.count == 2);
        const int near = std::fabs(found.at[0]) < 1e-6 ? 0 : 1;
        CHECK_WITHIN(std::fabs(found.at[near] - (far < 0.0 ? -exact : exact)), 4e-16);
        CHECK_WITHIN(std::fabs(found.at[1 - near] - 2.0 * far), 1e-11);
    }
}
