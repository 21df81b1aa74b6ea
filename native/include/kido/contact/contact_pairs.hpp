#pragma once

#include "kido/batch/kernel_table.hpp"
#include "kido/batch/shared_loop.hpp"
#include "kido/contact/ball_pairs.hpp"
#include "kido/contact/fast_ball.hpp"
#include "kido/contact/pair_manifolds.hpp"
#include "kido/contact/skin_contacts.hpp"
#include "kido/contact/touching_room.hpp"

// Pairs of near shapes, and their tests for contact. A pair is tested again once its bodies may have moved so far that what is
// known of it no longer holds.

KIDO_BEGIN

extern const GeometryKernels geometry_kernels;

template <class T>
class ContactPairs : public PairManifolds<T> {
public:
    std::int64_t tests() const { return tests_; }

    // After shapes have moved.
    void update_pairs(ColliderSet& colliders, std::vector<SolverBody>& bodies) {
        list_.update(colliders, bodies, external_, [&](int k) {
            while (list_[k].touch >= 0) this->release(list_[k].touch, list_[k].touch, bodies);
        });
    }
    // Two colliders that never meet.
    void exclude(int i, int j) { list_.exclude(i, j); }
    void weld(int a, int b) { list_.weld(a, b); }
    // From now on manifolds are set by whoever asks for near pairs.
    std::vector<NearPair> near_pairs(const ColliderSet& colliders, const BodyRows& rows, double step) {
        external_ = true;
        this->begin_update();
        external_step_ = step;
        std::vector<NearPair> out;
        for (const int k : list_.find_due(colliders.foreseen(), rows.bodies)) {
            const ContactPair& p = list_[k];
            const PlacedCollider &first = colliders[p.first], &second = colliders[p.second];
            NearPair near = {k, p.first, p.second, margin(first, second, speed_between(first, second, rows), step), {}};
            for (const int side : {0, 1}) {
                const ColliderPose pose(colliders[side == 0 ? p.first : p.second], rows.poses);
                std::copy_n(static_cast<const double*>(pose), 12, near.poses[side]);
            }
            out.push_back(near);
        }
        return out;
    }
    void set_manifolds(int k, ContactManifold* found, int count, const ColliderSet& colliders, const BodyRows& rows) {
        const ContactPair& p = list_[k];
        this->name_parts(p, found, count, rows);
        std::copy_n(found, count, found_.begin());
        this->write_all(k, count, colliders[p.first], colliders[p.second], rows, external_step_);
        // How far those are apart that do not touch is not known.
        list_.travel(k).reset(rows, count ? room(k, count, colliders) : 0.0, count > 0);
    }
    void update_manifolds(const ColliderSet& colliders, const BodyRows& rows, double step, const SharedLoop& loop) {
        if (external_) return;
        this->begin_update();
        skins_.begin_step(colliders.skins().size());
        this->follow_all_balls(rows, step, loop);
        std::span<const int> due = list_.find_due(colliders.foreseen(), rows.bodies);
        balls_.choose(due, list_, colliders);
        const bool ahead = loop.is_shared();
        if (ahead) collide_on_threads(due, colliders, rows, step, loop);
        std::size_t next = 0;
        for (const int k : due) {
            if (balls_.is_next(k)) {
                test_balls(k, colliders, rows, step);
            } else if (is_skinned(k, colliders)) {
                test_skin(k, colliders, rows, step);
            } else if (ahead) {
                take(k, collided(next++), colliders, rows, step);
            } else {
                test(k, colliders, rows, step);
            }
        }
    }
    void archive(StateArchive& archive) {
        this->archive_manifolds(archive);
        archive(tests_);
        archive(external_);
    }

private:
    static constexpr int kSharedTests = 16;     // at least, of a share
    static constexpr double kNearby = 1.25e-3;  // [m]
    static constexpr double kFollowed = 100.0;  // room of pairs that others say are to be tested [m]

    using PairManifolds<T>::kCapacity;
    using PairManifolds<T>::list_;
    using PairManifolds<T>::found_;
    using PairManifolds<T>::touches_;

    // A pair that is tested on threads.
    struct Tested {
        int pair;
        std::vector<ContactManifold> found;
    };

    // Distance up to which points are kept.
    static double margin(const PlacedCollider& first, const PlacedCollider& second, double speed, double step) {
        return contact_margin(speed, step, first.collider.shape->radius, second.collider.shape->radius);
    }
    static double speed_between(const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows) {
        const int a = first.collider.body, b = second.collider.body;
        return closing_speed(load_motion<double>(rows.velocities, &a), load_motion<double>(rows.velocities, &b), rows.bodies[a].radius,
                             rows.bodies[b].radius);
    }
    int collide(int k, const ColliderSet& colliders, const BodyRows& rows, double step, ContactManifold* found) {
        const PlacedCollider &first = colliders[list_[k].first], &second = colliders[list_[k].second];
        const ColliderPose a(first, rows.poses), b(second, rows.poses);
        const double speed = speed_between(first, second, rows), near = margin(first, second, speed, step);
        const PlacedCollider& other = is_ball(first) ? second : first;
        const double far = is_ball(first) == is_ball(second) ? near : ball_margin(speed, step, other.collider.shape->radius);
        const auto meet = [&](const double* at, const double* other, double margin, PairMemory& memory, ContactManifold* out) {
            return std::max(0, geometry_kernels.collide(*first.collider.shape, at, *second.collider.shape, other, margin, memory, out, kCapacity));
        };
        PairMemory& memory = list_.memory(k);
        const int count = meet(a, b, far, memory, found);
        if (count == 0 && is_ball(first) && is_ball(second)) {
            const Vec3<double> between = vec3(a) - vec3(b), flight = center_velocity(first, rows) - center_velocity(second, rows);
            const double radii = first.collider.shape->size[0] + second.collider.shape->size[0];
            return meet_in_flight(between, flight, radii, step) ? meet(a, b, HUGE_VAL, memory, found) : 0;
        }
        if (!(far > near) || count == 0) return count;
        const bool turned = is_ball(second);
        memory.gap = found[0].points[0].gap;
        const Vec3<double> flight = center_velocity(turned ? second : first, rows);
        const auto velocity = [&](const ContactManifold& m) {
            return flight - this->velocity_at(rows, other.collider.body, turned ? m.points[0].on_first : m.points[0].on_second);
        };
        return FastBall(turned ? b : a, turned, near, step).take_out_missed(found, count, velocity, [&](const double* moved) {
            PairMemory none{};
            ContactManifold out[kCapacity];
            return meet(turned ? a : moved, turned ? moved : b, near, none, out) > 0;
        });
    }
    static bool is_ball(const PlacedCollider& c) { return c.skin < 0 && c.collider.shape->kind == ShapeKind::sphere; }
    // Of a ball, which its own spin leads nowhere.
    Vec3<double> center_velocity(const PlacedCollider& ball, const BodyRows& rows) const {
        return this->velocity_at(rows, ball.collider.body, ColliderPose(ball, rows.poses));
    }
    void test(int k, const ColliderSet& colliders, const BodyRows& rows, double step) {
        take(k, collide(k, colliders, rows, step, found_.data()), colliders, rows, step);
    }
    void take(int k, int count, const ColliderSet& colliders, const BodyRows& rows, double step) {
        ++tests_;
        this->write_all(k, count, colliders[list_[k].first], colliders[list_[k].second], rows, step);
        // A pair that is apart must be tested before the gap is closed.
        const double free = count ? room(k, count, colliders)
                                  : std::max(0.0, list_.memory(k).gap - kNearby);
        list_.travel(k).reset(rows, free, count > 0);
    }
    bool is_skinned(int k, const ColliderSet& colliders) const {
        return colliders[list_[k].first].skin >= 0 || colliders[list_[k].second].skin >= 0;
    }
    // Faces change from step to step: such a pair is tested in each.
    void test_skin(int k, const ColliderSet& colliders, const BodyRows& rows, double step) {
        const PlacedCollider &first = colliders[list_[k].first], &second = colliders[list_[k].second];
        const SkinSurface& skin = colliders.skins()[std::max(first.skin, second.skin)];
        const PlacedSkin& placed = skins_.placed(colliders, std::max(first.skin, second.skin), rows);
        ++tests_;
        const PlacedCollider& other = first.skin < 0 ? first : second;
        const double speed = speed_between(first, second, rows) + placed.speed(), near = margin(first, second, speed, step);
        const double reach = placed.shape().radius, radius = other.collider.shape->radius;
        const double far = is_ball(other) ? ball_margin(speed, step, reach) : contact_margin(speed, step, reach, radius);
        int count = skins_.find(first, second, colliders, rows, far, is_ball(other) ? near : far, list_.memory(k), found_);
        if (far > near && is_ball(other)) count = take_out_missed(count, first, second, skin, placed, rows, near, step);
        int next = 0;
        const auto velocity = [&](int row, const double* at) {
            return row == skin.row ? skin.velocity(rows, FacePart::triangle(found_[next++].part), vec3(at)) : this->velocity_at(rows, row, at);
        };
        this->write_all(k, count, first, second, rows, step, velocity);
        list_.travel(k).reset(rows, -kNearby, false);
    }
    // Of a ball and a skin.
    int take_out_missed(int count, const PlacedCollider& first, const PlacedCollider& second, const SkinSurface& skin, const PlacedSkin& placed,
                        const BodyRows& rows, double near, double step) {
        const bool turned = second.skin < 0;
        const PlacedCollider& ball = turned ? second : first;
        const Vec3<double> flight = center_velocity(ball, rows);
        const auto velocity = [&](const ContactManifold& m) {
            return flight - skin.velocity(rows, FacePart::triangle(m.part), vec3(turned ? m.points[0].on_first : m.points[0].on_second));
        };
        return FastBall(ColliderPose(ball, rows.poses), turned, near, step)
            .take_out_missed(found_.data(), count, velocity, [&](const double* pose) {
                return SkinContacts::is_near(skin, placed, *ball.collider.shape, ball.collider.body, pose, near);
            });
    }
    // Of a pair that has `count` manifolds, in found_.
    double room(int k, int count, const ColliderSet& colliders) {
        const CollisionShape &first = *colliders[list_[k].first].collider.shape, &second = *colliders[list_[k].second].collider.shape;
        if (!external_ && this->follows_ball(touches_[list_[k].touch])) return kFollowed;
        return touching_room(found_.data(), count, first, second);
    }
    // Those that are not of balls, side by side; what was found is taken in their order.
    void collide_on_threads(std::span<const int> due, const ColliderSet& colliders, const BodyRows& rows, double step,
                            const SharedLoop& loop) {
        std::size_t count = 0;
        for (const int k : due) {
            if (balls_.has(k) || is_skinned(k, colliders)) continue;
            if (count == tested_.size()) tested_.emplace_back();
            tested_[count++].pair = k;
        }
        loop(count, kSharedTests, [&](std::size_t begin, std::size_t end) {
            ContactManifold found[kCapacity];
            for (std::size_t i = begin; i < end; ++i) {
                const int k = tested_[i].pair;
                tested_[i].found.assign(found, found + collide(k, colliders, rows, step, found));
            }
        });
    }
    // How many manifolds were found of the next of them, in `found_`.
    int collided(std::size_t next) {
        const std::vector<ContactManifold>& found = tested_[next].found;
        std::copy(found.begin(), found.end(), found_.begin());
        return static_cast<int>(found.size());
    }
    // The next pair of balls.
    void test_balls(int k, const ColliderSet& colliders, const BodyRows& rows, double step) {
        const int lane = balls_.take(list_, colliders, rows, step, [&](int pair) {
            return this->has_one_point(pair) ? this->tangent_of(pair) : zero3<double>();
        });
        const BallContact<T>& contact = balls_.contact();
        const double gap = stored_lane(contact.gap, lane);
        const bool touch = !(gap > stored_lane(contact.margin, lane));
        // What begins or ends, what has no direction, and what may meet in flight, is tested like other shapes.
        const bool meets = !touch && gap + step * stored_lane(contact.approach, lane) < 0.0;
        const bool same = touch ? this->has_one_point(k) && stored_lane(contact.regular, lane) > 0.0 : list_[k].touch < 0 && !meets;
        if (!same) return test(k, colliders, rows, step);
        ++tests_;
        PairMemory& memory = list_.memory(k);
        write3(memory.axis, stored_vector(contact.normal, lane));
        memory.gap = touch ? 0.0 : gap;
        if (touch) this->move_point(k, contact, lane, rows, step);
        const double a = colliders.ball_radius(list_[k].first), b = colliders.ball_radius(list_[k].second);
        const double free = !touch ? std::max(0.0, gap - kNearby) : this->follows_ball(touches_[list_[k].touch]) ? kFollowed : rolling_room(a, b);
        list_.travel(k).reset(rows, stored_vector(contact.offset, lane), free, touch);
    }

    SkinContacts skins_;
    BallPairs<T> balls_;
    std::vector<Tested> tested_;
    std::int64_t tests_ = 0;
    bool external_ = false;       // whether another detector finds the manifolds
    double external_step_ = 0.0;  // length of the step that manifolds are set for [s]
};

KIDO_END
