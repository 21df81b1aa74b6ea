#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kido/tree/lazy.hpp"
#include "model_storage.hpp"

namespace kido {

enum class Quantity : int { position, velocity, acceleration, force, command, count };

// A joint whose motion a user's functions give. In the model it is a free joint, whose six coordinates follow from the
// joint's own dofs: twist = subspace v, its rate = subspace a + subspace_rate v.
struct UserJoint {
    int link;
    int dof, dof_count;                       // among the dofs of the state
    std::vector<double> subspace, subspace_rate;  // (6, dof_count), row-major, in the axes of the moving frame
};

// The numbers of one tree and its kinematics, lazily evaluated.
class State {
public:
    // `rows` (Quantity::count, num_dofs); `user_links` are the links of user joints, with their numbers of dofs.
    State(std::shared_ptr<const ModelStorage> model, std::shared_ptr<double> rows, int num_dofs,
          const std::vector<std::pair<int, int>>& user_links);
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const Model& model() const { return storage_->model(); }
    int num_dofs() const { return num_dofs_; }
    const double* row(Quantity quantity) const { return rows_.get() + static_cast<int>(quantity) * num_dofs_; }

    // Writes numbers of consecutive dofs, and marks what depends on those that changed.
    void set(Quantity quantity, int first, int count, const double* values);
    unsigned long long version(Quantity quantity) const { return versions_[static_cast<int>(quantity)]; }

    // Numbers of a link, see LinkNumbers; computed if they are not known.
    const double* pose(int link) { return known(link, kPose), numbers_.pose + 12 * link; }
    const double* velocity(int link) { return known(link, kVelocity), numbers_.velocity + 6 * link; }
    const double* acceleration(int link) { return known(link, kAcceleration), numbers_.acceleration + 6 * link; }
    const unsigned long long* counts() const { return counts_; }

    // Whether user joints must be asked for their motion before kinematics can be.
    bool waits_for_users() const { return waits_; }
    const std::vector<UserJoint>& user_joints() const { return users_; }
    // The user joint of a link; null where it has a joint of the model's own.
    const UserJoint* user_joint(int link) const;
    // Motion of a user joint: pose (rotation by columns, translation), subspace and its rate.
    void place_user_joint(std::size_t index, const double* rotation, const double* translation, const double* subspace,
                          const double* subspace_rate);
    void users_placed() { waits_ = false; }
    // First dof of a link among those of the state.
    int first_dof(int link) const { return users_.empty() ? model().links[link].dof : first_dof_[link]; }
    int dof_count(int link) const;

private:
    void known(int link, Known level);
    void mark(int link, Known level);

    std::shared_ptr<const ModelStorage> storage_;
    std::shared_ptr<double> rows_;
    int num_dofs_;
    struct Free {
        void operator()(std::byte* p) const;
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::vector<unsigned char> known_;
    LinkNumbers numbers_;
    LazyKinematics lazy_;
    unsigned long long versions_[static_cast<int>(Quantity::count)] = {};
    unsigned long long counts_[3] = {};

    std::vector<UserJoint> users_;
    std::vector<int> first_dof_, dof_link_, model_dof_;  // empty without user joints
    std::vector<double> expanded_;                       // q, v, a of the model; empty without user joints
    bool waits_ = false;
};

}  // namespace kido
