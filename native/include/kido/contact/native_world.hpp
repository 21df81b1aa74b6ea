#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kido/batch/crew.hpp"
#include "kido/batch/stop_signal.hpp"
#include "kido/contact/contact_surface.hpp"
#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/contact_manifold.hpp"
#include "kido/geometry/triangle_mesh.hpp"
#include "kido/tree/model.hpp"

// A world compiled to numbers: bodies, shapes and what holds them together, stepped in time. One implementation for each
// instruction set; all give the same bits.

namespace kido {

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

// How softly a constraint holds: a spring and damper beside its rows, or those by which the mass that a row moves would swing at a
// frequency, where that is given. All zero: rigid.
struct ConstraintSoftness {
    double stiffness, damping;        // [N/m, N m/rad], [N s/m, N m s/rad]
    double frequency, damping_ratio;  // [Hz]

    bool any() const { return stiffness > 0.0 || damping > 0.0 || frequency > 0.0; }
};

// What is held between two bodies: components of the pose of one frame in another (linear, then angular, where all angles, or x
// and y, or none are), or the distance of their origins.
enum class ConstraintLaw : int { components, distance };

struct BodyConstraint {
    int first, second;                       // rows of the solver
    double first_pose[12], second_pose[12];  // frames in the axes of the bodies
    ConstraintLaw law;
    bool components[6];
    double length;         // of the distance [m]
    ConstraintSoftness softness;
    bool pulls, pushes;    // whether the force may act towards the other body, and away from it

    // Whether both bodies are one.
    bool is_weld() const {
        for (const bool held : components) {
            if (!held) return false;
        }
        return law == ConstraintLaw::components && pulls && pushes && !softness.any();
    }
};

// A constraint given by rows: sums of factor * velocity, of dofs and of free bodies, that are held at a speed, and whose errors are
// to vanish, by forces within bounds.
struct ConstraintRow {
    double error, speed;   // [m or rad], and their rates [1/s]
    double lower, upper;   // of the force [N or N m]
    int coupled;           // the row whose force, times `coefficient`, bounds this one's; -1: none
    double coefficient;
};
struct TreeShare {
    int row, tree, dof;
    double factor;
    bool gives;            // whether the row's force acts on the dof
};
struct BodyShare {
    int row, body;         // of the constraint, of the solver
    double linear[3], angular[3];  // factors of the velocity, world axes
};
struct RowConstraint {
    std::vector<ConstraintRow> rows;
    std::vector<TreeShare> tree_shares;  // those of one row and tree one after the other
    std::vector<BodyShare> body_shares;
    ConstraintSoftness softness;
    bool of_positions;     // errors are these and the sums of factor * position of dofs
};

// Points around a link, each with a row of the solver behind those of the links, and the faces between them, which have one more: see
// SoftLayer.
struct SoftPoints {
    bool weighs;
    std::vector<double> mass, vertex_stiffness, damping, rest;  // rest: (points, 3) in the link's frame
    std::vector<char> frozen;
    std::vector<int> edges, faces;  // (edges, 2), (faces, 3)
    std::vector<double> edge_stiffness;
    double bulk_modulus = 0.0, yield = HUGE_VAL;
    bool along_edges = false;
    std::vector<char> pinned = {};
};
// Of such points, (size, 3) in the link's axes: from where they rest, forces on them, and how far their places of rest have moved.
struct SoftNumbers {
    int size;
    double *displacements, *velocities, *accelerations, *forces, *yielded;
    double *targets, *target_velocities, *pin_forces;  // of those that are pinned: world axes
    const double *began_displacements, *began_velocities, *began_yielded;  // where the last step began
};

// A dof that follows another one of its tree: position = ratio * leader's + offset. A motor follows by the forces of its dof, up
// to their limits, and the leader feels nothing of it.
struct Coupling {
    int follower, leader;
    double ratio, offset;
    bool motor;
};

// How a dof is driven: its command is a force, an acceleration, a velocity that is held whatever it takes, or a velocity that is
// held with a force up to `effort`.
enum class Drive : unsigned char { force, acceleration, velocity, servo };

// Numbers of a skeleton that the world steps; of num_dofs but for those of links and of joints given by functions.
struct TreeNumbers {
    double *positions, *velocities, *accelerations, *commands, *effort, *friction, *stiffness, *rest, *damping;
    double *lower, *upper, *slowest, *fastest;  // limits of positions and velocities; infinite: none
    double *least_effort, *least_speed, *most_speed;  // of servos and of motors that follow
    Drive* drives;
    ConstraintSoftness* limit_softness;  // of limits of positions
    double* wrenches;  // (num_links, 6) torque and force about the links' origins, in their axes
    double* users;     // numbers of links of kind user
};

// The parts of a step, in their order: which shapes touch; what velocities gain without impulses; the rows of constraints and how
// bodies respond to them; impulses; velocities and positions at the end.
enum class WorldStage : int { detect, accelerate, prepare, solve, move, count };

// How skeletons move that nothing touches.
// given: by whoever gives the motion of each such skeleton.
enum class Integrator : int { semi_implicit_euler, runge_kutta, midpoint, given, count };

// When islands fall asleep: once no body of theirs was faster than this for a while; never where that is infinite.
struct SleepSettings {
    double after = HUGE_VAL, linear = 0.0, angular = 0.0;  // [s], [m/s], [rad/s]
};

struct WorldSettings {
    double step;         // [s]
    double gravity[3];
    double longest_substep;  // [s]
    int sweeps, relaxing_sweeps;
    double bounce_threshold;  // [m/s]
    Integrator integrator;
    double contact_frequency;  // [1 / sub-step]
    double contact_damping;    // ratio
    double push_speed;         // largest velocity at which depth is pushed out [m/s]
    SleepSettings sleep;
};

// What a row of a step stands for.
enum class SystemRowKind : int { contact, friction, limit, servo, joint_friction, coupling, constraint, rows, torsional, rolling };

// A row of a step: an impulse x within its bounds, and w = A x + b, with one b that corrects errors of positions, and one that only
// keeps what holds.
struct SystemRow {
    SystemRowKind kind;
    int first, second, part;   // contacts: colliders, point; dofs: tree, dof, -; constraints and rows: index, -, component
    int normal;                // row whose x the bounds of friction are multiplied by; -1: none
    double lower, upper;
    double correcting, keeping;  // b
    double softness;             // added to the diagonal
    double impulse;              // of the last step
    int island, place;
};

// How errors are corrected in a step.
struct Correction {
    double per_step;    // 1 / length of the step [1/s]
    double share;       // of depth that is pushed out in a step
    double push_speed;  // [m/s]

    double of_depth(double gap) const {
        const double speed = gap * share * per_step;
        return speed > -push_speed ? speed : -push_speed;
    }
};

struct WorldContact {
    int first, second;  // colliders
    double point[3], normal[3], force[3];  // the force on the first; [N]
    double depth;
    int first_face = -1, second_face = -1;  // of a soft body's skin, by number; -1: of none
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
    std::int64_t pairs, manifolds, tests, colors, rows, direct, overlaps;
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
    // Around a link of the tree that was added last. Returns the row of the first point.
    virtual int add_soft(int tree, int link, const SoftPoints& points) = 0;
    virtual int num_soft(int tree) const = 0;
    virtual SoftNumbers soft(int tree, int part) = 0;
    // Other numbers of as many points and edges, which join the same.
    virtual void set_soft(int tree, int part, const SoftPoints& points) = 0;
    virtual int add_collider(const Collider& collider) = 0;
    // The faces of such points, which touch others as a mesh as thick as the balls around the points. mesh: as they rest; order: of its
    // triangles, their numbers. A collider whose shape is the ball of a point; meets_own: whether faces meet points of the same skin.
    virtual int add_skin(int tree, int part, const TriangleMesh& mesh, const std::vector<int>& order, Collider collider,
                         bool meets_own) = 0;
    // How surfaces are combined: by rules, or by a source, which outlives this world or is replaced; null: by the rules.
    virtual void set_surface_rules(const SurfaceRules& rules) = 0;
    virtual void set_surface_source(SurfaceSource* source) = 0;
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
    // The same of many bodies, center, quaternion and velocity one after the other.
    static constexpr int kBodyNumbers = 13;
    virtual void bodies(const int* rows, std::size_t count, double* out) const = 0;
    // Rates of its velocity's components in the last step, in its axes: linear, angular.
    virtual void body_acceleration(int row, double* acceleration) const = 0;
    virtual TreeNumbers tree(int index) = 0;
    virtual int add_constraint(const BodyConstraint& constraint) = 0;
    // Force and torque (6) of the last step on the first body, about its frame's origin, world axes.
    virtual void constraint_wrench(int index, double* wrench) const = 0;
    // Whether it could not be met for a while, and turned soft.
    virtual bool constraint_unmet(int index) const = 0;
    // Errors (6) at the present poses: linear, angular; of a distance: the first.
    virtual void constraint_error(int index, double* error) const = 0;
    // A constraint by rows; `bodies`: free bodies that they may ever have a share in. Its index among those of this kind.
    virtual int add_row_constraint(RowConstraint constraint, const std::vector<int>& bodies) = 0;
    virtual void set_rows(int index, RowConstraint constraint) = 0;
    // Forces in the last step, and errors, of all rows; whether they could not be met.
    virtual void row_numbers(int index, std::vector<double>& forces, std::vector<double>& errors, bool& unmet) const = 0;
    virtual void set_couplings(int index, std::vector<Coupling> couplings) = 0;
    // After its positions or velocities were written.
    virtual void place_tree(int index) = 0;

    // Steps until `count` are done, the stop signal is set or a number is no longer finite; returns how many were done. Where
    // `record`, what acted in the last one can be asked for.
    virtual long step(const WorldSettings& settings, long count, StopSignal* stop, bool record) = 0;
    // How many steps the last call has made, where it threw too: then all is as after these, but for contacts, which are lost.
    virtual long made() const = 0;
    // The stages of one step by themselves, from `first` to `last`; `detect` begins a step, `move` ends it. False where a number was
    // no longer finite: then that step is cancelled.
    virtual bool run_stages(WorldStage first, WorldStage last, const WorldSettings& settings) = 0;
    // Ends a step that was begun before `move`: all is as before it, but for the impulses it would have begun with, once they were
    // solved for.
    virtual void cancel_step() = 0;
    // Between `prepare` and `move`, where `integrator` is `given`: whether nothing touches a tree, so that its motion is to be given;
    // its accelerations at other positions and velocities, false where an inertia is not positive; and its motion at the end.
    virtual bool moves_smoothly(int tree) const = 0;
    virtual bool accelerations(int tree, const double (&gravity)[3], const double* q, const double* v, double* out) = 0;
    virtual void give_motion(int tree, const double* q, const double* v) = 0;
    // Instead of `solve`, after `prepare` of a step without sub-steps: its rows, the matrix (n, n) of one of their islands, and the
    // impulses of all rows, those that correct errors and those that keep. False where dofs come to limits unexpectedly: the step was
    // prepared again, with rows for these, unless it was the `last` time.
    virtual const std::vector<SystemRow>& step_rows(const WorldSettings& settings, const Correction& correction, int& islands) = 0;
    virtual const std::vector<int>& step_island(int island) const = 0;
    virtual void step_matrix(int island, double* A) const = 0;
    virtual bool give_impulses(const WorldSettings& settings, const double* correcting, const double* keeping, bool last) = 0;
    // All numbers that a step starts from, as bytes; and from such of a world that was made alike: false where it was not.
    virtual std::vector<char> save() = 0;
    virtual bool load(const char* bytes, std::size_t size) = 0;
    // At the present poses, or at those of the beginning of the last step; forces are means over it.
    // In place of what `out` had, whose memory is used again.
    virtual void contacts(bool at_start, std::vector<WorldContact>& out) = 0;
    std::vector<WorldContact> contacts(bool at_start) {
        std::vector<WorldContact> out;
        contacts(at_start, out);
        return out;
    }
    // Duration of the last step, if it was recorded; else 0.
    virtual double recorded() const = 0;
    // Of the last step; false where it was not recorded.
    virtual bool tree_step(int index, const TreeStep& out) const = 0;
    virtual bool body_step(int row, FreeBodyStep& out) const = 0;
    // Forces in the dofs of a tree in the last step (num_dofs), a part of `tree_step` that costs nothing; false where it was not
    // recorded. Of dofs whose motion is given, what moves them is not known.
    virtual bool tree_forces(int index, double* actuators, double* friction, double* limits) const = 0;
    // Of the last step that failed, the row whose numbers were not finite; of several the fastest.
    virtual int diverged_row() const = 0;
    // Of the island of a body the number of its sleep, of which each has its own; 0: it is awake. And an end to it.
    virtual std::int64_t nap(int row) const = 0;
    virtual void wake(int row) = 0;
    virtual WorldCounts counts() = 0;
    // Whether steps are worth to be shared.
    virtual bool is_large() const = 0;
    // Who shares the next steps; null: nobody.
    virtual void set_crew(Crew* crew) = 0;
    CrewRest& crew_rest() { return crew_rest_; }

private:
    CrewRest crew_rest_;
    std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace kido
