#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kido/tree/lazy.hpp"
#include "model_storage.hpp"

namespace kido {

enum class Quantity : int { position, velocity, acceleration, force, command, count };

// A dof whose position is multiplier * position of its leader + offset, and velocity multiplier * velocity of it. Leaders
// follow nobody.
struct Follower {
    int dof, leader;
    double multiplier, offset;
};

class State;

// A world that has moved what states stand for: it brings the numbers of one where somebody asks for them.
class MotionSource {
public:
    virtual void bring_state(int index) = 0;

protected:
    ~MotionSource() = default;
};

// The numbers of one tree and its kinematics, lazily evaluated. A kernel that runs on a state takes its rows as inputs,
// and `users` as in[Problem::users] with stride 0; while waits_for_users, those are of other positions or velocities.
class State {
public:
    // `rows` (Quantity::count, num_dofs).
    State(std::shared_ptr<const ModelStorage> model, std::shared_ptr<double> rows);
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const Model& model() const { return storage_->model(); }
    int num_dofs() const { return model().num_dofs; }
    const double* row(Quantity quantity) const {
        if (quantity <= Quantity::acceleration) settle();
        return rows_.get() + static_cast<int>(quantity) * num_dofs();
    }

    // Writes numbers of consecutive dofs, and marks what depends on those that changed; followers go with their leaders.
    void set(Quantity quantity, int first, int count, const double* values);
    unsigned long long version(Quantity quantity) const {
        if (quantity <= Quantity::acceleration) settle();
        return versions_[static_cast<int>(quantity)];
    }

    // Positions, velocities and accelerations are those that a source has, which it brings before anybody sees or sets these.
    void owe(MotionSource& source, int index) {
        if (source_ != &source) settle();
        source_ = &source;
        source_index_ = index;
    }
    bool is_owed_by(const MotionSource& source) const { return source_ == &source; }
    // Has what is owed brought.
    void settle() const {
        if (source_) std::exchange(source_, nullptr)->bring_state(source_index_);
    }

    // Moves the followers to where they belong, and from now on wherever positions or velocities are written.
    void set_followers(std::vector<Follower> followers);
    bool has_followers() const { return !followers_.empty(); }

    // Numbers of a link, see LinkNumbers; computed if they are not known.
    const double* pose(int link) { return known(link, kPose), numbers_.pose + 12 * link; }
    const double* velocity(int link) { return known(link, kVelocity), numbers_.velocity + 6 * link; }
    const double* acceleration(int link) { return known(link, kAcceleration), numbers_.acceleration + 6 * link; }
    const unsigned long long* counts() const { return counts_; }

    // True if kinematics needs the motion of user joints first, which the user's functions have to give.
    bool waits_for_users() const {
        settle();
        return waits_;
    }
    // Numbers of the links of kind user (num_user_links, kUserNumbers), as a kernel takes them; null without any.
    const double* users() const { return users_.empty() ? nullptr : users_.data(); }
    // Their numbers at the present positions and velocities, with rates as the user's functions give them.
    void place_users(const double* numbers);

private:
    bool write(Quantity quantity, int dof, double value);
    bool follow(Quantity quantity);
    void known(int link, Known level);
    void mark(int link, Known level);

    std::shared_ptr<const ModelStorage> storage_;
    std::shared_ptr<double> rows_;
    struct Free {
        void operator()(std::byte* p) const;
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::vector<unsigned char> known_;
    LinkNumbers numbers_;
    LazyKinematics lazy_;
    mutable MotionSource* source_ = nullptr;
    int source_index_ = 0;
    unsigned long long versions_[static_cast<int>(Quantity::count)] = {};
    unsigned long long counts_[3] = {};

    std::vector<Follower> followers_;
    std::vector<bool> follows_;  // of the dofs, where any follows
    std::vector<double> users_;
    bool waits_ = false;
};

}  // namespace kido
