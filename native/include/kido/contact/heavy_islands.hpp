#pragma once

#include <algorithm>

#include "kido/contact/islands.hpp"

// Which islands sweeps would not solve: those in which a free body, or a skeleton that nothing but contacts holds, carries many times
// its own weight. At first that is told by the masses that lie on it, each body's load being shared by those that it lies on; later by
// the impulses that it was seen to take. Bodies of about equal mass are never meant, however many lie on each other.

KIDO_BEGIN

// Whether nothing but contacts keeps a skeleton from falling.
inline bool weighs_on_ground(const Model& model) {
    bool free = model.num_links > 0;
    for (int i = 0; i < model.num_links; ++i) free &= model.links[i].parent >= 0 || model.links[i].kind == JointKind::free;
    return free;
}

class HeavyIslands {
public:
    void add_row() {
        masses_.push_back(0.0);
        carriers_of_.push_back(static_cast<int>(masses_.size()) - 1);
        held_.push_back(0);
        flags_.push_back(0);
        highs_.push_back(0);
        direct_.push_back(0);
        soft_.push_back(0);
        rests_.push_back({});
        usual_.push_back(0.0);
    }
    void set_mass(int row, double mass) {
        masses_[row] = mass;
        carriers_of_[row] = row;
        total_ += mass;
        heaviest_ = std::max(heaviest_, mass);
        lightest_ = std::min(lightest_, mass);
    }
    // A skeleton that weighs on what it stands on carries as a whole, links of others by themselves.
    void set_tree(int first, const Model& model) {
        const bool whole = weighs_on_ground(model);
        if (whole) set_mass(first, model.total_mass);
        for (int i = 0; i < model.num_links; ++i) {
            if (!whole && model.links[i].mass > 0.0) set_mass(first + i, model.links[i].mass);
            carriers_of_[first + i] = whole ? first : first + i;
            held_[first + i] = !whole;
        }
    }
    // A point of a soft body, whose island is left to sweeps.
    void set_soft(int row) { soft_[row] = 1; }
    // Whether overloaded bodies lie in islands that are too large to be solved directly, or move too much for that.
    bool any_large() const { return large_; }
    void archive(StateArchive& archive) {
        for (auto* flags : {&flags_, &highs_, &direct_}) archive.same_length(*flags);
        archive.same_length(rests_);
        archive.same_length(usual_);
        islands_.archive(archive);
        archive(steps_);
        archive(any_);
        archive(large_);
        archive(driven_);
        archive(resting_);
    }
    // Whether a body's manifolds are solved directly.
    bool is_direct(const std::vector<SolverBody>& bodies, int row) const {
        return bodies[row].moves() && direct_[island_node(bodies, row)];
    }
    int island_of(int row) const { return islands_.of(row); }
    // Whether islands are left to sweeps for a while.
    bool any_resting() const { return resting_ > 0; }
    // In place of `update`, where nothing is awake.
    void pass() { ++steps_; }

    // After contacts were found; true where another set of bodies is to be solved directly from now on, or new contacts of them
    // are. `unsolved`: names of islands for which that failed in the last step; h: length of its sub-steps [s], 0: there was none;
    // is_driven(): whether other forces than gravity act.
    template <class T, class IsDriven>
    bool update(const std::vector<int>& unsolved, ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const ColliderSet& colliders,
                const std::vector<BodyConstraintRows>& constraints, const PoseRow* poses, const Vec3<double>& gravity, double h,
                const IsDriven& is_driven) {
        const bool uneven = is_uneven(heaviest_, lightest_, total_);
        const bool looks = ++steps_ % kInterval == 0 && h > 0.0;
        const bool fresh = !pairs.fresh_touches().empty() && (any_ || large_ || uneven);
        const bool turned = rest(unsolved);
        if (!fresh && !looks && !turned) return false;
        driven_ = looks && is_driven();
        const bool measured = looks && (any_ || large_ || uneven || driven_) && measure(pairs, bodies, h);
        if (!fresh && !measured && !turned) return false;
        islands_.find(pairs, bodies, colliders, constraints);
        count(bodies);
        foresee(pairs, bodies, colliders, poses, gravity, measured);
        return choose(bodies) || (fresh && any_);
    }

private:
    static constexpr double kMostCarried = 20.0;  // own weights that sweeps carry well
    static constexpr double kFewCarried = 10.0;   // below which a body is no longer overloaded
    static constexpr double kUneven = 10.0;       // times its mass that one of the bodies above has to weigh
    static constexpr double kSupports = 0.2;      // of a normal upwards, from which one body lies on the other
    static constexpr double kLeastUsual = 1e-3;   // of bodies that are pressed by forces, which tells these apart
    static constexpr double kGravity = 9.81;      // by which loads are measured [m/s^2]
    static constexpr int kInterval = 16, kHighs = 3, kLows = 8;  // steps between looks; looks until something changes
    static constexpr int kMostBodies = 128;       // of an island that is solved directly
    static constexpr int kMostBodiesOfLinks = 32;  // where but links of skeletons that are held are overloaded

    // One body of an island, and what is known of those that lie on it.
    struct Carrier {
        int row;
        double height, load, heaviest;  // [m]; mass above and its own, the largest of them [kg]
    };
    // One body that lies on another one; share: how much its normal points upwards.
    struct Support {
        int above, below;
        double share;
    };
    // Of an island.
    struct Masses {
        int bodies = 0;
        double total = 0.0, heaviest = 0.0, lightest = HUGE_VAL;
    };

    // Whether bodies of these masses can overload each other by their weights.
    static bool is_uneven(double heaviest, double lightest, double total) {
        return heaviest >= kUneven * lightest && total > kMostCarried * lightest;
    }

    // How long the island of a body is not solved directly, for it moves too much.
    struct Rest {
        int left = 0, next = kShortRest;  // steps
    };
    static constexpr int kShortRest = 512, kLongRest = 8192;

    // Begins to rest what was not solved; true where a rest begins or ends.
    bool rest(const std::vector<int>& unsolved) {
        bool turned = !unsolved.empty();
        if (resting_ > 0) {
            for (Rest& r : rests_) {
                if (r.left == 0 || --r.left > 0) continue;
                --resting_;
                turned = true;
            }
        }
        for (const int row : unsolved) {
            Rest& r = rests_[row];
            resting_ += r.left == 0;
            r.left = r.next;
            r.next = std::min(2 * r.next, kLongRest);
        }
        return turned;
    }
    // Own weights that each of them carries, by the impulses of the last sub-step; true where that may change a flag.
    template <class T>
    bool measure(ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, double h) {
        carried_.assign(bodies.size(), 0.0);
        pairs.for_each_load([&](int first, int second, double impulse) {
            carried_[carriers_of_[first]] += impulse;
            carried_[carriers_of_[second]] += impulse;
        });
        bool changed = false;
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            if (bodies[i].asleep) carried_[i] = 0.0;
            if (masses_[i] == 0.0 || bodies[i].asleep) continue;
            carried_[i] = 0.5 * (carried_[i] / (h * kGravity * masses_[i]) - 1.0);
            const double carried = carried_[i] - usual_[i];
            highs_[i] = carried > kMostCarried ? static_cast<char>(std::min(highs_[i] + 1, kHighs)) : 0;
            const bool released = usual_[i] > 0.0 && !driven_;
            if (highs_[i] == kHighs && !released) {
                if (flags_[i] > 0) flags_[i] = kLows;
                else changed = true;
            } else if ((carried < kFewCarried || released) && flags_[i] > 0 && --flags_[i] == 0) {
                usual_[i] = 0.0;
                changed = true;
            }
        }
        return changed;
    }
    void count(const std::vector<SolverBody>& bodies) {
        groups_.assign(bodies.size(), Masses{});
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            if (!bodies[i].moves()) continue;
            Masses& m = groups_[islands_.of(static_cast<int>(i))];
            m.bodies += bodies[i].link <= 0;
            if (masses_[i] == 0.0) continue;
            m.total += masses_[i];
            m.heaviest = std::max(m.heaviest, masses_[i]);
            m.lightest = std::min(m.lightest, masses_[i]);
        }
    }
    // Flags bodies that carry many times their mass, and much of it in one body, in islands with new contacts; and those that were
    // seen to carry much, where that is no impact: masses above them or forces explain it.
    template <class T>
    void foresee(ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const ColliderSet& colliders,
                 const PoseRow* poses, const Vec3<double>& gravity, bool measured) {
        const double g = geometry::length(gravity);
        find_new(pairs, bodies, colliders);
        if (!list_carriers(bodies, poses, g > 0.0 ? gravity * (-1.0 / g) : zero3<double>(), measured)) return;
        list_supports(pairs, bodies, poses, g > 0.0 ? gravity * (-1.0 / g) : zero3<double>());
        weigh();
        for (const Carrier& c : carriers_) {
            const double mass = masses_[c.row], above = c.load / mass - 1.0;
            const bool heavy = above > kMostCarried && c.heaviest >= kUneven * mass;
            const bool pressed = highs_[c.row] == kHighs && driven_ && carried_[c.row] - above > kMostCarried;
            const bool wedged = highs_[c.row] == kHighs && groups_[islands_.of(c.row)].heaviest >= kUneven * mass;
            const bool loaded = wedged || (heavy && looked_at_[islands_.of(c.row)]);
            if (!pressed && !loaded) continue;
            flags_[c.row] = kLows;
            usual_[c.row] = loaded ? 0.0 : std::max(above, kLeastUsual);
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
    // Bodies of islands in which some may be overloaded, the highest first; false where there are none.
    bool list_carriers(const std::vector<SolverBody>& bodies, const PoseRow* poses, const Vec3<double>& up, bool measured) {
        carriers_.clear();
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            const int row = static_cast<int>(i);
            if (masses_[i] == 0.0) continue;
            const Masses& m = groups_[islands_.of(row)];
            if (!measured && !(looked_at_[islands_.of(row)] && is_uneven(m.heaviest, m.lightest, m.total))) continue;
            carriers_.push_back({row, dot(vec3(poses[row].v), up), masses_[i], 0.0});
        }
        std::stable_sort(carriers_.begin(), carriers_.end(), [](const Carrier& a, const Carrier& b) { return a.height > b.height; });
        places_.assign(bodies.size(), -1);
        for (std::size_t k = 0; k < carriers_.size(); ++k) places_[carriers_[k].row] = static_cast<int>(k);
        return !carriers_.empty();
    }
    // What lies on what, the highest above first.
    template <class T>
    void list_supports(ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const PoseRow* poses, const Vec3<double>& up) {
        supports_.clear();
        pairs.for_each_normal(poses, [&](int first, int second, const Vec3<double>& normal) {
            const double along = dot(normal, up);
            if (std::fabs(along) < kSupports) return;
            const int above = along > 0.0 ? first : second, below = along > 0.0 ? second : first;
            if (!bodies[above].moves()) return;
            const int upper = places_[carriers_of_[above]];
            const int lower = bodies[below].moves() ? places_[carriers_of_[below]] : -1;
            if (upper >= 0 && upper != lower) supports_.push_back({upper, lower, std::fabs(along)});
        });
        std::stable_sort(supports_.begin(), supports_.end(), [](const Support& a, const Support& b) { return a.above < b.above; });
    }
    // Hands the load of each body down to those that it lies on, which are lower, in equal shares as normals point upwards.
    void weigh() {
        for (std::size_t k = 0; k < supports_.size();) {
            std::size_t end = k;
            double sum = 0.0;
            for (; end < supports_.size() && supports_[end].above == supports_[k].above; ++end) sum += supports_[end].share;
            const Carrier& above = carriers_[supports_[k].above];
            const double heaviest = std::max(above.heaviest, masses_[above.row]);
            for (; k < end; ++k) {
                if (supports_[k].below <= supports_[k].above) continue;
                Carrier& below = carriers_[supports_[k].below];
                below.load += above.load * supports_[k].share / sum;
                below.heaviest = std::max(below.heaviest, heaviest);
            }
        }
    }
    // The islands of flagged bodies; true where others than before are solved directly.
    bool choose(const std::vector<SolverBody>& bodies) {
        chosen_.assign(bodies.size(), 0);
        large_ = false;
        std::vector<char>& resting = looked_at_;
        resting.assign(bodies.size(), 0);
        for (std::size_t i = 1; i < rests_.size(); ++i) {
            if (rests_[i].left > 0 || soft_[i]) resting[islands_.of(static_cast<int>(i))] = 1;
        }
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            const int island = islands_.of(static_cast<int>(i));
            if (flags_[i] == 0) continue;
            const bool small = groups_[island].bodies <= (held_[i] ? kMostBodiesOfLinks : kMostBodies) && !resting[island];
            large_ |= !small && !held_[i];
            if (small) chosen_[island] = 1;
        }
        // Short sub-steps do for all.
        if (large_) std::fill(chosen_.begin(), chosen_.end(), 0);
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
    std::vector<char> looked_at_, chosen_, soft_;
    std::vector<Masses> groups_;  // by the islands' names
    std::vector<Carrier> carriers_;
    std::vector<Support> supports_;
    std::vector<int> places_;  // among carriers, by row; -1: none
    std::vector<int> carriers_of_;  // the row at which a body's load is counted
    std::vector<char> held_;        // whether a row is a link of a skeleton that does not weigh on what it stands on
    double total_ = 0.0, heaviest_ = 0.0, lightest_ = HUGE_VAL;
    std::vector<Rest> rests_;    // by row
    std::vector<double> usual_;  // own weights that bodies pressed by forces carry without these; 0: others
    long steps_ = 0;
    int resting_ = 0;
    bool any_ = false, large_ = false, driven_ = false;
};

KIDO_END
