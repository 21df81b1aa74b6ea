#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kido/batch/stop_signal.hpp"
#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/contact_manifold.hpp"
#include "kido/tree/model.hpp"

// A world compiled to numbers: bodies, shapes and what holds them together, stepped in time. One implementation for each
// instruction set; all give the same bits.

namespace kido {

// How a shape meets others.
struct ContactSurface {
    double friction, restitution;
};

// A rigid body that nothing but contacts and constraints hold: one row of the solver, in its principal axes at its center of mass.
struct FreeBody {
    double mass, moments[3];  // [kg], [kg m^2]
    double center[3], quaternion[4], velocity[6];  // world axes; x y z w; linear, angular
    bool weighs;              // whether gravity acts on it
};

struct Collider {
    int body;                 // row of the solver; 0: the world
    const CollisionShape* shape;
    double pose[12];          // in the body's axes
    ContactSurface surface;
    int group;                // that of its skeleton; 0: of none
    bool meets_own;           // whether it meets others of its group
    int parent;               // row of a body of its group that it does not meet all the same; -1: none
    std::uint32_t category = 1, collides_with = ~0U;  // bits: it meets shapes of categories that it collides with, and they with it
};

// Two colliders that may touch, as another detector is asked for them.
struct NearPair {
    int index, first, second;
    double margin;  // distance up to which contacts are wanted [m]
    double poses[2][12];
};

// What is held between two bodies: components of the pose of one frame in another (linear, then angular, where all angles, or x
// and y, or none are), or the distance of their origins.
enum class ConstraintLaw : int { components, distance };

struct BodyConstraint {
    int first, second;                       // rows of the solver
    double first_pose[12], second_pose[12];  // frames in the axes of the bodies
    ConstraintLaw law;
    bool components[6];
    double length;              // of the distance [m]
    double stiffness, damping;  // [N/m], [N s/m]; both zero: rigid
    bool pulls, pushes;         // whether the force may act towards the other body, and away from it
};

// A dof that follows another one of its tree: position = ratio * leader's + offset.
struct Coupling {
    int follower, leader;
    double ratio, offset;
};

// How a dof is driven: its command is a force, an acceleration, a velocity that is held whatever it takes, or a velocity that is
// held with a force up to `effort`.
enum class Drive : unsigned char { force, acceleration, velocity, servo };

// Numbers of a skeleton that the world steps; of num_dofs but for those of links and of joints given by functions.
struct TreeNumbers {
    double *positions, *velocities, *accelerations, *commands, *effort, *friction, *stiffness, *rest, *damping;
    double *lower, *upper, *slowest, *fastest;  // limits of positions and velocities; infinite: none
    Drive* drives;
    double* wrenches;  // (num_links, 6) torque and force about the links' origins, in their axes
    double* users;     // numbers of links of kind user
};

// The parts of a step, in their order: which shapes touch; what velocities gain without impulses; the rows of constraints and how
// bodies respond to them; impulses; velocities and positions at the end.
enum class WorldStage : int { detect, accelerate, prepare, solve, move, count };

// How skeletons move that nothing touches.
enum class Integrator : int { semi_implicit_euler, runge_kutta, midpoint, count };

struct WorldSettings {
    double step;         // [s]
    double gravity[3];
    double longest_substep;  // [s]
    int sweeps, relaxing_sweeps;
    double bounce_threshold;  // [m/s]
    Integrator integrator;
};

struct WorldContact {
    int first, second;  // colliders
    double point[3], normal[3], force[3];  // the force on the first; [N]
    double depth;
};

// What acted in the dofs of a skeleton in the last step, as means over it, beside its motion: arrays of num_dofs but for
// `wrenches` (num_links, 6), those of contacts and constraints about the links' origins in their axes at the beginning.
struct TreeStep {
    double *positions, *velocities, *accelerations;  // at the beginning; the mean over the step
    double *actuators, *friction, *limits, *springs, *dampers;
    double* constraints;  // what else acts in dofs
    bool* prescribed;     // motion is given: actuators, springs and dampers are not told apart
    double* wrenches;
};

// Of a free rigid body: its center, quaternion and velocity at the beginning of the last step, and the force and torque of
// contacts and constraints, as means about its center of mass in world axes.
struct FreeBodyStep {
    double center[3], quaternion[4], velocity[6], wrench[6];
};

struct WorldCounts {
    std::int64_t pairs, manifolds, tests, colors, rows;
};

class NativeWorld {
public:
    virtual ~NativeWorld() = default;
    virtual std::unique_ptr<NativeWorld> clone() const = 0;

    // Keeps what shapes and models stand in for as long as this world and its clones live.
    void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

    // Row of the solver; rows of a tree's links follow one another.
    virtual int add_body(const FreeBody& body) = 0;
    virtual int add_tree(const Model& model, int& index) = 0;
    virtual int add_collider(const Collider& collider) = 0;
    virtual void set_mask(int collider, std::uint32_t category, std::uint32_t collides_with) = 0;
    // Two colliders that never meet.
    virtual void exclude(int first, int second) = 0;
    // For steps whose contacts are found elsewhere, before each: the pairs to be tested for the next step [s], then what was found of each.
    virtual std::vector<NearPair> near_pairs(double step) = 0;
    virtual void set_manifolds(int pair, ContactManifold* found, int count) = 0;

    virtual void set_body(int row, const double* center, const double* quaternion, const double* velocity) = 0;
    // Torque and force about the center of mass, in principal axes.
    virtual void set_body_wrench(int row, const double* wrench) = 0;
    virtual void body(int row, double* center, double* quaternion, double* velocity) const = 0;
    // Rates of its velocity's components in the last step, in its axes: linear, angular.
    virtual void body_acceleration(int row, double* acceleration) const = 0;
    virtual TreeNumbers tree(int index) = 0;
    virtual int add_constraint(const BodyConstraint& constraint) = 0;
    // Force and torque (6) of the last step on the first body, about its frame's origin, world axes.
    virtual void constraint_wrench(int index, double* wrench) const = 0;
    virtual void set_couplings(int index, std::vector<Coupling> couplings) = 0;
    // After its positions or velocities were written.
    virtual void place_tree(int index) = 0;

    // Steps until `count` are done, the stop signal is set or a number is no longer finite; returns how many were done. Where
    // `record`, what acted in the last one can be asked for.
    virtual long step(const WorldSettings& settings, long count, StopSignal* stop, bool record) = 0;
    // The stages of one step by themselves, from `first` to `last`; `detect` begins a step, `move` ends it. False where a number was
    // no longer finite: then that step is cancelled.
    virtual bool run_stages(WorldStage first, WorldStage last, const WorldSettings& settings) = 0;
    // Ends a step that was begun before `move`: all is as before it, but for the impulses it would have begun with, once they were
    // solved for.
    virtual void cancel_step() = 0;
    // At the present poses, or at those of the beginning of the last step; forces are means over it.
    virtual std::vector<WorldContact> contacts(bool at_start) = 0;
    // Duration of the last step, if it was recorded; else 0.
    virtual double recorded() const = 0;
    // Of the last step; false where it was not recorded.
    virtual bool tree_step(int index, const TreeStep& out) const = 0;
    virtual bool body_step(int row, FreeBodyStep& out) const = 0;
    // Of the last step that failed, the row whose numbers were not finite; of several the fastest.
    virtual int diverged_row() const = 0;
    virtual WorldCounts counts() = 0;

private:
    std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace kido
