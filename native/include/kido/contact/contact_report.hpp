#pragma once

#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/impact.hpp"
#include "kido/contact/manifold_response.hpp"

// The contacts of a world, as they are told to the outside.

KIDO_BEGIN

// One manifold out of a bundle.
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

// Forces of points beside those of their manifolds' impulses, in the frames of these.
class ExtraForces {
public:
    // Of the impacts in a step [s], means over it.
    ExtraForces(const std::vector<ImpactImpulses>& impacts, double step, std::size_t touches) {
        if (!impacts.empty()) places_.assign(touches, -1);
        for (const ImpactImpulses& impact : impacts) {
            int& place = places_[impact.touch];
            if (place < 0) {
                place = static_cast<int>(forces_.size());
                forces_.push_back({});
            }
            impact.add(forces_[place].of_points, 1.0 / step);
        }
    }
    // Of a point of a touch; nullptr: none.
    const double* of(int touch, int point) const {
        return places_.empty() || places_[touch] < 0 ? nullptr : forces_[places_[touch]].of_points[point];
    }
    bool empty() const { return forces_.empty(); }

private:
    struct Forces {
        double of_points[4][3];
    };
    std::vector<int> places_;
    std::vector<Forces> forces_;
};

// Writes the points of a store's manifolds at some poses, a bundle at a time; those of a touch stand from `places` of it on, -1: nowhere.
class StoreReport {
public:
    StoreReport(const PoseRow* poses, const std::vector<Touch>& touches, const std::vector<int>& places, WorldContact* out)
        : poses_(poses), touches_(touches), places_(places), out_(out) {}
    // per_second: 1 / time in which the impulses that count were given [1/s].
    template <class Store>
    void write(Store& store, double per_second, ReportedImpulses counted, const ExtraForces& extra) const {
        for (int bundle = 0; bundle < static_cast<int>(store.bundles()); ++bundle) write_bundle(store, bundle, per_second, counted, extra);
    }

private:
    template <class Store>
    KIDO_NOINLINE void write_bundle(Store& store, int bundle, double per_second, ReportedImpulses counted,
                                    const ExtraForces& extra) const {
        using L = typename Store::Number;
        constexpr int points = Store::Anchors::points, width = Store::width;
        const int first_slot = bundle * width;
        const auto& block = store.block_of(first_slot);
        const BodyPose<L> first = load_pose<L>(poses_, block.first), second = load_pose<L>(poses_, block.second);
        ManifoldBlock<L, points> m;
        place_manifold(store.anchors_of(first_slot), first, second, m);
        const Vec3<L> center = first.center + m.arm_first, across = cross(m.normal, m.tangent);
        Vec3<L> point[points], force[points];
        for (int p = 0; p < points; ++p) {
            point[p] = center + m.tangent * m.at_1[p] + across * m.at_2[p];
            Vec3<L> impulse = counted == ReportedImpulses::kept ? zero3<L>() : store.impulses(bundle, p);
            if (counted != ReportedImpulses::last) impulse += store.summed_impulses(bundle, p);
            Vec3<L> more = zero3<L>();
            for (int lane = 0; !extra.empty() && lane < width && first_slot + lane < store.size(); ++lane) {
                const double* forces = extra.of(store.owner(first_slot + lane), p);
                if (forces) set_lanes(more, lane, forces);
            }
            const Vec3<L> own = impulse * L(per_second) + more;
            force[p] = m.normal * own.x + m.tangent * own.y + across * own.z;
        }
        for (int lane = 0; lane < width && first_slot + lane < store.size(); ++lane) {
            const int t = store.owner(first_slot + lane);
            if (places_[t] < 0) continue;
            WorldContact* to = out_ + places_[t];
            for (int p = 0; p < touches_[t].count; ++p, ++to) {
                write3(to->point, stored_vector(point[p], lane));
                write3(to->normal, stored_vector(m.normal, lane));
                write3(to->force, stored_vector(force[p], lane));
                to->depth = -stored_lane(m.gap[p], lane);
            }
        }
    }
    template <class L>
    static void set_lanes(Vec3<L>& v, int lane, const double* numbers) {
        set_lane(v.x, lane, numbers[0]);
        set_lane(v.y, lane, numbers[1]);
        set_lane(v.z, lane, numbers[2]);
    }

    const PoseRow* poses_;
    const std::vector<Touch>& touches_;
    const std::vector<int>& places_;
    WorldContact* out_;
};

KIDO_END
