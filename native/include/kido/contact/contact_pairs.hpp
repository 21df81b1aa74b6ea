#pragma once

#include <unordered_set>
#include <utility>

#include "kido/batch/kernel_table.hpp"
#include "kido/batch/shared_loop.hpp"
#include "kido/contact/collider_set.hpp"
#include "kido/contact/overlap.hpp"
#include "kido/contact/pair_table.hpp"
#include "kido/contact/pair_travel.hpp"
#include "kido/contact/solver_body.hpp"
#include "kido/contact/surface_block.hpp"
#include "kido/contact/touch.hpp"

// Pairs of near shapes and the manifolds between them. A pair is tested again once its bodies may have moved so far that what is
// known of it no longer holds.

KIDO_BEGIN

extern const GeometryKernels geometry_kernels;

struct ContactPair {
    int first, second;  // colliders; -1: the pair is over
    int touch;          // its first manifold, -1: none
    PairMemory memory;
};

// How the surfaces of a pair meet, while it has manifolds.
struct KnownSurface {
    bool known = false;
    PairSurface surface = {};
};

template <class T>
class ContactPairs {
public:
    static constexpr int kColors = 64;
    static constexpr int kSerial = -1;    // in place of a color: manifolds that are visited one by one
    static constexpr int kDirect = -2;    // that are solved directly
    static constexpr int kSurfaced = -3;  // whose surfaces have more than friction and restitution, visited one by one
    static constexpr int kAsleep = -4, kAsleepSurfaced = -5;  // those of bodies that sleep

    const std::vector<ContactPair>& pairs() const { return pairs_; }
    const std::vector<Touch>& touches() const { return touches_; }
    std::vector<ManifoldColor<T>>& colors() { return colors_; }
    const std::vector<ManifoldColor<T>>& colors() const { return colors_; }
    ManifoldColor<double>& serial() { return serial_; }
    using SurfaceStore = ManifoldStore<double, 4, SurfaceBlock>;
    SurfaceStore& surfaced() { return surfaced_; }
    void set_rules(const SurfaceRules& rules) { rules_ = rules; }
    void set_source(SurfaceSource* source) { source_ = source; }
    // Whether a pair had restitution.
    bool elastic() const { return elastic_; }
    // Manifolds that are solved directly, all of an island at once.
    ManifoldColor<double>& direct() { return direct_; }
    std::int64_t tests() const { return tests_; }
    const std::vector<int>& fresh_touches() const { return fresh_touches_; }
    // Bodies of manifolds that will close within the step and are new, or close fast: those that begin without the impulses they need.
    const std::vector<int>& hit_rows() const { return hit_rows_; }
    // Another number whenever manifolds have come, gone, or moved to where they are solved.
    std::uint64_t revision() const { return revision_; }
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

    // After shapes have moved.
    void update_pairs(ColliderSet& colliders, std::vector<SolverBody>& bodies) {
        if (!colliders.any_moved()) return;
        colliders.for_near_pairs([&](int i, int j) { add(i, j, colliders, bodies); });
        for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) {
            const ContactPair& p = pairs_[k];
            if (p.first < 0 || !(colliders.has_moved(p.first) || colliders.has_moved(p.second))) continue;
            if (!colliders.near(p.first, p.second)) end(k, bodies);
        }
        colliders.forget_moves();
    }
    // Two colliders that never meet.
    void exclude(int i, int j) { excluded_.insert(key(std::min(i, j), std::max(i, j))); }
    // From now on manifolds are set by whoever asks for near pairs.
    std::vector<NearPair> near_pairs(const ColliderSet& colliders, const BodyRows& rows, double step) {
        external_ = true;
        begin_update();
        external_step_ = step;
        std::vector<NearPair> out;
        for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) {
            const ContactPair& p = pairs_[k];
            if (p.first < 0 || !travels_[k].is_due(colliders.foreseen()) || !is_awake(p, colliders, rows)) continue;
            NearPair near = {k, p.first, p.second, margin(colliders[p.first], colliders[p.second], rows, step), {}};
            for (const int side : {0, 1}) {
                const ColliderPose pose(colliders[side == 0 ? p.first : p.second], rows.poses);
                std::copy_n(static_cast<const double*>(pose), 12, near.poses[side]);
            }
            out.push_back(near);
        }
        return out;
    }
    void set_manifolds(int k, ContactManifold* found, int count, const ColliderSet& colliders, const BodyRows& rows) {
        ContactPair& p = pairs_[k];
        name_parts(p, found, count, rows);
        placed_ = travels_[k].turned_since(rows) > kPlaced;
        std::copy_n(found, count, found_);
        write_all(k, count, colliders[p.first], colliders[p.second], rows, external_step_);
        // How far those are apart that do not touch is not known.
        travels_[k].reset(rows, count ? kStill : 0.0, count > 0);
    }
    void update_manifolds(const ColliderSet& colliders, const BodyRows& rows, double step, const SharedLoop& loop) {
        if (external_) return;
        begin_update();
        if (loop.is_shared()) return update_on_threads(colliders, rows, step, loop);
        for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) {
            if (!travels_[k].is_due(colliders.foreseen())) continue;
            const ContactPair& p = pairs_[k];
            if (is_awake(p, colliders, rows)) test(k, colliders[p.first], colliders[p.second], rows, step);
        }
    }
    void archive(StateArchive& archive) {
        archive(pairs_);
        archive(travels_);
        archive(touches_);
        archive(free_pairs_);
        archive(free_touches_);
        std::uint64_t colors = colors_.size();
        archive(colors);
        archive.require(colors <= kColors);
        if (archive.reads() && archive.good()) colors_.resize(colors);
        for (ManifoldColor<T>& color : colors_) color.archive(archive);
        serial_.archive(archive);
        direct_.archive(archive);
        surfaced_.archive(archive);
        asleep_.archive(archive);
        asleep_surfaced_.archive(archive);
        archive(surfaces_);
        archive(elastic_);
        archive(tests_);
        archive(hit_rows_);
        archive(fresh_touches_);
        archive(keeps_new_);
        archive(external_);
        archive(any_overlap_);
        if (!archive.reads()) return;
        ++revision_;
        known_.clear();
        for (const ContactPair& pair : pairs_) {
            if (pair.first >= 0) known_.insert(pair.first, pair.second);
        }
    }
    // The bodies' rows of a manifold that moved to another slot stay; only its slot changes.
    template <class F>
    auto with_store(const Touch& touch, F f) {
        if (touch.color == kSurfaced) return f(surfaced_);
        if (touch.color == kAsleepSurfaced) return f(asleep_surfaced_);
        if (touch.color < 0) {
            ManifoldColor<double>& place = touch.color == kSerial ? serial_ : touch.color == kDirect ? direct_ : asleep_;
            return touch.full ? f(place.full) : f(place.single);
        }
        return touch.full ? f(colors_[touch.color].full) : f(colors_[touch.color].single);
    }

    // Whether its bodies sleep.
    static bool is_asleep(const Touch& touch) { return touch.color == kAsleep || touch.color == kAsleepSurfaced; }
    // Takes manifolds of bodies that sleep to where they stay as they are, and others back.
    template <class F>
    void sort_sleeping(std::vector<SolverBody>& bodies, const ColliderSet& colliders, F is_direct) {
        for (const ContactPair& pair : pairs_) {
            if (pair.first < 0) continue;
            const int a = colliders[pair.first].collider.body, b = colliders[pair.second].collider.body;
            const bool asleep = bodies[a].asleep || bodies[b].asleep;
            for (int t = pair.touch; t >= 0; t = touches_[t].next) {
                if (is_asleep(touches_[t]) == asleep) continue;
                const bool surfaced = touches_[t].color == kSurfaced || touches_[t].color == kAsleepSurfaced;
                move(t, bodies[a], bodies[b], [&] {
                    if (surfaced) return asleep ? kAsleepSurfaced : kSurfaced;
                    if (asleep) return kAsleep;
                    return is_direct(a) || is_direct(b) ? kDirect : color_for(bodies[a], bodies[b]);
                });
            }
        }
    }
    // Calls f(store) for the manifolds in lanes, those visited one by one, and those solved directly; not for those that sleep.
    template <class F>
    void for_all_stores(F f) {
        for (ManifoldColor<T>& color : colors_) color.for_each_store(f);
        serial_.for_each_store(f);
        direct_.for_each_store(f);
        if (surfaced_.bundles()) f(surfaced_);
    }
    template <class F>
    void for_sleeping_stores(F f) {
        asleep_.for_each_store(f);
        if (asleep_surfaced_.bundles()) f(asleep_surfaced_);
    }
    // Brings every manifold to where it is solved: is_direct(row) says of which bodies directly.
    template <class F>
    void sort_out(std::vector<SolverBody>& bodies, const ColliderSet& colliders, F is_direct) {
        for (const ContactPair& pair : pairs_) {
            if (pair.first < 0) continue;
            const int a = colliders[pair.first].collider.body, b = colliders[pair.second].collider.body;
            const bool direct = is_direct(a) || is_direct(b);
            for (int t = pair.touch; t >= 0; t = touches_[t].next) {
                if (touches_[t].color == kSurfaced || is_asleep(touches_[t])) continue;
                if ((touches_[t].color == kDirect) == direct) continue;
                move(t, bodies[a], bodies[b], [&] { return direct ? kDirect : color_for(bodies[a], bodies[b]); });
            }
        }
    }
    // Calls f(first row, second row, sum of normal impulses) for all manifolds.
    template <class F>
    void for_each_load(F f) {
        for_all_stores([&](auto& store) {
            for (int slot = 0; slot < store.size(); ++slot) {
                const auto& m = store.block_of(slot);
                const int lane = store.lane_of(slot);
                double sum = 0.0;
                for (const auto& x : m.normal_impulse) sum += get_lane(x, lane);
                f(m.first[lane], m.second[lane], sum);
            }
        });
    }
    // Calls f(first row, second row, normal) for all manifolds.
    template <class F>
    void for_each_normal(const PoseRow* poses, F f) {
        for_all_stores([&](auto& store) {
            for (int slot = 0; slot < store.size(); ++slot) {
                const auto& n = store.anchors_of(slot).normal;
                const int lane = store.lane_of(slot), first = store.block_of(slot).first[lane];
                f(first, store.block_of(slot).second[lane],
                  mat3(poses[first].v + kRowAxes) * Vec3<double>{get_lane(n.x, lane), get_lane(n.y, lane), get_lane(n.z, lane)});
            }
        });
    }

private:
    // A pair that is tested on threads.
    struct Tested {
        int pair;
        double margin;
        std::vector<ContactManifold> found;
    };

    static constexpr int kSharedTests = 16;  // at least, of a share
    static constexpr double kMargin = 1e-3;  // up to which distance points are kept [m]
    static constexpr double kPlaced = 500.0;  // turn that only those who place bodies make [m]
    static constexpr double kMostMargin = 1e-2, kStill = 2e-4, kNearby = 1.25e-3;  // [m]
    static constexpr double kFast = 0.5;     // approach of an impact [m/s]
    static constexpr double kTouching = 1e-5;  // [m]
    static constexpr int kCapacity = 64;
    static constexpr double kSameNormal = 0.8;  // cosine of the angle between normals of a manifold in two steps

    static std::uint64_t key(int i, int j) { return static_cast<std::uint64_t>(i) << 32 | static_cast<unsigned>(j); }

    static bool may_meet(const Collider& a, const Collider& b) {
        if ((a.category & b.collides_with) == 0 || (b.category & a.collides_with) == 0) return false;
        if (a.group == 0 || a.group != b.group) return true;
        return a.meets_own && b.meets_own && a.parent != b.body && b.parent != a.body;
    }
    void add(int i, int j, const ColliderSet& colliders, const std::vector<SolverBody>& bodies) {
        if (i > j) std::swap(i, j);
        const Collider &a = colliders[i].collider, &b = colliders[j].collider;
        if (a.body == b.body || !may_meet(a, b)) return;
        if (!bodies[a.body].moves() && !bodies[b.body].moves()) return;
        if (!excluded_.empty() && excluded_.count(key(i, j)) != 0) return;
        if (!known_.insert(i, j)) return;
        const ContactPair pair = {i, j, -1, {}};
        const PairTravel travel = PairTravel::untested(a.body, b.body);
        if (free_pairs_.empty()) {
            pairs_.push_back(pair);
            travels_.push_back(travel);
        } else {
            pairs_[free_pairs_.back()] = pair;
            travels_[free_pairs_.back()] = travel;
            free_pairs_.pop_back();
        }
    }
    void end(int k, std::vector<SolverBody>& bodies) {
        ContactPair& p = pairs_[k];
        while (p.touch >= 0) release(p.touch, p, bodies);
        known_.erase(p.first, p.second);
        p.first = p.second = -1;
        travels_[k] = PairTravel::never();
        free_pairs_.push_back(k);
    }

    // Largest speed of the shapes towards each other.
    static double closing_speed(const double* a, const double* b, double reach_a, double reach_b) {
        return std::fabs(a[0] - b[0]) + std::fabs(a[1] - b[1]) + std::fabs(a[2] - b[2]) +
               (std::fabs(a[3]) + std::fabs(a[4]) + std::fabs(a[5])) * reach_a +
               (std::fabs(b[3]) + std::fabs(b[4]) + std::fabs(b[5])) * reach_b;
    }
    // Whether one of its bodies is.
    static bool is_awake(const ContactPair& p, const ColliderSet& colliders, const BodyRows& rows) {
        return rows.bodies[colliders[p.first].collider.body].is_awake() || rows.bodies[colliders[p.second].collider.body].is_awake();
    }
    // Distance up to which points are kept.
    static double margin(const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows, double step) {
        const int a = first.collider.body, b = second.collider.body;
        const double speed = closing_speed(rows.velocities[a].v, rows.velocities[b].v, rows.bodies[a].radius,
                                           rows.bodies[b].radius);
        // Never more than the smaller shape: farther off, points would be of sides that will not meet.
        const double most = std::max(kMostMargin, std::min(first.collider.shape->radius, second.collider.shape->radius));
        return kMargin + std::min(speed * step, most);
    }
    void test(int k, const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows, double step) {
        const double margin = ContactPairs::margin(first, second, rows, step);
        take(k, collide(k, first, second, rows.poses, margin, found_), first, second, rows, step);
    }
    int collide(int k, const PlacedCollider& first, const PlacedCollider& second, const PoseRow* poses, double margin,
                ContactManifold* found) {
        const ColliderPose a(first, poses), b(second, poses);
        return std::max(0, geometry_kernels.collide(*first.collider.shape, a, *second.collider.shape, b, margin, pairs_[k].memory,
                                                    found, kCapacity));
    }
    void take(int k, int count, const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows, double step) {
        ++tests_;
        placed_ = travels_[k].turned_since(rows) > kPlaced;
        write_all(k, count, first, second, rows, step);
        // A pair that is apart must be tested before the gap is closed.
        travels_[k].reset(rows, count ? kStill : std::max(0.0, pairs_[k].memory.gap - kNearby), count > 0);
    }
    // The pairs that are due are tested side by side; what was found is written in their order.
    void update_on_threads(const ColliderSet& colliders, const BodyRows& rows, double step, const SharedLoop& loop) {
        std::size_t due = 0;
        for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) {
            if (!travels_[k].is_due(colliders.foreseen()) || !is_awake(pairs_[k], colliders, rows)) continue;
            if (due == tested_.size()) tested_.emplace_back();
            tested_[due++].pair = k;
        }
        loop(due, kSharedTests, [&](std::size_t begin, std::size_t end) {
            ContactManifold found[kCapacity];
            for (std::size_t i = begin; i < end; ++i) {
                Tested& t = tested_[i];
                const PlacedCollider &first = colliders[pairs_[t.pair].first], &second = colliders[pairs_[t.pair].second];
                t.margin = margin(first, second, rows, step);
                t.found.assign(found, found + collide(t.pair, first, second, rows.poses, t.margin, found));
            }
        });
        for (std::size_t i = 0; i < due; ++i) {
            const Tested& t = tested_[i];
            std::copy(t.found.begin(), t.found.end(), found_);
            take(t.pair, static_cast<int>(t.found.size()), colliders[pairs_[t.pair].first], colliders[pairs_[t.pair].second], rows,
                 step);
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
    // In world axes.
    Vec3<double> normal_of(const Touch& touch, const BodyRows& rows) {
        return with_store(touch, [&](auto& store) {
            const int lane = store.lane_of(touch.slot);
            const auto& n = store.anchors_of(touch.slot).normal;
            const double* pose = rows.poses[store.block_of(touch.slot).first[lane]].v;
            return mat3(pose + kRowAxes) * Vec3<double>{get_lane(n.x, lane), get_lane(n.y, lane), get_lane(n.z, lane)};
        });
    }
    // Whether a point closes its gap within a step, fast or for the first time.
    static bool hits(const ContactManifold& found, const BodyRows& rows, int a, int b, double step, bool fresh) {
        const Vec3<double> normal = vec3(found.normal);
        const auto speed = [&](int row, const double* at) {
            const double* v = rows.velocities[row].v;
            return dot(normal, vec3(v) + cross(vec3(v + 3), vec3(at) - vec3(rows.poses[row].v)));
        };
        for (int i = 0; i < found.count; ++i) {
            const double u = speed(a, found.points[i].on_first) - speed(b, found.points[i].on_second);
            if ((fresh || u < -kFast) && found.points[i].gap + step * u < kTouching) return true;
        }
        return false;
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
    // Combines the surfaces of a pair that begins to touch.
    void know_surface(int k, int count, const Collider& a, const Collider& b) {
        const ContactPair& p = pairs_[k];
        if (surfaces_.size() < pairs_.size()) surfaces_.resize(pairs_.size());
        KnownSurface& known = surfaces_[k];
        if (p.touch < 0) known.known = false;
        if (known.known || count == 0) return;
        known.surface = source_ ? source_->combine(p.first, p.second) : combined(rules_, a.surface, b.surface);
        if (source_ && source_->failure) throw SurfaceFailure{};
        known.known = true;
        elastic_ |= known.surface.restitution > 0.0;
    }
    // What was found takes the place of the pair's manifolds.
    void write_all(int k, int count, const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows, double step) {
        keep_only(pairs_[k], count, rows.bodies);
        know_surface(k, count, first.collider, second.collider);
        for (int i = 0; i < count; ++i) {
            const bool fresh = write(k, found_[i], first, second, rows);
            const int a = first.collider.body, b = second.collider.body;
            if (hits(found_[i], rows, a, b, step, fresh)) hit_rows_.insert(hit_rows_.end(), {a, b});
        }
    }
    // Returns whether the manifold is new.
    bool write(int k, const ContactManifold& found, const PlacedCollider& first, const PlacedCollider& second,
               const BodyRows& rows) {
        const Collider &a = first.collider, &b = second.collider;
        int t = pairs_[k].touch;
        while (t >= 0 && touches_[t].part != found.part) t = touches_[t].next;
        const bool fresh = t < 0;
        if (fresh) t = acquire(k, found.part, first, second, rows.bodies);
        const TouchBodies bodies = {a.body, b.body, rows.poses[a.body].v, rows.poses[b.body].v,
                                    surfaces_[k].surface.friction, surfaces_[k].surface.restitution,
                                    std::min(a.shape->radius, b.shape->radius)};
        with_store(touches_[t], [&](auto& store) {
            TouchWriter(store, touches_[t].slot).write(touches_[t], found, bodies, fresh);
        });
        mark_overlap(touches_[t], found, bodies.reach, fresh);
        if (touches_[t].color == kSurfaced) surfaced_.block_of(touches_[t].slot).surface = surfaces_[k].surface;
        return fresh;
    }

    // What was not there before at such a depth is no work of impulses.
    void mark_overlap(Touch& touch, const ContactManifold& found, double reach, bool fresh) {
        double depth = 0.0;
        for (int i = 0; i < found.count; ++i) depth = std::max(depth, -found.points[i].gap);
        if (depth <= (fresh || placed_ ? overlap_depth(reach) : deep_overlap(reach))) return;
        touch.overlap = kOverlapSteps;
        any_overlap_ = true;
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
        const int color = surfaces_[k].surface.is_plain() ? color_for(a, b) : kSurfaced;
        touch = {k, pairs_[k].touch, color, 0, !single, part, 0, {}};
        pairs_[k].touch = t;
        ++a.touches;
        ++b.touches;
        ++revision_;
        touch.slot = with_store(touch, [&](auto& store) { return store.add(t); });
        fresh_touches_.push_back(t);
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
    void begin_update() {
        if (!std::exchange(keeps_new_, false)) {
            fresh_touches_.clear();
            hit_rows_.clear();
        }
    }
    // To another store, which `choose` gives once the colors are free that the manifold has.
    template <class F>
    void move(int t, SolverBody& a, SolverBody& b, F choose) {
        const Touch before = touches_[t];
        if (before.color >= 0) {
            for (SolverBody* body : {&a, &b}) body->colors &= ~(std::uint64_t{1} << before.color);
        }
        Touch& touch = touches_[t];
        ++revision_;
        touch.color = choose();
        touch.slot = with_store(touch, [&](auto& store) { return store.add(t); });
        with_store(before, [&](auto& from) {
            with_store(touch, [&](auto& to) {
                using From = std::remove_cvref_t<decltype(from)>;
                using To = std::remove_cvref_t<decltype(to)>;
                constexpr bool alike = std::is_same_v<From, SurfaceStore> == std::is_same_v<To, SurfaceStore>;
                if constexpr (alike && From::Anchors::points == To::Anchors::points) {
                    to.copy(touch.slot, from, before.slot);
                    if (is_asleep(touch)) to.keep_total(touch.slot, from, before.slot);
                }
            });
            const int moved = from.remove(before.slot);
            if (moved >= 0) touches_[moved].slot = before.slot;
        });
    }
    void release(int t, ContactPair& p, std::vector<SolverBody>& bodies) {
        const Touch touch = touches_[t];
        ++revision_;
        int* link = &p.touch;
        while (*link != t) link = &touches_[*link].next;
        *link = touch.next;
        with_store(touch, [&](auto& store) {
            for (const int row : {store.block_of(touch.slot).first[store.lane_of(touch.slot)],
                                  store.block_of(touch.slot).second[store.lane_of(touch.slot)]}) {
                --bodies[row].touches;
                if (touch.color >= 0) bodies[row].colors &= ~(std::uint64_t{1} << touch.color);
            }
            const int moved = store.remove(touch.slot);
            if (moved >= 0) touches_[moved].slot = touch.slot;
        });
        touches_[t].overlap = 0;
        free_touches_.push_back(t);
    }

    std::vector<ContactPair> pairs_;
    std::vector<PairTravel> travels_;     // of the pairs
    std::vector<KnownSurface> surfaces_;  // of the pairs
    std::vector<Touch> touches_;
    std::vector<int> free_pairs_, free_touches_, fresh_touches_;
    PairTable known_;
    std::unordered_set<std::uint64_t> excluded_;
    bool external_ = false;  // whether another detector finds the manifolds
    std::vector<ManifoldColor<T>> colors_;
    ManifoldColor<double> serial_, direct_, asleep_;
    SurfaceStore surfaced_, asleep_surfaced_;
    SurfaceRules rules_ = {CombineRule::minimum, CombineRule::product, CombineRule::maximum};
    SurfaceSource* source_ = nullptr;
    bool elastic_ = false;
    ContactManifold found_[kCapacity];
    std::vector<Tested> tested_;
    std::int64_t tests_ = 0;
    std::vector<int> hit_rows_;
    std::uint64_t revision_ = 1;
    bool keeps_new_ = false;
    bool any_overlap_ = false, placed_ = false;  // whether a manifold may be an overlap; whether the pair at hand was placed anew
    double external_step_ = 0.0;  // length of the step that manifolds are set for [s]
};

KIDO_END
