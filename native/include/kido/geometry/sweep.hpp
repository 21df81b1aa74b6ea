#pragma once

#include "kido/geometry/distance.hpp"
#include "kido/spatial/so3.hpp"

// When two moving shapes meet first, by conservative advancement: over a time in which nothing can move farther than the shapes are
// apart, they cannot meet. Mirtich, "Impulse-based dynamic simulation of rigid body systems" (1996), section 2.3; the bound along the
// normal is that of Zhang, Lee and Kim, "Interactive continuous collision detection for non-convex polyhedra" (2006).

KIDO_BEGIN

namespace geometry {

// A motion from one pose to another: the origin along a line, the axes about one axis, both at constant speeds.
class PoseSweep {
public:
    PoseSweep(const double* start, const double* end) : start_(read_pose(start)) {
        const Pose last = read_pose(end);
        velocity_ = last.p - start_.p;
        turn_ = so3_log(last.R * transpose(start_.R));
    }

    const Vector& velocity() const { return velocity_; }
    double spin() const { return length(turn_); }
    void at(double time, double* pose) const {
        const Axes R = so3_exp(turn_ * time) * start_.R;
        store(start_.p + velocity_ * time, pose);
        store(R.x, pose + 3);
        store(R.y, pose + 6);
        store(R.z, pose + 9);
    }

private:
    Pose start_;
    Vector velocity_, turn_;
};

inline constexpr int kMostAdvances = 1000;

// Returns 1 where the shapes come within `tolerance` [m] of each other, 0 where they do not, or an error of contact_manifold.hpp.
inline int sweep(const CollisionShape& a, const double* start_a, const double* end_a, const CollisionShape& b, const double* start_b,
                 const double* end_b, double tolerance, SweepHit& out) {
    const PoseSweep first(start_a, end_a), second(start_b, end_b);
    // A plane that turns has no bound: its speed grows with the distance from its origin.
    const auto turning = [](const PoseSweep& motion, const CollisionShape& shape) {
        return motion.spin() == 0.0 ? 0.0 : motion.spin() * shape.radius;
    };
    const double rate = turning(first, a) + turning(second, b);
    if (!(rate < 1e300)) return kUnsupportedPair;
    const Vector approach = second.velocity() - first.velocity();
    // Of shapes that are not convex, parts may come from other sides than the nearest ones do.
    const bool convex = is_convex(a.kind) && is_convex(b.kind);
    double time = 0.0;
    for (int k = 0; k < kMostAdvances; ++k) {
        double pose_a[12], pose_b[12];
        first.at(time, pose_a);
        second.at(time, pose_b);
        const int error = distance(a, pose_a, b, pose_b, out.at_hit);
        if (error < 0) return error;
        out.time = time;
        if (out.at_hit.distance <= tolerance) return 1;
        if (time >= 1.0) return 0;
        const double speed = (convex ? max(dot(approach, vector(out.at_hit.normal)), 0.0) : length(approach)) + rate;
        if (speed * (1.0 - time) <= out.at_hit.distance - 0.5 * tolerance) return 0;
        // Up to half of the tolerance: else steps would shrink without end.
        time = min(1.0, time + (out.at_hit.distance - 0.5 * tolerance) / speed);
    }
    return 1;
}

}  // namespace geometry

KIDO_END
