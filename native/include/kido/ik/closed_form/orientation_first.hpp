#pragma once

#include <utility>

#include "kido/ik/closed_form/screw_chain.hpp"

// Up to three revolute joints, no two neighbours of them about parallel axes, and up to three prismatic ones, in any
// order: the orientation gives the angles wherever the axes lie, and then the lengths are linear equations. Gantries,
// and arms of which only the angles matter.

KIDO_BEGIN

namespace closed_form {

// Lengths along up to three directions that add up to a displacement; those that the others compensate keep their start.
// Columns are taken by what they add (Gram-Schmidt with pivots).
struct PrismaticJoints {
    static constexpr double kDependent = 1e-9;

    Point direction[3];
    int count = 0;

    // Returns the length of the remaining displacement.
    double solve(Point displacement, const double* start, double* lengths) const {
        Point column[3];
        double basis[3][3] = {}, part[3] = {};
        int order[3] = {0, 1, 2}, rank = 0;
        for (int k = 0; k < count; ++k) {
            lengths[k] = start[k];
            displacement -= direction[k] * start[k];
            column[k] = direction[k];
        }
        for (; rank < count; ++rank) {
            for (int k = rank + 1; k < count; ++k) {
                if (dot(column[order[k]], column[order[k]]) > dot(column[order[rank]], column[order[rank]])) {
                    std::swap(order[k], order[rank]);
                }
            }
            const double size = length(column[order[rank]]);
            if (size <= kDependent) break;
            const Point e = column[order[rank]] * (1.0 / size);
            for (int k = 0; k < count; ++k) {
                basis[rank][k] = dot(e, direction[k]);
                column[k] -= e * dot(e, column[k]);
            }
            part[rank] = dot(e, displacement);
            displacement -= e * part[rank];
        }
        double change[3] = {};
        for (int i = rank - 1; i >= 0; --i) {
            double left = part[i];
            for (int j = i + 1; j < rank; ++j) left -= basis[i][order[j]] * change[order[j]];
            change[order[i]] = left / basis[i][order[i]];
            lengths[order[i]] += change[order[i]];
        }
        return length(displacement);
    }
};

struct OrientationFirst {
    Screw joint[6];
    int count, num_revolute;
    int revolute[3];  // revolute joints
    Point side;   // normal to the last axis
    double size;

    template <class Emit>
    void solve(const Placement& moved, const double* near, bool, Emit&& emit) const {
        const auto pass = [&](double a, double b, double c, double excess) {
            const double angles[3] = {a, b, c};
            place_prismatic(moved, near, angles, excess, emit);
        };
        switch (num_revolute) {
            case 0: return pass(0.0, 0.0, 0.0, length(unskew(moved.R)));
            case 1: return turn_one(moved, near, pass);
            case 2: return turn_two(moved, near, pass);
            default: return turn_three(moved, near, pass);
        }
    }

private:
    const Point& axis(int k) const { return joint[revolute[k]].axis; }

    template <class Emit>
    void turn_one(const Placement& moved, const double* near, Emit&& emit) const {
        const double excess = length(moved.R * axis(0) - axis(0));
        emit(align(axis(0), side, moved.R * side, 1.0, near[revolute[0]]).angle, 0.0, 0.0, excess);
    }

    template <class Emit>
    void turn_two(const Placement& moved, const double* near, Emit&& emit) const {
        const Point last = moved.R * axis(1);
        const double excess = abs(dot(axis(0), last) - dot(axis(0), axis(1)));
        const AngleAxis first(axis(0), align(axis(0), axis(1), last, 1.0, near[revolute[0]]).angle);
        const double second = align(axis(1), side, first.back(moved.R * side), 1.0, near[revolute[1]]).angle;
        emit(atan2(first.sin, first.cos), second, 0.0, excess);
    }

    template <class Emit>
    void turn_three(const Placement& moved, const double* near, Emit&& emit) const {
        const Point last = moved.R * axis(2), beside = moved.R * side;
        const Angles bend = at_angle(axis(0), axis(1), axis(2), last, near[revolute[1]]);
        for (int k = 0; k < bend.count; ++k) {
            const AngleAxis second(axis(1), bend.angle[k]);
            const double a = align(axis(0), second * axis(2), last, 1.0, near[revolute[0]]).angle;
            const Point to = second.back(AngleAxis(axis(0), a).back(beside));
            emit(a, bend.angle[k], align(axis(2), side, to, 1.0, near[revolute[2]]).angle, bend.excess);
        }
    }

    // With the angles known, where the tool is at zero lengths, and the direction in which each length moves it.
    template <class Emit>
    void place_prismatic(const Placement& moved, const double* near, const double* angles, double excess, Emit&& emit) const {
        PrismaticJoints prismatic;
        Placement at = {identity3<double>(), zero3<double>()};
        double q[6], start[3] = {}, lengths[3] = {};
        int seen = 0;
        for (int k = 0; k < count; ++k) {
            if (joint[k].is_prismatic) {
                start[prismatic.count] = near[k];
                prismatic.direction[prismatic.count++] = at.R * joint[k].axis;
            } else {
                q[k] = angles[seen++];
                at = at * joint[k].moved(q[k]);
            }
        }
        const double left = prismatic.solve(moved.p - at.p, start, lengths);
        for (int k = 0, next = 0; k < count; ++k) {
            if (joint[k].is_prismatic) q[k] = lengths[next++];
        }
        emit(q, max(excess, left / max(size, length(moved.p))));
    }
};

}  // namespace closed_form

KIDO_END
