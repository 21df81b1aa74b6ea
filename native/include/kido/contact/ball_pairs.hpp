#pragma once

#include <algorithm>

#include "kido/contact/ball_contact.hpp"
#include "kido/contact/pair_list.hpp"

// Of pairs that are to be tested, those of balls. They are taken in their order, and tested ahead, as many at once as there are lanes.

KIDO_BEGIN

template <class T>
class BallPairs {
public:
    static constexpr int width = lanes_of<T>;

    // Out of numbers of pairs.
    void choose(std::span<const int> due, const PairList& pairs, const ColliderSet& colliders) {
        next_ = count_ = 0;
        if (!colliders.any_balls()) return;
        if (numbers_.size() < due.size()) numbers_.resize(due.size());
        for (const int k : due) {
            const ContactPair& p = pairs[k];
            numbers_[count_] = k;
            count_ += (colliders.ball_radius(p.first) > 0.0) & (colliders.ball_radius(p.second) > 0.0);
        }
    }
    // Whether pair k, of a rising row of numbers, is one of them.
    bool has(int k) const { return std::binary_search(numbers_.begin(), numbers_.begin() + count_, k); }
    // Whether it is the next of them.
    bool is_next(int k) const { return next_ < count_ && numbers_[next_] == k; }
    // Takes the next one; returns its lane in contact(). tangent_of(k): of the manifold that a pair has, zero where it has none.
    template <class F>
    int take(PairList& pairs, const ColliderSet& colliders, const BodyRows& rows, double step, F tangent_of) {
        const int lane = static_cast<int>(next_ % width);
        if (lane == 0) test(pairs, colliders, rows, step, tangent_of);
        ++next_;
        return lane;
    }
    const BallContact<T>& contact() const { return contact_; }

private:
    template <class F>
    void test(PairList& pairs, const ColliderSet& colliders, const BodyRows& rows, double step, F tangent_of) {
        BallPair<T> balls;
        for (int i = 0; i < width; ++i) {
            // Lanes without a pair do what the last one does.
            const int k = numbers_[std::min(next_ + i, count_ - 1)];
            const ContactPair& p = pairs[k];
            const PairTravel& travel = pairs.travel(k);
            balls.first[i] = travel.first;
            balls.second[i] = travel.second;
            set_lane(balls.radii.radius_first, i, colliders.ball_radius(p.first));
            set_lane(balls.radii.radius_second, i, colliders.ball_radius(p.second));
            set_lane(balls.radii.reach_first, i, rows.bodies[travel.first].radius);
            set_lane(balls.radii.reach_second, i, rows.bodies[travel.second].radius);
            const Vec3<double> tangent = tangent_of(k);
            set_lane(balls.tangent.x, i, tangent.x);
            set_lane(balls.tangent.y, i, tangent.y);
            set_lane(balls.tangent.z, i, tangent.z);
        }
        collide_balls(balls, rows.poses, rows.velocities, step, contact_);
    }

    std::vector<int> numbers_;  // of which there are count_
    std::size_t count_ = 0, next_ = 0;
    BallContact<T> contact_;  // of those taken last
};

KIDO_END
