#pragma once

#include <algorithm>
#include <vector>

#include "kido/contact/correction_damping.hpp"
#include "kido/contact/serial_contact.hpp"

// By how much impulses of rows turn what they move: all dofs of the skeletons, and free bodies.

KIDO_BEGIN

class TurnedAngle {
public:
    void begin() {
        count_ = 0;
        bodies_.clear();
    }
    void add(const SideRows& rows, int tree, int coordinate, double impulse) {
        int i = 0;
        while (i < count_ && trees_[i].tree != tree) ++i;
        if (i == count_) {
            if (++count_ > static_cast<int>(trees_.size())) trees_.emplace_back();
            trees_[i].tree = tree;
            trees_[i].impulses.assign(rows.responses[tree].size(), 0.0);
        }
        trees_[i].impulses[coordinate] += impulse;
    }
    // torque: about the center of mass.
    void add(int body, const Vec3<double>& torque) {
        for (Body& b : bodies_) {
            if (b.row != body) continue;
            b.torque += torque;
            return;
        }
        bodies_.push_back({body, torque});
    }
    // per_length: angles that lengths stand for, of dofs that slide [1/m].
    KIDO_NOINLINE TurnedRates largest(const SideRows& rows, double per_length) const {
        TurnedRates out = {0.0, 0.0};
        for (int i = 0; i < count_; ++i) {
            ArticulationResponse& response = rows.responses[trees_[i].tree];
            out.impulses = std::max(out.impulses, response.largest_rate(trees_[i].impulses.data(), per_length));
            out.motion = std::max(out.motion, response.largest_velocity(per_length));
        }
        for (const Body& b : bodies_) {
            out.impulses = std::max(out.impulses, geometry::length(load_pose<double>(rows.poses, &b.row).inverse_inertia * b.torque));
            out.motion = std::max(out.motion, geometry::length(vec3(rows.velocities[b.row].v + 3)));
        }
        return out;
    }

private:
    struct Tree {
        int tree;
        std::vector<double> impulses;
    };
    struct Body {
        int row;
        Vec3<double> torque;
    };

    std::vector<Tree> trees_;
    std::vector<Body> bodies_;
    int count_ = 0;
};

KIDO_END
