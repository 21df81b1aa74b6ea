#pragma once

#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/manifold_response.hpp"

// The contacts of a world, as they are told to the outside.

KIDO_BEGIN

// One manifold out of a bundle.
template <int Points, class L>
ManifoldAnchors<double, Points> lane_of(const ManifoldAnchors<L, Points>& from, int lane) {
    ManifoldAnchors<double, Points> to;
    const L* a = reinterpret_cast<const L*>(&from);
    double* b = reinterpret_cast<double*>(&to);
    for (std::size_t i = 0; i < sizeof to / sizeof(double); ++i) b[i] = stored_lane(a[i], lane);
    return to;
}

template <int Points, class L>
ManifoldBlock<double, Points> block_lane(const ManifoldBlock<L, Points>& from, int lane) {
    ManifoldBlock<double, Points> to;
    to.first[0] = from.first[lane];
    to.second[0] = from.second[lane];
    // Numbers in lanes throughout, behind the bodies.
    const L* a = from.normal_impulse;
    double* b = to.normal_impulse;
    const char *begin = reinterpret_cast<const char*>(b), *end = reinterpret_cast<const char*>(&to + 1);
    const std::size_t count = static_cast<std::size_t>(end - begin) / sizeof(double);
    for (std::size_t i = 0; i < count; ++i) b[i] = stored_lane(a[i], lane);
    return to;
}

inline SurfaceBlock block_lane(const SurfaceBlock& from, int) { return from; }

// Which impulses of a manifold count: those of the last sub-step, those of the step, or what was summed of the step in which it
// fell asleep.
enum class ReportedImpulses { last, step, kept };

// The points of a manifold, at some poses; `per_step`: 1 / length of a sub-step, or of the step [1/s]; `extra`: forces beside these, of each point, in the manifold's frame.
template <class Store>
void report(Store& store, const PoseRow* poses, double per_step, ReportedImpulses counted, const double (&extra)[4][3], const ContactPair& pair,
            const Touch& touch, std::vector<WorldContact>& out) {
    constexpr int points = Store::Anchors::points;
    const int lane = store.lane_of(touch.slot);
    const auto& block = store.block_of(touch.slot);
    ManifoldBlock<double, points> m;
    place_manifold(lane_of(store.anchors_of(touch.slot), lane), load_pose<double>(poses, &block.first[lane]),
                   load_pose<double>(poses, &block.second[lane]), m);
    const double* first_center = poses[block.first[lane]].v;
    const Vec3<double> center = vec3(first_center) + m.arm_first, across = cross(m.normal, m.tangent);
    for (int p = 0; p < touch.count; ++p) {
        WorldContact c = {pair.first, pair.second, {}, {}, {}, -m.gap[p]};
        write3(c.point, center + m.tangent * m.at_1[p] + across * m.at_2[p]);
        write3(c.normal, m.normal);
        Vec3<double> impulse = counted == ReportedImpulses::kept ? zero3<double>() : store.impulse(touch.slot, p);
        if (counted != ReportedImpulses::last) impulse += store.impulse_sum(touch.slot, p);
        const Vec3<double> force = impulse * per_step + vec3(extra[p]);
        write3(c.force, m.normal * force.x + m.tangent * force.y + across * force.z);
        out.push_back(c);
    }
}

KIDO_END
