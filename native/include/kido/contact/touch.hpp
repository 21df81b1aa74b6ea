#pragma once

#include <cstdint>

#include "kido/contact/manifold_store.hpp"
#include "kido/geometry/contact_manifold.hpp"
#include "kido/geometry/space.hpp"
#include "kido/tree/joint.hpp"

// A manifold while it lasts: where it lives, and how a new finding of the same contact is carried over to it.

KIDO_BEGIN

struct Touch {
    int pair, next;        // the pair of colliders, its next manifold; -1: none
    int color, slot;
    bool full;             // of up to four points
    std::uint32_t part;
    int count;
    std::uint32_t features[kManifoldPoints];
    int overlap = 0;       // steps for which it is still taken for an overlap
};

// Poses of the two bodies, and friction and restitution of the pair.
struct TouchBodies {
    int first, second;
    const double *first_pose, *second_pose;
    double friction, restitution;
    double reach;  // of the smaller shape [m]
    BallRadii<double> balls;  // that the only point follows
};

inline constexpr double kLeastTangent = 0.1;  // of a wish that lies across a normal, below which it gives no direction

// A unit vector across a unit normal, near to `wish` where that is possible.
inline Vec3<double> unit_across(const Vec3<double>& normal, const Vec3<double>& wish) {
    Vec3<double> t = wish - normal * dot(wish, normal);
    double length = geometry::length(t);
    if (length < kLeastTangent) {
        const Vec3<double> axis = std::fabs(normal.x) < 0.7 ? Vec3<double>{1.0, 0.0, 0.0} : Vec3<double>{0.0, 1.0, 0.0};
        t = axis - normal * dot(axis, normal);
        length = geometry::length(t);
    }
    return t * (1.0 / length);
}

// The place of one manifold in a store.
template <class Store>
class TouchWriter {
public:
    using Anchors = typename Store::Anchors;
    using Block = typename Store::Block;
    static constexpr int points = Anchors::points;

    TouchWriter(Store& store, int slot)
        : anchors_(store.anchors_of(slot)), block_(store.block_of(slot)), lane_(Store::lane_of(slot)) {}

    // Writes what was found anew: impulses stay with points of the same features, else with the nearest.
    void write(Touch& touch, const ContactManifold& found, const TouchBodies& bodies, bool fresh) {
        const Mat3<double> first = mat3(bodies.first_pose + 3), second = mat3(bodies.second_pose + 3);
        const Vec3<double> normal = vec3(found.normal);
        const Vec3<double> wish = fresh ? Vec3<double>{1.0, 0.0, 0.0} : first * get(anchors_.tangent);
        Vec3<double> on_first[points] = {}, on_second[points] = {};
        for (int i = 0; i < found.count; ++i) {
            on_first[i] = transposed_times(first, vec3(found.points[i].on_first) - vec3(bodies.first_pose));
            on_second[i] = transposed_times(second, vec3(found.points[i].on_second) - vec3(bodies.second_pose));
        }
        if (fresh || !has_same_features(touch, found)) {
            int from[points] = {};
            match(touch, found, on_first, fresh, bodies.reach, from);
            carry_impulses(found.count, from);
            take_features(touch, found);
        }
        if (fresh) {
            block_.first[lane_] = bodies.first;
            block_.second[lane_] = bodies.second;
            set_lane(anchors_.friction, lane_, bodies.friction);
            set_lane(anchors_.restitution, lane_, bodies.restitution);
            if constexpr (points == 1) {
                set_lane(anchors_.balls.radius_first, lane_, bodies.balls.radius_first);
                set_lane(anchors_.balls.radius_second, lane_, bodies.balls.radius_second);
                set_lane(anchors_.balls.reach_first, lane_, bodies.balls.reach_first);
                set_lane(anchors_.balls.reach_second, lane_, bodies.balls.reach_second);
            }
        }
        put(anchors_.normal, transposed_times(first, normal));
        put(anchors_.tangent, transposed_times(first, unit_across(normal, wish)));
        for (int i = 0; i < found.count; ++i) {
            put(anchors_.on_first[i], on_first[i]);
            put(anchors_.on_second[i], on_second[i]);
        }
    }

    // Moves the manifold's only point, which stays the same one: normal and tangent in the first body, and the point in both.
    void move_point(const Vec3<double>& normal, const Vec3<double>& tangent, const Vec3<double>& on_first,
                    const Vec3<double>& on_second) {
        put(anchors_.normal, normal);
        put(anchors_.tangent, tangent);
        put(anchors_.on_first[0], on_first);
        put(anchors_.on_second[0], on_second);
    }
    Vec3<double> tangent() const { return get(anchors_.tangent); }

private:
    static constexpr double kNear = 0.1;  // of the smaller shape, within which a point is the same

    template <class V>
    Vec3<double> get(const V& v) const {
        return stored_vector(v, lane_);
    }
    template <class V>
    void put(V& v, const Vec3<double>& x) const {
        set_lane(v.x, lane_, x.x);
        set_lane(v.y, lane_, x.y);
        set_lane(v.z, lane_, x.z);
    }
    // Whether the points are those of the last finding, in the same order, told by their features.
    bool has_same_features(const Touch& touch, const ContactManifold& found) const {
        bool same = touch.count == found.count;
        for (int i = 0; same && i < found.count; ++i) {
            const std::uint32_t feature = found.points[i].feature;
            same = touch.features[i] == feature && feature != kNoFeature;
        }
        return same;
    }
    // Points that are not used stand at the centers of mass.
    void take_features(Touch& touch, const ContactManifold& found) const {
        for (int i = 0; i < points; ++i) {
            const bool used = i < found.count;
            set_lane(anchors_.used[i], lane_, used ? 1.0 : 0.0);
            if (used) touch.features[i] = found.points[i].feature;
            if (used) continue;
            put(anchors_.on_first[i], zero3<double>());
            put(anchors_.on_second[i], zero3<double>());
        }
        touch.count = found.count;
    }
    // Which of the old points each new one is, -1: none.
    void match(const Touch& touch, const ContactManifold& found, const Vec3<double>* places, bool fresh, double reach,
               int* from) const {
        bool taken[points] = {};
        const int old = fresh ? 0 : touch.count;
        for (int i = 0; i < found.count; ++i) {
            from[i] = -1;
            for (int j = 0; j < old && from[i] < 0; ++j) {
                if (taken[j] || touch.features[j] != found.points[i].feature || touch.features[j] == kNoFeature) continue;
                from[i] = j;
                taken[j] = true;
            }
        }
        for (int i = 0; i < found.count; ++i) {
            if (from[i] >= 0) continue;
            double nearest = kNear * reach * kNear * reach;
            for (int j = 0; j < old; ++j) {
                const Vec3<double> d = get(anchors_.on_first[j]) - places[i];
                if (taken[j] || dot(d, d) >= nearest) continue;
                nearest = dot(d, d);
                from[i] = j;
            }
            if (from[i] >= 0) taken[from[i]] = true;
        }
    }
    void carry_impulses(int count, const int* from) {
        double old[points][3];
        for (int i = 0; i < points; ++i) {
            old[i][0] = stored_lane(block_.normal_impulse[i], lane_);
            old[i][1] = stored_lane(block_.impulse_1[i], lane_);
            old[i][2] = stored_lane(block_.impulse_2[i], lane_);
        }
        for (int i = 0; i < points; ++i) {
            const bool kept = i < count && from[i] >= 0;
            set_lane(block_.normal_impulse[i], lane_, kept ? old[from[i]][0] : 0.0);
            set_lane(block_.impulse_1[i], lane_, kept ? old[from[i]][1] : 0.0);
            set_lane(block_.impulse_2[i], lane_, kept ? old[from[i]][2] : 0.0);
        }
    }

    Anchors& anchors_;
    Block& block_;
    int lane_;
};

KIDO_END
