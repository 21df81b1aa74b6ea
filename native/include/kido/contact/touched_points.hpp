#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "kido/contact/response_coordinate.hpp"
#include "kido/contact/soft_part.hpp"
#include "kido/contact/state_archive.hpp"

// The points around links that contacts touch in a step, and how impulses on one move others of them through springs: the entries of
// A^-1 (see SoftLayer) between them, in tiles of eight by eight. Of many points the tiles of those that are far from each other are left
// out, and what is left out of a row R is added to its diagonal. That is as much as any impulses could make of it, for no entry of
// A^-1 is negative and diag(R 1) - R is diagonally dominant: sweeps that go by it, each from what the impulses so far truly make of the
// velocities, never give too much, and end where those of the whole matrix end.

KIDO_BEGIN

class TouchedPoints {
public:
    struct Point {
        int soft, point;

        friend bool operator==(const Point&, const Point&) = default;
    };
    static constexpr int kTile = 8;
    using Row = Lanes<kTile>;

    // Gives each contact the slots of its points.
    void find(std::vector<PointContact>& contacts, std::vector<SoftPart>& softs) {
        before_.swap(points_);
        points_.clear();
        if (!contacts.empty()) number(contacts, softs);
        bool same = points_ == before_ && revisions_.size() == softs.size();
        revisions_.resize(softs.size());
        for (std::size_t s = 0; s < softs.size(); ++s) {
            same = same && revisions_[s] == softs[s].layer.revision();
            revisions_[s] = softs[s].layer.revision();
        }
        if (!same) list_near(softs);
    }
    std::size_t size() const { return points_.size(); }
    // With empty slots up to whole tiles.
    std::size_t padded() const { return tiles() * kTile; }
    const Point& operator[](std::size_t slot) const { return points_[slot]; }
    // Calls f(slot, responses) with eight slots from that one on, which an impulse on one moves along its own direction.
    template <class F>
    KIDO_INLINE void for_near(int slot, const F& f) const {
        for (int k = starts_[slot / kTile]; k < starts_[slot / kTile + 1]; ++k) f(kTile * near_[k], rows_[kTile * k + slot % kTile]);
    }
    // Whether tiles were left out.
    bool approximate() const { return approximate_; }
    // Then, of each part, what impulses on its points reach: see SoftLayer.
    const std::vector<int>& reached(std::size_t soft) const { return reached_[soft]; }
    // How the velocity of a point responds to an impulse on one, itself or another.
    double response(int first, int second) const {
        const auto begin = near_.begin() + starts_[first / kTile], end = near_.begin() + starts_[first / kTile + 1];
        const auto at = std::lower_bound(begin, end, second / kTile);
        if (at == end || *at != second / kTile) return 0.0;
        return get_lane(rows_[kTile * (at - near_.begin()) + first % kTile], second % kTile);
    }
    // The same of contacts at points, along one direction.
    double response(const PointContact& first, const PointContact& second) const {
        double sum = 0.0;
        for (int i = 0; i < first.on.count; ++i) {
            for (int j = 0; j < second.on.count; ++j) {
                sum += first.on.weights[i] * second.on.weights[j] * response(first.slots[i], second.slots[j]);
            }
        }
        return sum;
    }
    void archive(StateArchive& archive) {
        archive(points_);
        if (archive.reads()) revisions_.clear();
    }

private:
    static constexpr int kFewTiles = 16;         // of which none are left out
    static constexpr double kLeftOut = 0.1;      // how much may be left out of a row, of the response of a point to itself

    std::size_t tiles() const { return (points_.size() + kTile - 1) / kTile; }
    void number(std::vector<PointContact>& contacts, const std::vector<SoftPart>& softs) {
        slots_.resize(softs.size());
        for (std::size_t s = 0; s < softs.size(); ++s) slots_[s].assign(softs[s].size(), -1);
        for (PointContact& c : contacts) {
            for (int k = 0; k < c.on.count; ++k) {
                int& slot = slots_[c.soft][c.on.points[k]];
                if (slot < 0) {
                    slot = static_cast<int>(points_.size());
                    points_.push_back({c.soft, c.on.points[k]});
                }
                c.slots[k] = slot;
            }
        }
    }
    // Calls f(other, response) with the couplings of a point with others that are touched.
    template <class F>
    void for_couplings(const std::vector<SoftPart>& softs, int slot, const F& f) const {
        const auto [s, point] = points_[slot];
        for (const SoftCoupling& c : softs[s].layer.couplings(point)) {
            if (slots_[s][c.point] >= 0) f(slots_[s][c.point], c.response);
        }
    }
    void list_near(std::vector<SoftPart>& softs) {
        starts_.assign(1, 0);
        near_.clear();
        rows_.clear();
        if (points_.empty()) return;
        for (std::size_t s = 0; s < softs.size(); ++s) softs[s].layer.learn_couplings(slots_[s]);
        const int count = static_cast<int>(tiles());
        std::vector<std::vector<int>> joined(count);
        join(softs, joined);
        for (std::vector<int>& list : joined) {
            std::sort(list.begin(), list.end());
            near_.insert(near_.end(), list.begin(), std::unique(list.begin(), list.end()));
            starts_.push_back(static_cast<int>(near_.size()));
        }
        fill(softs);
        reached_.resize(softs.size());
        for (std::size_t s = 0; approximate_ && s < softs.size(); ++s) {
            std::vector<int> touched;
            for (const Point& p : points_) {
                if (p.soft == static_cast<int>(s)) touched.push_back(p.point);
            }
            reached_[s] = softs[s].layer.reach(touched);
        }
    }
    // Tiles of slots that move each other, of each tile.
    void join(const std::vector<SoftPart>& softs, std::vector<std::vector<int>>& joined) const {
        const int count = static_cast<int>(tiles());
        const auto all = [&](int tile) { for (int j = 0; j < count; ++j) joined[tile].push_back(j); };
        if (count <= kFewTiles) {
            for (int i = 0; i < count; ++i) all(i);
            return;
        }
        std::vector<double> sums(count, 0.0);
        std::vector<int> found;
        for (int slot = 0; slot < static_cast<int>(points_.size()); ++slot) {
            double own = 0.0, left = 0.0;
            for_couplings(softs, slot, [&](int other, double x) {
                if (sums[other / kTile] == 0.0) found.push_back(other / kTile);
                sums[other / kTile] += x;
                own = other == slot ? x : own;
            });
            std::sort(found.begin(), found.end(), [&](int i, int j) { return sums[i] < sums[j]; });
            for (const int tile : found) {
                left += std::exchange(sums[tile], 0.0);
                if (left <= kLeftOut * own) continue;  // which that of the slot itself is more than
                joined[slot / kTile].push_back(tile);
                joined[tile].push_back(slot / kTile);
            }
            found.clear();
        }
    }
    void fill(const std::vector<SoftPart>& softs) {
        rows_.assign(near_.size() * kTile, Row(0.0));
        approximate_ = false;
        std::vector<int> places(tiles(), -1);
        std::vector<double> left(points_.size(), 0.0);
        for (int slot = 0; slot < static_cast<int>(points_.size()); ++slot) {
            const int begin = starts_[slot / kTile], end = starts_[slot / kTile + 1];
            for (int k = begin; k < end; ++k) places[near_[k]] = k;
            left[slot] += softs[points_[slot].soft].layer.left_out(points_[slot].point);
            for_couplings(softs, slot, [&](int other, double x) {
                const int at = places[other / kTile];
                if (at < 0) {
                    left[slot] += x;
                } else {
                    entry(at, slot, other) = x;
                    // What is left out of the other's row.
                    for (int k = starts_[other / kTile]; k < starts_[other / kTile + 1]; ++k) {
                        if (near_[k] == slot / kTile) entry(k, other, slot) = x;
                    }
                }
            });
            for (int k = begin; k < end; ++k) places[near_[k]] = -1;
        }
        for (int slot = 0; slot < static_cast<int>(points_.size()); ++slot) {
            if (left[slot] == 0.0) continue;
            approximate_ = true;
            const auto begin = near_.begin() + starts_[slot / kTile], end = near_.begin() + starts_[slot / kTile + 1];
            entry(static_cast<int>(std::lower_bound(begin, end, slot / kTile) - near_.begin()), slot, slot) += left[slot];
        }
    }
    double& entry(int tile, int slot, int other) { return reinterpret_cast<double*>(&rows_[kTile * tile + slot % kTile])[other % kTile]; }

    std::vector<Point> points_, before_;
    bool approximate_ = false;
    std::vector<std::vector<int>> reached_;
    std::vector<long> revisions_;           // of the parts' layers, when those near to each were listed
    std::vector<int> starts_, near_;        // of each tile of slots: tiles that it moves, ascending
    std::vector<Row> rows_;                 // of each of these, the responses to each of the eight slots
    std::vector<std::vector<int>> slots_;   // of each part's points; -1: not touched
};

KIDO_END
