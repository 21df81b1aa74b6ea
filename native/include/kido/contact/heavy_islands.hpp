#pragma once

#include "kido/contact/islands.hpp"

// Which islands sweeps would not solve: those in which a free body, or a skeleton that nothing but contacts holds, carries many times
// its own weight. At first that is told by the masses above it, later by the impulses that it was seen to take.

KIDO_BEGIN

// Whether nothing but contacts keeps a skeleton from falling.
inline bool weighs_on_ground(const Model& model) {
    bool free = model.num_links > 0;
    for (int i = 0; i < model.num_links; ++i) free &= model.links[i].parent >= 0 || model.links[i].kind == JointKind::free;
    return free;
}
inline double total_mass(const Model& model) {
    double sum = 0.0;
    for (int i = 0; i < model.num_links; ++i) sum += model.links[i].mass;
    return sum;
}

class HeavyIslands {
public:
    void add_row() {
        masses_.push_back(0.0);
        flags_.push_back(0);
        highs_.push_back(0);
        direct_.push_back(0);
    }
    // Of a free body, or of a skeleton at its first link, where it weighs on what it stands on.
    void set_mass(int row, double mass) {
        masses_[row] = mass;
        total_ += mass;
        heaviest_ = std::max(heaviest_, mass);
        lightest_ = std::min(lightest_, mass);
    }
    bool any() const { return any_; }
    void archive(StateArchive& archive) {
        for (auto* flags : {&flags_, &highs_, &direct_}) archive.same_length(*flags);
        islands_.archive(archive);
        archive(steps_);
        archive(any_);
        archive(driven_);
    }
    // Whether a body's manifolds are solved directly.
    bool is_direct(const std::vector<SolverBody>& bodies, int row) const {
        return bodies[row].moves() && direct_[island_node(bodies, row)];
    }
    int island_of(int row) const { return islands_.of(row); }
    // In place of `update`, where nothing is awake.
    void pass() { ++steps_; }

    // After contacts were found; true where another set of bodies is to be solved directly from now on, or new contacts of them
    // are. h: length of the sub-steps before [s], 0: there were none; is_driven(): whether other forces than gravity act.
    template <class T, class IsDriven>
    bool update(ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const ColliderSet& colliders,
                const std::vector<BodyConstraintRows>& constraints, const PoseRow* poses, const Vec3<double>& gravity, double h,
                const IsDriven& is_driven) {
        const bool uneven = heaviest_ > kUneven * lightest_ && total_ > kMostCarried * lightest_;
        const bool looks = ++steps_ % kInterval == 0 && h > 0.0, fresh = !pairs.fresh_touches().empty() && (any_ || uneven);
        if (!fresh && !looks) return false;
        driven_ = looks && is_driven();
        const bool measured = looks && (any_ || uneven || driven_) && measure(pairs, bodies, h);
        if (!fresh && !measured) return false;
        islands_.find(pairs, bodies, colliders, constraints);
        count(bodies);
        foresee(pairs, bodies, colliders, poses, gravity);
        return choose(bodies) || (fresh && any_);
    }

private:
    static constexpr double kMostCarried = 20.0;  // own weights that sweeps carry well
    static constexpr double kFewCarried = 10.0;   // below which a body is no longer overloaded
    static constexpr double kUneven = 4.0;        // ratio of masses from which a new contact is looked at
    static constexpr double kGravity = 9.81;      // by which loads are measured [m/s^2]
    static constexpr int kInterval = 16, kHighs = 3, kLows = 8;  // steps between looks; looks until something changes
    static constexpr int kMostBodies = 32;        // of an island that is solved directly

    // Own weights that each of them carries, by the impulses of the last sub-step; true where that may change a flag.
    template <class T>
    bool measure(ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, double h) {
        carried_.assign(bodies.size(), 0.0);
        pairs.for_each_load([&](int first, int second, double impulse) {
            carried_[island_node(bodies, first)] += impulse;
            carried_[island_node(bodies, second)] += impulse;
        });
        bool changed = false;
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            if (masses_[i] == 0.0 || bodies[i].asleep) continue;
            const double carried = 0.5 * (carried_[i] / (h * kGravity * masses_[i]) - 1.0);
            highs_[i] = carried > kMostCarried ? static_cast<char>(std::min(highs_[i] + 1, kHighs)) : 0;
            if (highs_[i] == kHighs) {
                if (flags_[i] > 0) flags_[i] = kLows;
                else changed = true;
            } else if (carried < kFewCarried && flags_[i] > 0) {
                changed |= --flags_[i] == 0;
            }
        }
        return changed;
    }
    void count(const std::vector<SolverBody>& bodies) {
        sizes_.assign(bodies.size(), 0);
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            if (bodies[i].moves() && bodies[i].link <= 0) ++sizes_[islands_.of(static_cast<int>(i))];
        }
    }
    static double height(const PoseRow* poses, int row, const Vec3<double>& up) { return dot(vec3(poses[row].v), up); }
    // Flags bodies that have many times their mass above them in islands with new contacts, and something directly on them; and
    // those that were seen to carry much, where that is no impact: masses above them or forces explain it.
    template <class T>
    void foresee(ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const ColliderSet& colliders,
                 const PoseRow* poses, const Vec3<double>& gravity) {
        const double g = geometry::length(gravity);
        const Vec3<double> up = g > 0.0 ? gravity * (-1.0 / g) : zero3<double>();
        find_new(pairs, bodies, colliders);
        bears_.assign(bodies.size(), 0);
        pairs.for_each_normal(poses, [&](int first, int second, const Vec3<double>& normal) {
            if (!bodies[first].moves() || !bodies[second].moves()) return;
            const double along = dot(normal, up);
            if (along > 0.5) bears_[island_node(bodies, second)] = 1;
            if (along < -0.5) bears_[island_node(bodies, first)] = 1;
        });
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            const int row = static_cast<int>(i), island = islands_.of(row);
            if (masses_[i] == 0.0 || sizes_[island] > kMostBodies) continue;
            const bool seen = highs_[i] == kHighs;
            if (!seen && !(bears_[i] && looked_at_[island])) continue;
            if ((seen && driven_) || mass_above(poses, row, up) > kMostCarried * masses_[i]) flags_[i] = kLows;
        }
    }
    template <class T>
    void find_new(ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const ColliderSet& colliders) {
        looked_at_.assign(bodies.size(), 0);
        for (const int t : pairs.fresh_touches()) {
            const ContactPair& pair = pairs.pairs()[pairs.touches()[t].pair];
            if (pair.first < 0) continue;
            for (const int c : {pair.first, pair.second}) {
                const int row = colliders[c].collider.body;
                if (bodies[row].moves()) looked_at_[islands_.of(row)] = 1;
            }
        }
    }
    double mass_above(const PoseRow* poses, int row, const Vec3<double>& up) const {
        const double own = height(poses, row, up);
        double above = 0.0;
        for (std::size_t j = 1; j < masses_.size(); ++j) {
            if (islands_.of(static_cast<int>(j)) == islands_.of(row) && height(poses, static_cast<int>(j), up) > own) above += masses_[j];
        }
        return above;
    }
    // The islands of flagged bodies; true where others than before are solved directly.
    bool choose(const std::vector<SolverBody>& bodies) {
        chosen_.assign(bodies.size(), 0);
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            const int island = islands_.of(static_cast<int>(i));
            if (flags_[i] > 0 && sizes_[island] <= kMostBodies) chosen_[island] = 1;
        }
        bool changed = false;
        any_ = false;
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            const char now = bodies[i].moves() && chosen_[islands_.of(static_cast<int>(i))];
            changed |= now != direct_[i];
            any_ |= now;
            direct_[i] = now;
        }
        return changed;
    }

    Islands islands_;
    std::vector<double> masses_, carried_;
    std::vector<char> flags_, highs_, direct_;  // looks until a body is no longer overloaded; how often it was; by row
    std::vector<char> looked_at_, bears_, chosen_;
    std::vector<int> sizes_;
    double total_ = 0.0, heaviest_ = 0.0, lightest_ = HUGE_VAL;
    long steps_ = 0;
    bool any_ = false, driven_ = false;
};

KIDO_END
