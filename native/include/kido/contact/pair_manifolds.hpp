#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "kido/contact/ball_contact.hpp"
#include "kido/contact/ball_points.hpp"
#include "kido/contact/collider_set.hpp"
#include "kido/contact/overlap.hpp"
#include "kido/contact/pair_list.hpp"
#include "kido/contact/touch_stores.hpp"

// The manifolds of pairs: what tests find of a pair takes the place of what was known of it.

KIDO_BEGIN

// How the surfaces of a pair meet, while it has manifolds.
struct KnownSurface {
    bool known = false;
    PairSurface surface = {};
};

template <class T>
class PairManifolds : public TouchStores<T> {
public:
    using TouchStores<T>::kSerial;
    using TouchStores<T>::kDirect;
    using TouchStores<T>::kSurfaced;
    using TouchStores<T>::kAsleep;
    using TouchStores<T>::kAsleepSurfaced;
    using TouchStores<T>::with_store;
    using TouchStores<T>::is_asleep;

    const std::vector<ContactPair>& pairs() const { return list_.all(); }
    void set_rules(const SurfaceRules& rules) { rules_ = rules; }
    void set_source(SurfaceSource* source) { source_ = source; }
    // Whether a pair had restitution.
    bool elastic() const { return elastic_; }
    const std::vector<int>& fresh_touches() const { return fresh_touches_; }
    // Bodies of manifolds that will close within the step and are new, or close fast: those that begin without the impulses they need.
    const std::vector<int>& hit_rows() const { return hit_rows_; }
    const std::vector<int>& fast_rows() const { return fast_rows_; }
    // Whether any manifold may be an overlap, and what steps have made of them.
    bool any_overlap() const { return any_overlap_; }
    void keep_overlaps(bool any) { any_overlap_ = any; }
    void pass_overlap(int touch, bool is_deep) {
        int& steps = touches_[touch].overlap;
        steps = is_deep ? kOverlapSteps : std::max(steps - 1, 0);
        any_overlap_ |= steps > 0;
    }
    // Counts both again in the next update: their step was not made.
    void keep_new() { keeps_new_ = true; }

    // Takes manifolds of bodies that sleep to where they stay as they are, and others back.
    template <class F>
    void sort_sleeping(std::vector<SolverBody>& bodies, const ColliderSet& colliders, F is_direct) {
        for (const ContactPair& pair : list_.all()) {
            if (pair.first < 0) continue;
            const int a = colliders[pair.first].collider.body, b = colliders[pair.second].collider.body;
            const bool asleep = bodies[a].asleep || bodies[b].asleep;
            for (int t = pair.touch; t >= 0; t = touches_[t].next) {
                if (is_asleep(touches_[t]) == asleep) continue;
                const bool surfaced = touches_[t].color == kSurfaced || touches_[t].color == kAsleepSurfaced;
                if (follows_ball(touches_[t])) list_.travel(touches_[t].pair).expire();
                move(t, bodies[a], bodies[b], [&] {
                    if (surfaced) return asleep ? kAsleepSurfaced : kSurfaced;
                    if (asleep) return kAsleep;
                    return is_direct(a) || is_direct(b) ? kDirect : color_for(bodies[a], bodies[b]);
                });
            }
        }
    }
    // Brings every manifold to where it is solved: is_direct(row) says of which bodies directly.
    template <class F>
    void sort_out(std::vector<SolverBody>& bodies, const ColliderSet& colliders, F is_direct) {
        for (const ContactPair& pair : list_.all()) {
            if (pair.first < 0) continue;
            const int a = colliders[pair.first].collider.body, b = colliders[pair.second].collider.body;
            const bool direct = is_direct(a) || is_direct(b);
            for (int t = pair.touch; t >= 0; t = touches_[t].next) {
                if (touches_[t].color == kSurfaced || is_asleep(touches_[t])) continue;
                if ((touches_[t].color == kDirect) == direct) continue;
                if (follows_ball(touches_[t])) list_.travel(touches_[t].pair).expire();
                move(t, bodies[a], bodies[b], [&] { return direct ? kDirect : color_for(bodies[a], bodies[b]); });
            }
        }
    }

protected:
    static constexpr int kCapacity = 64;      // manifolds of a pair of shapes
    static constexpr double kPlaced = 500.0;  // turn that only those who place bodies make [m]

    using TouchStores<T>::touches_;
    using TouchStores<T>::color_for;
    using TouchStores<T>::move;
    using TouchStores<T>::release;

    void archive_manifolds(StateArchive& archive) {
        list_.archive(archive);
        this->archive_stores(archive);
        archive(surfaces_);
        archive(elastic_);
        archive(hit_rows_);
        archive(fast_rows_);
        archive(fresh_touches_);
        archive(keeps_new_);
        archive(any_overlap_);
    }
    void begin_update() {
        if (!std::exchange(keeps_new_, false)) {
            fresh_touches_.clear();
            hit_rows_.clear();
            fast_rows_.clear();
        }
    }
    // What was found, in `found`, takes the place of the pair's manifolds.
    void write_all(int k, int count, const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows, double step) {
        write_all(k, count, first, second, rows, step, [&](int row, const double* at) { return velocity_at(rows, row, at); });
    }
    static Vec3<double> velocity_at(const BodyRows& rows, int row, const double* place) {
        const double* v = rows.velocities[row].v;
        return vec3(v) + cross(vec3(v + 3), vec3(place) - vec3(rows.poses[row].v));
    }
    // velocity(row, place): of a body's point [m/s].
    template <class Velocity>
    void write_all(int k, int count, const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows, double step,
                   const Velocity& velocity) {
        placed_ = list_.travel(k).turned_since(rows) > kPlaced;
        keep_only(list_[k], count, rows.bodies);
        know_surface(k, count, first.collider, second.collider);
        const int a = first.collider.body, b = second.collider.body;
        const bool soft = first.skin >= 0 || second.skin >= 0;
        for (int i = 0; i < count; ++i) {
            const bool fresh = write(k, found_[i], first, second, rows);
            note_hit(rows.bodies, a, b, closing_speed(found_[i], velocity, a, b, step), fresh, soft);
        }
    }
    // Whether the pair has one manifold of one point that is another finding's, too, where that has one point without features.
    bool has_one_point(int k) const {
        const int t = list_[k].touch;
        if (t < 0) return false;
        const Touch& touch = touches_[t];
        return touch.next < 0 && !touch.full && touch.color != kSurfaced && touch.color != kAsleepSurfaced && touch.part == 0 &&
               touch.count == 1 && touch.features[0] == 0;
    }
    // Of such a manifold, in the first body.
    Vec3<double> tangent_of(int k) {
        const Touch& touch = touches_[list_[k].touch];
        return with_store(touch, [&](auto& store) { return TouchWriter(store, touch.slot).tangent(); });
    }
    // The same point was found by `contact`.
    void move_point(int k, const BallContact<T>& contact, int lane, const BodyRows& rows, double step) {
        Touch& touch = touches_[list_[k].touch];
        with_store(touch, [&](auto& store) {
            TouchWriter(store, touch.slot)
                .move_point(stored_vector(contact.own_normal, lane), stored_vector(contact.own_tangent, lane),
                            stored_vector(contact.on_first, lane), stored_vector(contact.on_second, lane));
        });
        placed_ = list_.travel(k).turned_since(rows) > kPlaced;
        const double gap = stored_lane(contact.gap, lane);
        if (gap < 0.0) mark_overlap(touch, -gap, stored_lane(contact.reach, lane), false);
        const double u = stored_lane(contact.approach, lane);
        if (gap + step * u >= kTouching) return;
        with_store(touch, [&](auto& store) {
            const auto& block = store.block_of(touch.slot);
            const int at = store.lane_of(touch.slot);
            note_hit(rows.bodies, static_cast<int>(block.first[at]), static_cast<int>(block.second[at]), u, false, false);
        });
    }
    // Whether a manifold in lanes is a point that follows the center of a ball.
    bool follows_ball(const Touch& touch) {
        if (touch.color < 0 || touch.full) return false;
        auto& store = this->colors()[touch.color].single;
        return stored_lane(store.anchors_of(touch.slot).balls.radius_first, store.lane_of(touch.slot)) > 0.0;
    }
    // Moves the points that follow balls; pairs that have to be tested are due.
    void follow_all_balls(const BodyRows& rows, double step, const SharedLoop& loop) {
        for (ManifoldColor<T>& color : this->colors()) {
            auto& store = color.single;
            if (store.bundles() == 0) continue;
            followed_.resize(store.bundles());
            loop(store.bundles(), kSharedPoints, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = begin; k < end; ++k) {
                    follow_balls(store.blocks()[k], rows.poses, rows.velocities, step, store.anchors()[k], followed_[k]);
                }
            });
            for (std::size_t k = 0; k < store.bundles(); ++k) look_at(followed_[k], store, static_cast<int>(k), rows.bodies, step);
        }
    }
    // Manifolds that others found have the parts of those of the last step whose normals they are nearest to.
    void name_parts(const ContactPair& p, ContactManifold* found, int count, const BodyRows& rows) {
        std::uint32_t next = 0;
        for (int t = p.touch; t >= 0; t = touches_[t].next) next = std::max(next, touches_[t].part + 1);
        for (int i = 0; i < count; ++i) {
            double best = kSameNormal;
            found[i].part = next++;
            for (int t = p.touch; t >= 0; t = touches_[t].next) {
                bool taken = false;
                for (int j = 0; j < i; ++j) taken |= found[j].part == touches_[t].part;
                const double aligned = dot(normal_of(touches_[t], rows), vec3(found[i].normal));
                if (taken || aligned <= best) continue;
                best = aligned;
                found[i].part = touches_[t].part;
            }
        }
    }

    PairList list_;
    std::vector<ContactManifold> found_ = std::vector<ContactManifold>(kCapacity);

private:
    static constexpr double kFast = 0.5, kFastLink = 0.1;  // approach of an impact, and of one of a skeleton's links [m/s]
    static constexpr double kTouching = 1e-5;   // [m]
    static constexpr double kSameNormal = 0.8;  // cosine of the angle between normals of a manifold in two steps

    static constexpr int kSharedPoints = 16;    // bundles at least, of a share

    // What the point of a pair follows, if it does.
    static BallRadii<double> followed(const PlacedCollider& first, const PlacedCollider& second, const std::vector<SolverBody>& bodies) {
        const auto radius = [](const PlacedCollider& c) {
            if (c.skin >= 0 || !c.centered) return 0.0;
            const CollisionShape& shape = *c.collider.shape;
            return shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::plane ? shape.radius : 0.0;
        };
        const double a = radius(first), b = radius(second);
        if (!(std::min(a, b) > 0.0 && std::min(a, b) < HUGE_VAL)) return {0.0, 0.0, 0.0, 0.0};
        return {a, b, bodies[first.collider.body].radius, bodies[second.collider.body].radius};
    }
    // Notes what hits, is too deep, or is lost, of points that were moved.
    template <class Store>
    void look_at(const FollowedPoint<T>& moved, Store& store, int bundle, const std::vector<SolverBody>& bodies, double step) {
        const T zero(0.0);
        const Mask<T> hits = (moved.approach < T(-kFast)) & (moved.gap + moved.approach * step < T(kTouching));
        const Mask<T> looks = hits | (moved.gap < -moved.depth) | (moved.lost > zero);
        if (!any(looks)) return;
        const T looked_at = select(looks, T(1.0), zero);
        placed_ = false;
        for (int lane = 0; lane < lanes_of<T>; ++lane) {
            if (stored_lane(looked_at, lane) == 0.0) continue;
            const auto& block = store.blocks()[bundle];
            const double gap = stored_lane(moved.gap, lane), u = stored_lane(moved.approach, lane);
            Touch& touch = touches_[store.owner(bundle * lanes_of<T> + lane)];
            if (gap + step * u < kTouching) note_hit(bodies, block.first[lane], block.second[lane], u, false, false);
            if (gap < -stored_lane(moved.depth, lane)) mark_overlap(touch, -gap, HUGE_VAL, false);
            if (stored_lane(moved.lost, lane) > 0.0) list_.travel(touch.pair).expire();
        }
    }

    // In world axes.
    Vec3<double> normal_of(const Touch& touch, const BodyRows& rows) {
        return with_store(touch, [&](auto& store) {
            const int lane = store.lane_of(touch.slot);
            const auto& n = store.anchors_of(touch.slot).normal;
            const double* pose = rows.poses[store.block_of(touch.slot).first[lane]].v;
            return mat3(pose + kRowAxes) * stored_vector(n, lane);
        });
    }
    // The velocity along the normal of the fastest of the points that close their gaps within a step [m/s]; no point: no velocity.
    template <class Velocity>
    static double closing_speed(const ContactManifold& found, const Velocity& velocity, int a, int b, double step) {
        double least = HUGE_VAL;
        for (int i = 0; i < found.count; ++i) {
            const double u = dot(vec3(found.normal), velocity(a, found.points[i].on_first) - velocity(b, found.points[i].on_second));
            if (found.points[i].gap + step * u < kTouching) least = std::min(least, u);
        }
        return least;
    }
    // That two bodies meet with a velocity u along the normal. What hits a skeleton goes on through its links for steps, more slowly.
    void note_hit(const std::vector<SolverBody>& bodies, int a, int b, double u, bool fresh, bool soft) {
        if (u >= -kFastLink && !(fresh && u < HUGE_VAL)) return;
        const bool links = !soft && (bodies[a].kind == BodyKind::link || bodies[b].kind == BodyKind::link), fast = u < -(links ? kFastLink : kFast);
        if (fast || fresh) hit_rows_.insert(hit_rows_.end(), {a, b});
        if (fast) fast_rows_.insert(fast_rows_.end(), {a, b});
    }
    // Ends the manifolds that were not found again.
    void keep_only(ContactPair& p, int count, std::vector<SolverBody>& bodies) {
        for (int t = p.touch; t >= 0;) {
            const int next = touches_[t].next;
            bool found = false;
            for (int i = 0; i < count; ++i) found |= found_[i].part == touches_[t].part;
            if (!found) release(t, p.touch, bodies);
            t = next;
        }
    }
    // Combines the surfaces of a pair that begins to touch.
    void know_surface(int k, int count, const Collider& a, const Collider& b) {
        const ContactPair& p = list_[k];
        if (surfaces_.size() < list_.all().size()) surfaces_.resize(list_.all().size());
        KnownSurface& known = surfaces_[k];
        if (p.touch < 0) known.known = false;
        if (known.known || count == 0) return;
        known.surface = source_ ? source_->combine(p.first, p.second) : combined(rules_, a.surface, b.surface);
        if (source_ && source_->failure) throw SurfaceFailure{};
        known.known = true;
        elastic_ |= known.surface.restitution > 0.0;
    }
    // Returns whether the manifold is new.
    bool write(int k, const ContactManifold& found, const PlacedCollider& first, const PlacedCollider& second,
               const BodyRows& rows) {
        const Collider &a = first.collider, &b = second.collider;
        int t = list_[k].touch;
        while (t >= 0 && touches_[t].part != found.part) t = touches_[t].next;
        const bool fresh = t < 0;
        if (fresh) t = acquire(k, found.part, first, second, rows.bodies);
        const TouchBodies bodies = {a.body, b.body, rows.poses[a.body].v, rows.poses[b.body].v,
                                    surfaces_[k].surface.friction, surfaces_[k].surface.restitution,
                                    std::min(a.shape->radius, b.shape->radius), followed(first, second, rows.bodies)};
        with_store(touches_[t], [&](auto& store) {
            TouchWriter(store, touches_[t].slot).write(touches_[t], found, bodies, fresh);
        });
        double depth = 0.0;
        for (int i = 0; i < found.count; ++i) depth = std::max(depth, -found.points[i].gap);
        mark_overlap(touches_[t], depth, bodies.reach, fresh);
        if (touches_[t].color == kSurfaced) this->surfaced().block_of(touches_[t].slot).surface = surfaces_[k].surface;
        return fresh;
    }

    // What was not there before at such a depth is no work of impulses.
    void mark_overlap(Touch& touch, double depth, double reach, bool fresh) {
        if (depth <= (fresh || placed_ ? overlap_depth(reach) : deep_overlap(reach))) return;
        touch.overlap = kOverlapSteps;
        any_overlap_ = true;
    }
    int acquire(int k, std::uint32_t part, const PlacedCollider& first, const PlacedCollider& second,
                std::vector<SolverBody>& bodies) {
        SolverBody &a = bodies[first.collider.body], &b = bodies[second.collider.body];
        const bool single = first.collider.shape->kind == ShapeKind::sphere || second.collider.shape->kind == ShapeKind::sphere;
        const int color = surfaces_[k].surface.is_plain() ? color_for(a, b) : kSurfaced;
        const int t = TouchStores<T>::acquire({k, list_[k].touch, color, 0, !single, part, 0, {}});
        list_[k].touch = t;
        ++a.touches;
        ++b.touches;
        fresh_touches_.push_back(t);
        return t;
    }

    std::vector<KnownSurface> surfaces_;  // of the pairs
    std::vector<int> fresh_touches_;
    SurfaceRules rules_ = {CombineRule::minimum, CombineRule::product, CombineRule::maximum};
    SurfaceSource* source_ = nullptr;
    bool elastic_ = false;
    std::vector<int> hit_rows_, fast_rows_;
    std::vector<FollowedPoint<T>> followed_;  // of the bundles of a store
    bool keeps_new_ = false;
    bool any_overlap_ = false, placed_ = false;  // whether a manifold may be an overlap; whether the pair at hand was placed anew
};

KIDO_END
