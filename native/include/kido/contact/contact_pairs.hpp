#pragma once

#include <unordered_set>

#include "kido/batch/kernel_table.hpp"
#include "kido/contact/collider_set.hpp"
#include "kido/contact/solver_body.hpp"
#include "kido/contact/touch.hpp"

// Pairs of near shapes and the manifolds between them. A pair is tested again once its bodies may have moved so far that what is
// known of it no longer holds.

KIDO_BEGIN

extern const GeometryKernels geometry_kernels;

struct ContactPair {
    int first, second;  // colliders; -1: the pair is over
    int touch;          // its first manifold, -1: none
    double test_at;     // sum of what both bodies have travelled at which it is tested again [m]
    PairMemory memory;
};

// All that the test of a pair reads.
struct BodyRows {
    std::vector<SolverBody>& bodies;
    const PoseRow* poses;
    const MotionRow* velocities;
    const double* travel;
};

template <class T>
class ContactPairs {
public:
    static constexpr int kColors = 64;

    const std::vector<ContactPair>& pairs() const { return pairs_; }
    const std::vector<Touch>& touches() const { return touches_; }
    std::vector<ManifoldColor<T>>& colors() { return colors_; }
    const std::vector<ManifoldColor<T>>& colors() const { return colors_; }
    ManifoldColor<double>& serial() { return serial_; }
    std::int64_t tests() const { return tests_; }
    // Manifolds that began in the last update.
    int fresh() const { return fresh_; }
    // Counts them again in the next update: their first step was not made.
    void keep_fresh() { kept_fresh_ = fresh_; }

    // After shapes have moved.
    void update_pairs(ColliderSet& colliders, std::vector<SolverBody>& bodies) {
        if (!colliders.any_moved()) return;
        colliders.for_near_pairs([&](int i, int j) { add(i, j, colliders, bodies); });
        for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) {
            const ContactPair& p = pairs_[k];
            if (p.first < 0 || !(colliders[p.first].moved || colliders[p.second].moved)) continue;
            if (!colliders.near(p.first, p.second)) end(k, bodies);
        }
        colliders.forget_moves();
    }
    void update_manifolds(const ColliderSet& colliders, const BodyRows& rows, double step) {
        fresh_ = kept_fresh_;
        kept_fresh_ = 0;
        for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) {
            ContactPair& p = pairs_[k];
            if (p.first < 0) continue;
            const PlacedCollider &first = colliders[p.first], &second = colliders[p.second];
            const double travel = rows.travel[first.collider.body] + rows.travel[second.collider.body];
            if (travel >= p.test_at) test(k, first, second, rows, step, travel);
        }
    }
    void archive(StateArchive& archive) {
        archive(pairs_);
        archive(touches_);
        archive(free_pairs_);
        archive(free_touches_);
        std::uint64_t colors = colors_.size();
        archive(colors);
        archive.require(colors <= kColors);
        if (archive.reads() && archive.good()) colors_.resize(colors);
        for (ManifoldColor<T>& color : colors_) color.archive(archive);
        serial_.archive(archive);
        archive(tests_);
        archive(fresh_);
        archive(kept_fresh_);
        if (!archive.reads()) return;
        known_.clear();
        for (const ContactPair& pair : pairs_) {
            if (pair.first >= 0) known_.insert(key(pair.first, pair.second));
        }
    }
    // The bodies' rows of a manifold that moved to another slot stay; only its slot changes.
    template <class F>
    auto with_store(const Touch& touch, F f) {
        if (touch.color == kSerial) return touch.full ? f(serial_.full) : f(serial_.single);
        return touch.full ? f(colors_[touch.color].full) : f(colors_[touch.color].single);
    }

private:
    static constexpr int kSerial = -1;       // in place of a color: manifolds that are visited one by one
    static constexpr double kMargin = 1e-3;  // up to which distance points are kept [m]
    static constexpr double kMostMargin = 1e-2, kStill = 2e-4;  // [m]
    static constexpr int kCapacity = 64;

    static std::uint64_t key(int i, int j) { return static_cast<std::uint64_t>(i) << 32 | static_cast<unsigned>(j); }

    static bool may_meet(const Collider& a, const Collider& b) {
        if (a.group == 0 || a.group != b.group) return true;
        return a.meets_own && b.meets_own && a.parent != b.body && b.parent != a.body;
    }
    void add(int i, int j, const ColliderSet& colliders, const std::vector<SolverBody>& bodies) {
        if (i > j) std::swap(i, j);
        const Collider &a = colliders[i].collider, &b = colliders[j].collider;
        if (a.body == b.body || !may_meet(a, b)) return;
        if (!bodies[a.body].moves() && !bodies[b.body].moves()) return;
        if (!known_.insert(key(i, j)).second) return;
        ContactPair pair = {i, j, -1, -1.0, {}};
        if (free_pairs_.empty()) {
            pairs_.push_back(pair);
        } else {
            pairs_[free_pairs_.back()] = pair;
            free_pairs_.pop_back();
        }
    }
    void end(int k, std::vector<SolverBody>& bodies) {
        ContactPair& p = pairs_[k];
        while (p.touch >= 0) release(p.touch, p, bodies);
        known_.erase(key(p.first, p.second));
        p.first = p.second = -1;
        free_pairs_.push_back(k);
    }

    // Largest speed of the shapes towards each other.
    static double closing_speed(const double* a, const double* b, double reach_a, double reach_b) {
        return std::fabs(a[0] - b[0]) + std::fabs(a[1] - b[1]) + std::fabs(a[2] - b[2]) +
               (std::fabs(a[3]) + std::fabs(a[4]) + std::fabs(a[5])) * reach_a +
               (std::fabs(b[3]) + std::fabs(b[4]) + std::fabs(b[5])) * reach_b;
    }
    void test(int k, const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows, double step,
              double travel) {
        ++tests_;
        ContactPair& p = pairs_[k];
        const int a = first.collider.body, b = second.collider.body;
        const double speed = closing_speed(rows.velocities[a].v, rows.velocities[b].v, rows.bodies[a].radius,
                                           rows.bodies[b].radius);
        // Never more than the smaller shape: farther off, points would be of sides that will not meet.
        const double most = std::max(kMostMargin, std::min(first.collider.shape->radius, second.collider.shape->radius));
        const double margin = kMargin + std::min(speed * step, most);
        const int count = std::max(0, geometry_kernels.collide(*first.collider.shape, first.pose, *second.collider.shape,
                                                               second.pose, margin, p.memory, found_, kCapacity));
        keep_only(p, count, rows.bodies);
        for (int i = 0; i < count; ++i) write(k, found_[i], first, second, rows);
        // A pair that is apart must be met with its margin before the gap closes.
        p.test_at = travel + (count ? kStill : std::max(0.0, p.memory.gap - 1.25 * margin));
    }
    // Ends the manifolds that were not found again.
    void keep_only(ContactPair& p, int count, std::vector<SolverBody>& bodies) {
        for (int t = p.touch; t >= 0;) {
            const int next = touches_[t].next;
            bool found = false;
            for (int i = 0; i < count; ++i) found |= found_[i].part == touches_[t].part;
            if (!found) release(t, p, bodies);
            t = next;
        }
    }
    void write(int k, const ContactManifold& found, const PlacedCollider& first, const PlacedCollider& second,
               const BodyRows& rows) {
        const Collider &a = first.collider, &b = second.collider;
        int t = pairs_[k].touch;
        while (t >= 0 && touches_[t].part != found.part) t = touches_[t].next;
        const bool fresh = t < 0;
        fresh_ += fresh;
        if (fresh) t = acquire(k, found.part, first, second, rows.bodies);
        const TouchBodies bodies = {a.body, b.body, rows.poses[a.body].v, rows.poses[b.body].v,
                                    std::min(a.surface.friction, b.surface.friction),
                                    a.surface.restitution * b.surface.restitution,
                                    std::min(a.shape->radius, b.shape->radius)};
        with_store(touches_[t], [&](auto& store) {
            TouchWriter(store, touches_[t].slot).write(touches_[t], found, bodies, fresh);
        });
    }

    int acquire(int k, std::uint32_t part, const PlacedCollider& first, const PlacedCollider& second,
                std::vector<SolverBody>& bodies) {
        int t = static_cast<int>(touches_.size());
        if (free_touches_.empty()) {
            touches_.push_back({});
        } else {
            t = free_touches_.back();
            free_touches_.pop_back();
        }
        SolverBody &a = bodies[first.collider.body], &b = bodies[second.collider.body];
        const bool single = first.collider.shape->kind == ShapeKind::sphere || second.collider.shape->kind == ShapeKind::sphere;
        Touch& touch = touches_[t];
        touch = {k, pairs_[k].touch, color_for(a, b), 0, !single, part, 0, {}};
        pairs_[k].touch = t;
        ++a.touches;
        ++b.touches;
        touch.slot = with_store(touch, [&](auto& store) { return store.add(t); });
        return t;
    }
    // The first color in which neither body has a manifold.
    int color_for(SolverBody& a, SolverBody& b) {
        if (a.kind == BodyKind::link || b.kind == BodyKind::link) return kSerial;
        const std::uint64_t free = ~(a.colors | b.colors);
        if (free == 0) return kSerial;
        const int color = __builtin_ctzll(free);
        if (color >= static_cast<int>(colors_.size())) colors_.resize(color + 1);
        for (SolverBody* body : {&a, &b}) {
            if (body->moves()) body->colors |= std::uint64_t{1} << color;
        }
        return color;
    }
    void release(int t, ContactPair& p, std::vector<SolverBody>& bodies) {
        const Touch touch = touches_[t];
        int* link = &p.touch;
        while (*link != t) link = &touches_[*link].next;
        *link = touch.next;
        with_store(touch, [&](auto& store) {
            for (const int row : {store.block_of(touch.slot).first[store.lane_of(touch.slot)],
                                  store.block_of(touch.slot).second[store.lane_of(touch.slot)]}) {
                --bodies[row].touches;
                if (touch.color != kSerial) bodies[row].colors &= ~(std::uint64_t{1} << touch.color);
            }
            const int moved = store.remove(touch.slot);
            if (moved >= 0) touches_[moved].slot = touch.slot;
        });
        free_touches_.push_back(t);
    }

    std::vector<ContactPair> pairs_;
    std::vector<Touch> touches_;
    std::vector<int> free_pairs_, free_touches_;
    std::unordered_set<std::uint64_t> known_;
    std::vector<ManifoldColor<T>> colors_;
    ManifoldColor<double> serial_;
    ContactManifold found_[kCapacity];
    std::int64_t tests_ = 0;
    int fresh_ = 0, kept_fresh_ = 0;
};

KIDO_END
