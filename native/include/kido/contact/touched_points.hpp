#pragma once

#include "kido/contact/response_coordinate.hpp"
#include "kido/contact/soft_part.hpp"
#include "kido/contact/state_archive.hpp"

// The points around links that contacts touch in a step, and how impulses on one move others of them through springs.

KIDO_BEGIN

class TouchedPoints {
public:
    struct Point {
        int soft, point;

        friend bool operator==(const Point&, const Point&) = default;
    };

    // Gives each contact the slot of its point.
    void find(std::vector<PointContact>& contacts, std::vector<SoftPart>& softs) {
        before_.swap(points_);
        points_.clear();
        if (!contacts.empty()) number(contacts, softs);
        std::vector<long> revisions;
        for (const SoftPart& soft : softs) revisions.push_back(soft.layer.revision());
        if (points_ == before_ && revisions == revisions_) return;
        revisions_ = revisions;
        list_near(softs);
    }
    std::size_t size() const { return points_.size(); }
    const Point& operator[](std::size_t slot) const { return points_[slot]; }
    // Calls f(slot, response) with the points that an impulse moves, along its own direction.
    template <class F>
    KIDO_INLINE void for_near(int slot, const F& f) const {
        for (int k = starts_[slot]; k < starts_[slot + 1]; ++k) f(near_[k].point, near_[k].response);
    }
    // How the velocity of a point responds to an impulse on one, itself or another.
    double response(int first, int second) const {
        double found = 0.0;
        for_near(first, [&](int slot, double x) { found = slot == second ? x : found; });
        return found;
    }
    void archive(StateArchive& archive) {
        archive(points_);
        if (archive.reads()) revisions_.clear();
    }

private:
    void number(std::vector<PointContact>& contacts, const std::vector<SoftPart>& softs) {
        slots_.resize(softs.size());
        for (std::size_t s = 0; s < softs.size(); ++s) slots_[s].assign(softs[s].size(), -1);
        for (PointContact& c : contacts) {
            int& slot = slots_[c.soft][c.point];
            if (slot < 0) {
                slot = static_cast<int>(points_.size());
                points_.push_back({c.soft, c.point});
            }
            c.slot = slot;
        }
    }
    void list_near(std::vector<SoftPart>& softs) {
        starts_.assign(1, 0);
        near_.clear();
        if (points_.empty()) return;
        for (std::size_t s = 0; s < softs.size(); ++s) softs[s].layer.learn_couplings(slots_[s]);
        for (const auto& [s, point] : points_) {
            for (const SoftCoupling& c : softs[s].layer.couplings(point)) {
                if (slots_[s][c.point] >= 0) near_.push_back({slots_[s][c.point], c.response});
            }
            starts_.push_back(static_cast<int>(near_.size()));
        }
    }

    std::vector<Point> points_, before_;
    std::vector<long> revisions_;  // of the parts' layers, when those near to each were listed
    std::vector<int> starts_;             // of those near to each
    std::vector<SoftCoupling> near_;      // by slot
    std::vector<std::vector<int>> slots_;  // of each part's points; -1: not touched
};

KIDO_END
