#pragma once

#include <algorithm>
#include <utility>

#include "kido/contact/solver_body.hpp"
#include "kido/contact/surface_block.hpp"
#include "kido/contact/touch.hpp"

// Manifolds while they last, and the stores in which they are solved: in lanes by colors, one by one, or directly.

KIDO_BEGIN

template <class T>
class TouchStores {
public:
    static constexpr int kColors = 64;
    static constexpr int kSerial = -1;    // in place of a color: manifolds that are visited one by one
    static constexpr int kDirect = -2;    // that are solved directly
    static constexpr int kSurfaced = -3;  // whose surfaces have more than friction and restitution, visited one by one
    static constexpr int kAsleep = -4, kAsleepSurfaced = -5;  // those of bodies that sleep
    using SurfaceStore = ManifoldStore<double, 4, SurfaceBlock>;

    const std::vector<Touch>& touches() const { return touches_; }
    // Another number whenever manifolds have come, gone, or moved to where they are solved.
    std::uint64_t revision() const { return revision_; }
    std::vector<ManifoldColor<T>>& colors() { return colors_; }
    const std::vector<ManifoldColor<T>>& colors() const { return colors_; }
    ManifoldColor<double>& serial() { return serial_; }
    SurfaceStore& surfaced() { return surfaced_; }
    // Manifolds that are solved directly, all of an island at once.
    ManifoldColor<double>& direct() { return direct_; }
    // Whether its bodies sleep.
    static bool is_asleep(const Touch& touch) { return touch.color == kAsleep || touch.color == kAsleepSurfaced; }

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
    // Calls f(store) for the manifolds in lanes, those visited one by one, and those solved directly; not for those that sleep.
    template <class F>
    void for_all_stores(F f) {
        for (ManifoldColor<T>& color : colors_) color.for_each_store(f);
        serial_.for_each_store(f);
        direct_.for_each_store(f);
        if (surfaced_.bundles()) f(surfaced_);
    }
    // Whether there are any of these.
    bool any_awake() {
        bool any = false;
        for_all_stores([&](auto&) { any = true; });
        return any;
    }
    template <class F>
    void for_sleeping_stores(F f) {
        asleep_.for_each_store(f);
        if (asleep_surfaced_.bundles()) f(asleep_surfaced_);
    }
    // Calls f(first row, second row, sum of normal impulses) for all manifolds.
    template <class F>
    void for_each_load(F f) {
        for_all_stores([&](auto& store) {
            for (int slot = 0; slot < store.size(); ++slot) {
                const auto& m = store.block_of(slot);
                const int lane = store.lane_of(slot);
                double sum = 0.0;
                for (const auto& x : m.normal_impulse) sum += stored_lane(x, lane);
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
                  mat3(poses[first].v + kRowAxes) * stored_vector(n, lane));
            }
        });
    }

protected:
    void archive_stores(StateArchive& archive) {
        archive(touches_);
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
        if (archive.reads()) ++revision_;
    }
    // A new manifold, in a store; returns its number.
    int acquire(const Touch& touch) {
        int t = static_cast<int>(touches_.size());
        if (free_touches_.empty()) {
            touches_.push_back({});
        } else {
            t = free_touches_.back();
            free_touches_.pop_back();
        }
        ++revision_;
        touches_[t] = touch;
        touches_[t].slot = with_store(touch, [&](auto& store) { return store.add(t); });
        return t;
    }
    // Ends a manifold; `first`: the first of its pair's.
    void release(int t, int& first, std::vector<SolverBody>& bodies) {
        const Touch touch = touches_[t];
        ++revision_;
        int* link = &first;
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

    std::vector<Touch> touches_;

private:
    std::uint64_t revision_ = 1;
    std::vector<int> free_touches_;
    std::vector<ManifoldColor<T>> colors_;
    ManifoldColor<double> serial_, direct_, asleep_;
    SurfaceStore surfaced_, asleep_surfaced_;
};

KIDO_END
