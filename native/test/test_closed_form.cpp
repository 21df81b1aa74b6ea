#include <algorithm>
#include <initializer_list>

#include "check.hpp"
#include "kido/ik/closed_form/parallel_axes.hpp"
#include "kido/ik/closed_form/spherical_wrist.hpp"

using namespace kido;
using namespace kido::closed_form;

namespace {

constexpr double kPi = 3.14159265358979323846;

double circular(double a, double b) { return std::fabs(std::remainder(a - b, 2.0 * kPi)); }

double nearest(const double* angles, int count, double wanted) {
    double least = 10.0;
    for (int k = 0; k < count; ++k) least = std::min(least, circular(angles[k], wanted));
    return least;
}

Point rotated(const Point& k, double angle, const Point& x) {
    return x * std::cos(angle) + cross(k, x) * std::sin(angle) + k * (dot(k, x) * (1.0 - std::cos(angle)));
}

const Point kOne = unit({1.0, 2.0, -0.5}), kTwo = unit({-0.3, 1.0, 0.7});
const Point kX{0.4, -0.2, 0.9}, kY{0.1, 0.8, -0.3};

}  // namespace

TEST("align gives the rotation that was made") {
    for (double angle : {-3.0, -1e-9, 0.0, 0.7, 3.1}) {
        const OneAngle found = align(kOne, kX, rotated(kOne, angle, kX), 1.0, 5.0);
        CHECK(!found.free);
        CHECK_WITHIN(circular(found.angle, angle), 1e-15);
    }
}

TEST("a point on the axis leaves the angle free") {
    const OneAngle found = align(kOne, kOne * 0.3, kX, 1.0, 0.25);
    CHECK(found.free);
    CHECK(found.angle == 0.25);
}

TEST("at_distance finds both rotations, and the touching one once") {
    const double angle = 0.8;
    const double far = length(rotated(kOne, angle, kX) - kY);
    const Angles found = at_distance(kOne, kX, kY, far, 1.0, 0.0);
    CHECK(found.count == 2);
    CHECK(found.excess == 0.0);
    CHECK_WITHIN(nearest(found.angle, found.count, angle), 1e-13);
    for (int k = 0; k < 2; ++k) CHECK_WITHIN(std::fabs(length(rotated(kOne, found.angle[k], kX) - kY) - far), 1e-15);
    const double toward = align(kOne, kX, kY, 1.0, 0.0).angle;
    const double least = length(rotated(kOne, toward, kX) - kY);
    const Angles touching = at_distance(kOne, kX, kY, least, 1.0, 0.0);
    CHECK_WITHIN(touching.excess, 1e-14);
    CHECK_WITHIN(nearest(touching.angle, touching.count, toward), 1e-7);
}

TEST("at_distance says by how much a distance is out of reach") {
    const Angles near = at_distance({0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, 1.5, 1.0, 0.0);
    CHECK(near.count == 1);
    CHECK_WITHIN(std::fabs(near.excess - 0.5), 1e-15);
    CHECK_WITHIN(circular(near.angle[0], 0.0), 0.0);
    const Angles far = at_distance({0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, 4.25, 1.0, 0.0);
    CHECK_WITHIN(std::fabs(far.excess - 0.25), 1e-15);
    CHECK_WITHIN(circular(far.angle[0], kPi), 1e-15);
}

TEST("on_line finds both angles") {
    const double a = 0.3, b = -0.8, angle = 2.2;
    const Angles found = on_line(a, b, a * std::cos(angle) + b * std::sin(angle), 1.0, 0.0);
    CHECK(found.count == 2);
    CHECK_WITHIN(nearest(found.angle, found.count, angle), 1e-14);
}

TEST("at_angle keeps the digits of an angle where two directions nearly meet") {
    for (double bend : {1.0, 1e-3, 1e-6, 1e-9, 1e-12}) {
        const Point up{0.0, 0.0, 1.0}, side{1.0, 0.0, 0.0};
        const Point goal = rotated(up, 0.4, rotated(side, bend, up));
        const Angles found = at_angle(up, side, up, goal, 0.0);
        CHECK_WITHIN(nearest(found.angle, found.count, bend) / bend, 1e-14);
        CHECK_WITHIN(nearest(found.angle, found.count, -bend) / bend, 1e-14);
    }
}

TEST("at_angle finds the second of two rotations") {
    const double angle = -1.3;
    const Point goal = rotated(kOne, 0.6, rotated(kTwo, angle, kX));
    const Angles found = at_angle(kOne, kTwo, kX, goal, 0.0);
    CHECK(found.count == 2);
    CHECK_WITHIN(nearest(found.angle, found.count, angle), 1e-14);
    for (int k = 0; k < 2; ++k) {
        CHECK_WITHIN(std::fabs(dot(kOne, rotated(kTwo, found.angle[k], kX)) - dot(kOne, goal)), 1e-15);
    }
}

TEST("roots on the circle are those of the factors") {
    for (double second : {0.9, 2.0, -2.9}) {
        const double first = -0.4;
        // sin((x - a) / 2) sin((x - b) / 2) twice, for four roots
        const double a[3] = {std::cos(0.5 * (first - second)), -std::cos(0.5 * (first + second)),
                             -std::sin(0.5 * (first + second))};
        const double b[3] = {std::cos(0.5 * (1.5 - 3.0)), -std::cos(0.5 * 4.5), -std::sin(0.5 * 4.5)};
        double angles[4];
        const int count = roots_on_circle(product(a, b), false, angles);
        CHECK(count == 4);
        for (double root : {first, second, 1.5, 3.0}) CHECK_WITHIN(nearest(angles, count, root), 1e-13);
    }
}

TEST("a function that only touches zero has a root there, and one that does not has none but the nearest") {
    const double touch[3] = {1.0, -std::cos(0.7), -std::sin(0.7)}, positive[3] = {2.0, 1.0, 0.0};
    double angles[4];
    int count = roots_on_circle(product(touch, positive), false, angles);
    CHECK(count == 1 || count == 2);
    for (int k = 0; k < count; ++k) CHECK_WITHIN(circular(angles[k], 0.7), 1e-6);
    const double above[3] = {1.01, -std::cos(0.7), -std::sin(0.7)};
    CHECK(roots_on_circle(product(above, positive), false, angles) == 0);
    count = roots_on_circle(product(above, positive), true, angles);
    CHECK_WITHIN(nearest(angles, count, 0.7), 2e-2);
}

TEST("a chain with a held joint moves as the whole chain, and reversed as its inverse") {
    ScrewChain chain;
    chain.count = 3;
    chain.joint[0] = {kOne, {0.1, 0.2, 0.3}};
    chain.joint[1] = {kTwo, {-0.4, 0.0, 0.2}};
    chain.joint[2] = {unit({0.0, 0.3, 1.0}), {0.5, 0.5, 0.0}};
    chain.tool = {identity3<double>(), {1.0, 0.0, 0.5}};
    const double q[3] = {0.3, -1.2, 2.0}, rest[2] = {0.3, 2.0}, back[3] = {2.0, -1.2, 0.3};
    const Placement whole = chain.forward(q), held = chain.held(1, -1.2).forward(rest);
    CHECK_WITHIN(length(whole.p - held.p), 1e-15);
    CHECK_WITHIN(length(whole.R.y - held.R.y), 1e-15);
    ScrewChain other = chain.reversed();
    other.tool = {identity3<double>(), zero3<double>()};
    const Placement inverse_motion = other.forward(back), motion = whole * inverse(chain.tool);
    CHECK_WITHIN(length(motion * inverse_motion.p), 1e-15);
}
