#pragma once

#include <span>
#include <unordered_set>
#include <utility>

#include "kido/contact/collider_set.hpp"
#include "kido/contact/pair_table.hpp"
#include "kido/contact/pair_travel.hpp"
#include "kido/contact/solver_body.hpp"
#include "kido/contact/union_find.hpp"

// Pairs of shapes whose boxes meet: each keeps its number for as long as they do. What many pairs are asked at once stands apart from
// what a test reads of one.

KIDO_BEGIN

struct ContactPair {
    int first, second;  // colliders; -1: the pair is over
    int touch;          // its first manifold, -1: none
};

class PairList {
public:
    const std::vector<ContactPair>& all() const { return pairs_; }
    int size() const { return static_cast<int>(pairs_.size()); }
    ContactPair& operator[](int k) { return pairs_[k]; }
    const ContactPair& operator[](int k) const { return pairs_[k]; }
    PairMemory& memory(int k) { return memories_[k]; }
    PairTravel& travel(int k) { return travels_[k]; }

    // Two colliders that never meet.
    void exclude(int i, int j) { excluded_.insert(key(std::min(i, j), std::max(i, j))); }
    // Two rows of the solver that are one body, as a rigid weld makes them: their colliders never meet, nor those of what else is welded
    // to them.
    void weld(int a, int b) {
        welded_.grow(std::max(a, b) + 1);
        welded_.join(a, b);
    }
    // After colliders have moved: adds pairs whose boxes meet now, and calls end(k) for those whose boxes do not any more, at once or after
    // some more moves; until then such a pair is as good as others.
    template <class End>
    void update(ColliderSet& colliders, const std::vector<SolverBody>& bodies, bool at_once, End end) {
        if (colliders.moved().empty()) return;
        colliders.for_near_pairs([&](int i, int j) { add(i, j, colliders, bodies); });
        moves_ += colliders.moved().size();
        colliders.forget_moved();
        if (!at_once && kPairsPerMove * moves_ < pairs_.size()) return;
        moves_ = 0;
        // Without a branch for what nobody foresees: whether a collider has moved.
        if (chosen_.size() < pairs_.size()) chosen_.resize(pairs_.size());
        std::size_t count = 0;
        for (int k = 0; k < size(); ++k) {
            const ContactPair& p = pairs_[k];
            chosen_[count] = k;
            count += (p.first >= 0) & (colliders.has_moved(std::max(p.first, 0)) | colliders.has_moved(std::max(p.second, 0)));
        }
        for (std::size_t i = 0; i < count; ++i) {
            const int k = chosen_[i];
            if (colliders.near(pairs_[k].first, pairs_[k].second)) continue;
            end(k);
            remove(k);
        }
        colliders.forget_all_moves();
    }
    // Numbers of the pairs that are to be tested, in their order.
    std::span<const int> find_due(const ForeseenMotion& foreseen, const std::vector<SolverBody>& bodies) {
        // Of each pair one body moves: none is left out unless it sleeps.
        if (!foreseen.any_asleep()) return choose([&](const PairTravel& travel) { return travel.is_due(foreseen); });
        return choose([&](const PairTravel& travel) {
            return travel.is_due(foreseen) & (bodies[travel.first].is_awake() | bodies[travel.second].is_awake());
        });
    }
    void archive(StateArchive& archive) {
        archive(pairs_);
        archive(memories_);
        archive(travels_);
        archive(free_);
        archive(moves_);
        if (!archive.reads()) return;
        archive.require(memories_.size() == pairs_.size() && travels_.size() == pairs_.size());
        known_.clear();
        for (const ContactPair& pair : pairs_) {
            if (pair.first >= 0) known_.insert(pair.first, pair.second);
        }
    }

private:
    static constexpr std::size_t kPairsPerMove = 4;  // for so many pairs that there are, a collider has to move before ends are looked for

    template <class Chooses>
    std::span<const int> choose(const Chooses& chooses) {
        if (chosen_.size() < pairs_.size()) chosen_.resize(pairs_.size());
        std::size_t count = 0;
        for (int k = 0; k < size(); ++k) {
            chosen_[count] = k;
            count += chooses(travels_[k]);
        }
        return {chosen_.data(), count};
    }
    static std::uint64_t key(int i, int j) { return static_cast<std::uint64_t>(i) << 32 | static_cast<unsigned>(j); }

    static bool may_meet(const Collider& a, const Collider& b) {
        if ((a.category & b.collides_with) == 0 || (b.category & a.collides_with) == 0) return false;
        if (a.group == 0 || a.group != b.group) return true;
        return a.meets_own && b.meets_own && a.parent != b.body && b.parent != a.body;
    }
    bool are_welded(int a, int b) {
        return static_cast<std::size_t>(std::max(a, b)) < welded_.size() && welded_.root(a) == welded_.root(b);
    }
    void add(int i, int j, const ColliderSet& colliders, const std::vector<SolverBody>& bodies) {
        if (i > j) std::swap(i, j);
        if (known_.contains(i, j)) return;
        const Collider &a = colliders[i].collider, &b = colliders[j].collider;
        const bool skinned = colliders[i].skin >= 0 || colliders[j].skin >= 0;
        if (a.body == b.body || !(may_meet(a, b) || (skinned && colliders.are_one_skin(i, j)))) return;
        if (skinned && !colliders.may_meet_skin(i, j)) return;
        if (!bodies[a.body].moves() && !bodies[b.body].moves()) return;
        if (!excluded_.empty() && excluded_.count(key(i, j)) != 0) return;
        if (are_welded(a.body, b.body)) return;
        known_.insert(i, j);
        const ContactPair pair = {i, j, -1};
        const PairTravel travel = PairTravel::untested(a.body, b.body);
        if (free_.empty()) {
            pairs_.push_back(pair);
            memories_.push_back({});
            travels_.push_back(travel);
        } else {
            const int k = free_.back();
            free_.pop_back();
            pairs_[k] = pair;
            memories_[k] = {};
            travels_[k] = travel;
        }
    }
    void remove(int k) {
        ContactPair& p = pairs_[k];
        known_.erase(p.first, p.second);
        p.first = p.second = -1;
        travels_[k] = PairTravel::never();
        free_.push_back(k);
    }

    std::vector<ContactPair> pairs_;
    std::vector<PairMemory> memories_;  // of the pairs
    std::vector<PairTravel> travels_;   // of the pairs
    std::vector<int> free_, chosen_;
    std::uint64_t moves_ = 0;  // of colliders since ends were looked for
    PairTable known_;
    std::unordered_set<std::uint64_t> excluded_;
    UnionFind welded_;  // rows of the solver
};

KIDO_END
