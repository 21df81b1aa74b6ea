#pragma once

#include "kido/ik/closed_form/screw_chain.hpp"

// Three parallel axes: the angle of a direction across them gives the sum of the three angles, and what remains is a
// triangle.

KIDO_BEGIN

namespace closed_form {

struct PlanarArm {
    Screw joint[3];
    double sign[3];  // of their axes in that of the first
    Point side;      // normal to them
    double size;

    static PlanarArm of(const Screw& a, const Screw& b, const Screw& c, double size) {
        const auto sign = [&](const Screw& x) { return dot(a.axis, x.axis) < 0.0 ? -1.0 : 1.0; };
        return {{a, b, c}, {1.0, sign(b), sign(c)}, normal_to(a.axis), size};
    }

    // The motion of the three that takes each x to back(x); returns whether there is one.
    template <class Back, class Emit>
    bool solve(Back&& back, const double* near, double excess, Emit&& emit) const {
        const Screw *a = joint, *b = a + 1, *c = a + 2;
        const Point& h = a->axis;
        const Point carried = c->point, target = back(carried);
        const double sum = align(h, side, back(carried + side) - target, 1.0, 0.0).angle;
        const Point pivot = a->point + h * dot(h, carried - a->point);
        const Point goal = target - pivot;
        const Angles elbow = at_distance(h, carried - b->point, pivot - b->point, length(cross(h, goal)), size,
                                         near[1] * sign[1]);
        const double worst = max(excess, elbow.excess);
        for (int k = 0; k < elbow.count; ++k) {
            const Point x = b->point + AngleAxis(h, elbow.angle[k]) * (carried - b->point) - pivot;
            const double shoulder = align(h, x, goal, size, near[0]).angle;
            emit(shoulder, elbow.angle[k] * sign[1], (sum - shoulder - elbow.angle[k]) * sign[2], worst);
        }
        return elbow.excess <= kRounding;
    }
};

}  // namespace closed_form

KIDO_END
