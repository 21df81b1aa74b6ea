#pragma once

#include "kido/batch/kernel_table.hpp"
#include "kido/batch/shared_loop.hpp"
#include "kido/contact/ball_pairs.hpp"
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
        list_.update(colliders, bodies, [&](int k) {
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
        const ContactPair& p = list_[k];
        this->name_parts(p, found, count, rows);
        std::copy_n(found, count, found_);
        this->write_all(k, count, colliders[p.first], colliders[p.second], rows, external_step_);
        // How far those are apart that do not touch is not known.
        list_.travel(k).reset(rows, count ? room(count, colliders[p.first], colliders[p.second]) : 0.0, count > 0);
    }
    void update_manifolds(const ColliderSet& colliders, const BodyRows& rows, double step, const SharedLoop& loop) {
        if (external_) return;
        this->begin_update();
        skins_.begin_step(colliders.skins().size());
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

    using PairManifolds<T>::kCapacity;
    using PairManifolds<T>::list_;
    using PairManifolds<T>::found_;

    // A pair that is tested on threads.
    struct Tested {
        int pair;
        std::vector<ContactManifold> found;
    };

    // Distance up to which points are kept.
    static double margin(const PlacedCollider& first, const PlacedCollider& second, const BodyRows& rows, double step, double more = 0.0) {
        const int a = first.collider.body, b = second.collider.body;
        const double speed = closing_speed(load_motion<double>(rows.velocities, &a), load_motion<double>(rows.velocities, &b),
                                           rows.bodies[a].radius, rows.bodies[b].radius);
        return contact_margin(speed + more, step, first.collider.shape->radius, second.collider.shape->radius);
    }
    int collide(int k, const ColliderSet& colliders, const BodyRows& rows, double step, ContactManifold* found) {
        const PlacedCollider &first = colliders[list_[k].first], &second = colliders[list_[k].second];
        const ColliderPose a(first, rows.poses), b(second, rows.poses);
        return std::max(0, geometry_kernels.collide(*first.collider.shape, a, *second.collider.shape, b,
                                                    margin(first, second, rows, step), list_.memory(k), found, kCapacity));
    }
    void test(int k, const ColliderSet& colliders, const BodyRows& rows, double step) {
        take(k, collide(k, colliders, rows, step, found_), colliders, rows, step);
    }
    void take(int k, int count, const ColliderSet& colliders, const BodyRows& rows, double step) {
        ++tests_;
        this->write_all(k, count, colliders[list_[k].first], colliders[list_[k].second], rows, step);
        // A pair that is apart must be tested before the gap is closed.
        const double free = count ? room(count, colliders[list_[k].first], colliders[list_[k].second])
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
        const int count = skins_.find(first, second, colliders, rows, margin(first, second, rows, step, placed.speed()), list_.memory(k),
                                      found_, kCapacity);
        int next = 0;
        const auto velocity = [&](int row, const double* at) {
            return row == skin.row ? skin.velocity(rows, FacePart::triangle(found_[next++].part), vec3(at)) : this->velocity_at(rows, row, at);
        };
        this->write_all(k, count, first, second, rows, step, velocity);
        list_.travel(k).reset(rows, -kNearby, false);
    }
    double room(int count, const PlacedCollider& first, const PlacedCollider& second) const {
        return touching_room(found_, count, *first.collider.shape, *second.collider.shape);
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
        std::copy(found.begin(), found.end(), found_);
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
        // What begins or ends, and what has no direction, is tested like other shapes.
        const bool same = touch ? this->has_one_point(k) && stored_lane(contact.regular, lane) > 0.0 : list_[k].touch < 0;
        if (!same) return test(k, colliders, rows, step);
        ++tests_;
        PairMemory& memory = list_.memory(k);
        write3(memory.axis, stored_vector(contact.normal, lane));
        memory.gap = touch ? 0.0 : gap;
        if (touch) this->move_point(k, contact, lane, rows, step);
        const double free = touch ? rolling_room(colliders.ball_radius(list_[k].first), colliders.ball_radius(list_[k].second))
                                  : std::max(0.0, gap - kNearby);
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
