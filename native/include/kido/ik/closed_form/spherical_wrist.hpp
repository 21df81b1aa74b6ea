#pragma once

#include "kido/ik/closed_form/prismatic_part.hpp"

// Six joints, the last three of whose axes meet: the first three bring the meeting point to its place, the last three
// turn. Pieper (1968).

KIDO_BEGIN

namespace closed_form {

struct SphericalWrist {
    PositionPart arm;
    Point axis[3];
    Point side;  // normal to the last axis
    PrismaticMethod prismatic = PrismaticMethod::none;  // of the first three; none: all are revolute
    bool mirrored = false;                        // solved from the third joint to the first

    template <class Emit>
    void solve(const Placement& moved, const double* near, bool nearest, Emit&& emit) const {
        solve(moved, near, nearest, [](int, double) { return true; }, emit);
    }

    // Without positions of the first three joints that `admit(joint, position)` refuses.
    template <class Admit, class Emit>
    void solve(const Placement& moved, const double* near, bool nearest, Admit&& admit, Emit&& emit) const {
        const Point place = moved * arm.carried;
        const auto pass = [&](double a, double b, double c, double excess) {
            if (!admit(0, a) || !admit(1, b) || !admit(2, c)) return;
            place_wrist(moved, near, a, b, c, excess, emit);
        };
        if (prismatic == PrismaticMethod::none) {
            solve_position(arm, place, near, nearest, pass);
        } else {
            solve_sliding_arm(place, near, nearest, pass);
        }
    }

private:
    template <class Emit>
    void solve_sliding_arm(const Point& place, const double* near, bool nearest, Emit&& emit) const {
        PositionPart part = mirrored ? mirrored_part(arm, place) : arm;
        part.size = max(arm.size, length(place));
        if (mirrored) {
            const double back[3] = {near[2], near[1], near[0]};
            solve_prismatic(prismatic, part, arm.carried, back, nearest,
                          [&](double c, double b, double a, double excess) { emit(a, b, c, excess); });
        } else {
            solve_prismatic(prismatic, part, place, near, nearest, emit);
        }
    }

    template <class Emit>
    void place_wrist(const Placement& moved, const double* near, double a, double b, double c, double excess,
                    Emit&& emit) const {
        const AngleAxis first = arm.joint[0].rotation(a), second = arm.joint[1].rotation(b), third = arm.joint[2].rotation(c);
        const auto rest = [&](const Point& x) { return third.back(second.back(first.back(moved.R * x))); };
        const Point last = rest(axis[2]), beside = rest(side);
        const Angles bend = at_angle(axis[0], axis[1], axis[2], last, near[4]);
        for (int k = 0; k < bend.count; ++k) {
            const AngleAxis fifth(axis[1], bend.angle[k]);
            const double q4 = align(axis[0], fifth * axis[2], last, 1.0, near[3]).angle;
            const double q6 = align(axis[2], side, fifth.back(AngleAxis(axis[0], q4).back(beside)), 1.0, near[5]).angle;
            const double q[6] = {a, b, c, q4, bend.angle[k], q6};
            emit(q, max(excess, bend.excess));
        }
    }
};

}  // namespace closed_form

KIDO_END
