#pragma once

#include "kido/ik/closed_form/position_part.hpp"

// Six joints, the last three of whose axes meet: the first three bring the meeting point to its place, the last three
// turn. Pieper (1968).

KIDO_BEGIN

namespace closed_form {

struct SphericalWrist {
    PositionPart arm;
    Point axis[3];
    Point side;  // normal to the last axis

    template <class Emit>
    void solve(const Placement& moved, const double* near, bool nearest, Emit&& emit) const {
        const Point place = moved * arm.carried;
        solve_position(arm, place, near, nearest, [&](double a, double b, double c, double excess) {
            const Turn first(arm.joint[0].axis, a), second(arm.joint[1].axis, b), third(arm.joint[2].axis, c);
            const auto rest = [&](const Point& x) { return third.back(second.back(first.back(moved.R * x))); };
            const Point last = rest(axis[2]), beside = rest(side);
            const Angles bend = at_angle(axis[0], axis[1], axis[2], last, near[4]);
            for (int k = 0; k < bend.count; ++k) {
                const Turn fifth(axis[1], bend.angle[k]);
                const double q4 = align(axis[0], fifth * axis[2], last, 1.0, near[3]).angle;
                const double q6 = align(axis[2], side, fifth.back(Turn(axis[0], q4).back(beside)), 1.0, near[5]).angle;
                const double q[6] = {a, b, c, q4, bend.angle[k], q6};
                emit(q, max(excess, bend.excess));
            }
        });
    }
};

}  // namespace closed_form

KIDO_END
