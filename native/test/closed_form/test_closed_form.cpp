#include <initializer_list>

#include "check.hpp"
#include "closed_form_arms.hpp"
#include "kido/ik/closed_form/orientation_first.hpp"
#include "kido/ik/closed_form/parallel_axes.hpp"
#include "kido/ik/closed_form/parallel_revolute.hpp"
#include "kido/ik/closed_form/spherical_wrist.hpp"

using namespace kido;
using namespace kido::closed_form;
using namespace arms;

namespace {

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

TEST("at_sphere finds both places, the touching one, and by how much a line misses") {
    const Places two = at_sphere(kOne, kX, kX + kOne * 0.7 + kTwo, 1.0, 1.0);
    CHECK(two.count == 2);
    for (int k = 0; k < 2; ++k) CHECK_WITHIN(std::fabs(length(kOne * (two.at[k] - 0.7) - kTwo) - 1.0), 1e-15);
    CHECK(two.at[0] > two.at[1]);
    const Point aside = normal_to(kOne) * 0.5;
    const Places touching = at_sphere(kOne, kX, kX + kOne * 0.7 + aside, 0.5, 1.0);
    CHECK_WITHIN(touching.excess, kRounding);
    CHECK_WITHIN(std::fabs(touching.at[touching.count - 1] - 0.7), 1e-15);
    const Places missing = at_sphere(kOne, kX, kX + kOne * 0.7 + aside, 0.25, 1.0);
    CHECK(missing.count == 1);
    CHECK_WITHIN(std::fabs(missing.excess - 0.25), 1e-15);
    CHECK_WITHIN(std::fabs(missing.at[0] - 0.7), 1e-15);
}

TEST("equally_long finds the places of a quadratic and of a linear equation, and leaves every place as it is") {
    for (double slow : {0.5, 1.0 - 1e-6, 1.0}) {
        const Places found = equally_long(kY, kOne, kX, kTwo * slow, 1.0, 3.0);
        CHECK(found.count == (slow == 1.0 ? 1 : 2));
        for (int k = 0; k < found.count; ++k) {
            const double t = found.at[k], longest = std::max(1.0, std::fabs(t));
            const double gap = length(kY - kOne * t) - length(kX + kTwo * (slow * t));
            CHECK_WITHIN(std::fabs(gap) / longest, 1e-14);
        }
    }
    const Places every = equally_long(kX, zero3<double>(), kX, zero3<double>(), 1.0, 3.0);
    CHECK(every.count == 1);
    CHECK(every.at[0] == 3.0);
    CHECK(every.excess == 0.0);
    const Places none = equally_long(kX * 2.0, zero3<double>(), kX, zero3<double>(), 1.0, 3.0);
    CHECK(none.excess > 1.0);
}

TEST("roots on a line are those of the factors, touching ones included") {
    double roots[4];
    const double apart[5] = {24.0, -50.0, 35.0, -10.0, 1.0};  // 1, 2, 3, 4
    CHECK(roots_on_line(apart, false, roots) == 4);
    for (int k = 0; k < 4; ++k) CHECK_WITHIN(std::fabs(roots[k] - (k + 1.0)), 1e-13);
    const double touching[5] = {1.0, -2.0, 2.0, -2.0, 1.0};  // (t - 1)^2 (t^2 + 1)
    const int count = roots_on_line(touching, false, roots);
    CHECK(count >= 1);
    for (int k = 0; k < count; ++k) CHECK_WITHIN(std::fabs(roots[k] - 1.0), 1e-7);
    const double at_zero[5] = {1e-17, 0.0, 1.0, -1.0, 0.5};
    CHECK(roots_on_line(at_zero, false, roots) == 1);
    CHECK_WITHIN(std::fabs(roots[0]), 1e-15);
    const double above[5] = {1.1, -2.0, 2.0, -2.0, 1.0};
    CHECK(roots_on_line(above, false, roots) == 0);
    CHECK(roots_on_line(above, true, roots) == 1);
    CHECK_WITHIN(std::fabs(roots[0] - 1.0), 1e-13);
}

TEST("slides add up to a way, and one that others make up for keeps its length") {
    PrismaticJoints slides;
    slides.count = 3;
    slides.direction[0] = kOne;
    slides.direction[1] = kTwo;
    slides.direction[2] = unit(cross(kOne, kTwo));
    const double start[3] = {0.1, 0.2, 0.3};
    double q[3];
    CHECK_WITHIN(slides.solve(kX, start, q), 1e-15);
    CHECK_WITHIN(length(kOne * q[0] + kTwo * q[1] + slides.direction[2] * q[2] - kX), 1e-15);
    slides.direction[2] = unit(kOne + kTwo);
    const Point reachable = kOne * 0.5 - kTwo * 0.4;
    CHECK_WITHIN(slides.solve(reachable, start, q), 1e-15);
    CHECK_WITHIN(length(kOne * q[0] + kTwo * q[1] + slides.direction[2] * q[2] - reachable), 1e-15);
    CHECK((q[0] == start[0]) + (q[1] == start[1]) + (q[2] == start[2]) == 1);
    CHECK_WITHIN(std::fabs(slides.solve(reachable + unit(cross(kOne, kTwo)) * 0.25, start, q) - 0.25), 1e-15);
}

TEST("a chain with a locked joint moves as the whole chain, and reversed as its inverse") {
    ScrewChain chain;
    chain.count = 3;
    chain.joint[0] = {kOne, {0.1, 0.2, 0.3}};
    chain.joint[1] = {kTwo, {-0.4, 0.0, 0.2}};
    chain.joint[2] = {unit({0.0, 0.3, 1.0}), {0.5, 0.5, 0.0}};
    chain.tool = {identity3<double>(), {1.0, 0.0, 0.5}};
    const double q[3] = {0.3, -1.2, 2.0}, rest[2] = {0.3, 2.0}, back[3] = {2.0, -1.2, 0.3};
    const Placement whole = chain.forward(q), locked = chain.locked(1, -1.2).forward(rest);
    CHECK_WITHIN(length(whole.p - locked.p), 1e-15);
    CHECK_WITHIN(length(whole.R.y - locked.R.y), 1e-15);
    ScrewChain other = chain.reversed();
    other.tool = {identity3<double>(), zero3<double>()};
    const Placement inverse_motion = other.forward(back), motion = whole * inverse(chain.tool);
    CHECK_WITHIN(length(motion * inverse_motion.p), 1e-15);
}

TEST("a joint that slides moves what follows along its axis, forth and back") {
    ScrewChain chain;
    chain.count = 3;
    chain.joint[0] = {kOne, {0.1, 0.2, 0.3}};
    chain.joint[1] = {kTwo, {5.0, 5.0, 5.0}, true};
    chain.joint[2] = {unit({0.0, 0.3, 1.0}), {0.5, 0.5, 0.0}};
    chain.tool = {identity3<double>(), {1.0, 0.0, 0.5}};
    const double q[3] = {0.3, -1.2, 2.0}, stays[3] = {0.3, 0.0, 2.0}, rest[2] = {0.3, 2.0}, back[3] = {2.0, -1.2, 0.3};
    const Point moved = chain.forward(q).p - chain.forward(stays).p;
    CHECK_WITHIN(length(moved - rotated(kOne, 0.3, kTwo) * -1.2), 1e-15);
    CHECK_WITHIN(length(chain.locked(1, -1.2).forward(rest).p - chain.forward(q).p), 1e-15);
    ScrewChain other = chain.reversed();
    other.tool = {identity3<double>(), zero3<double>()};
    CHECK_WITHIN(length(chain.forward(q) * inverse(chain.tool) * other.forward(back).p), 1e-15);
}
