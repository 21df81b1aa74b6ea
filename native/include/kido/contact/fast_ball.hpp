#pragma once

#include <algorithm>
#include <cmath>

#include "kido/geometry/contact_manifold.hpp"
#include "kido/tree/joint.hpp"

// A ball that moves farther in a step than it is large. It has contacts as far off as it may come, for it would pass into what it hits;
// those beyond the usual distance only where it gets to, so that nothing beside its path turns it away.

KIDO_BEGIN

// Whether two balls meet within a step: `between` their centers [m], velocity relative to each other [m/s], and the sum of their radii [m].
inline bool meet_in_flight(const Vec3<double>& between, const Vec3<double>& velocity, double radii, double step) {
    const double square = dot(between, between) - radii * radii, closing = -dot(between, velocity);
    const double under = closing * closing - dot(velocity, velocity) * square;
    return square > 0.0 && closing > 0.0 && under > 0.0 && square <= (closing + std::sqrt(under)) * step;
}

class FastBall {
public:
    // `pose`: of the ball; `near`: the usual distance [m]; `second`: whether it is the second of the pair.
    FastBall(const double* pose, bool second, double near, double step) : near_(near), step_(step), second_(second) {
        std::copy_n(pose, 12, pose_);
    }
    // Takes those of `count` manifolds out that the ball misses. `velocity(manifold)`: of the ball's middle relative to the other body
    // where that is touched; `touches(pose)`: whether at a pose the ball is near the other body. Returns how many are left.
    template <class Velocity, class Touches>
    int take_out_missed(ContactManifold* found, int count, const Velocity& velocity, const Touches& touches) const {
        int left = 0;
        for (int i = 0; i < count; ++i) {
            if (found[i].count == 1 && found[i].points[0].gap > near_ && misses(found[i], velocity(found[i]), touches)) continue;
            if (left != i) found[left] = found[i];
            ++left;
        }
        return left;
    }

private:
    template <class Touches>
    bool misses(const ContactManifold& m, const Vec3<double>& velocity, const Touches& touches) const {
        const double gap = m.points[0].gap, approach = dot(vec3(m.normal), velocity) * (second_ ? 1.0 : -1.0);
        if (approach * step_ < gap) return true;
        double moved[12];
        std::copy_n(pose_, 12, moved);
        write3(moved, vec3(pose_) + velocity * (gap / approach));
        return !touches(moved);
    }

    double pose_[12], near_, step_;
    bool second_;
};

KIDO_END
