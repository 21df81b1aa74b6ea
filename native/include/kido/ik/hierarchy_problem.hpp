#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/pose_region.hpp"
#include "kido/ik/search_settings.hpp"
#include "kido/tree/model.hpp"

// Inverse kinematics of several tasks of one robot at once, in levels of priority: the problem and its result.

namespace kido {

// What a task lowers. custom: whatever TaskParts computes, as parts that users write. limits: those of coordinates that do not move by
// themselves, of ball and free joints, while an objective is lowered.
enum class TaskKind : int { pose, gaze, center_of_mass, posture, custom, limits };

struct HierarchyTask {
    TaskKind kind;
    int level;     // 0 first, without gaps; tasks are sorted by it
    int row, rows;  // of its error among those of all tasks
    bool wished;    // lowered as far as levels above let it; what remains is no failure
    bool own_step;  // whether TaskParts::step knows a step of its own
    double damping = -1.0;  // of its error of 1 or more, which vanishes with the squared error; below 0: that of the settings
    double clamp = std::numeric_limits<double>::infinity();  // most that a dof of its may move in one step [rad, m]; may be infinite
    const unsigned char* moves;  // (dofs) whether a dof may move for it
    // Pose and gaze: the frame in its link, and the target's pose, rotation by columns and position.
    int link;
    double R[9], p[3];
    double target[12];
    PoseRegion region;  // of a pose; its weights and axes also of a centre of mass, the first weight of a gaze; of a custom task
                        // whether it has bounds
    // Gaze: the axis that is to aim at the target's origin, in its link, and the angle of the cone in which it may be [rad].
    double axis[3], half_angle;
    // Centre of mass: that of the links times their share of all mass, and the part of bodies fixed to the world [m].
    double share, fixed[3];
    // Posture: of each row a dof, its desired position and weight. Limits: the dofs.
    const int* dof;
    const double *desired, *weight;
};

// What native code cannot compute: tasks of kind custom, and steps of gradient methods. Each call returns false where the search
// has to end. Arguments `task` count tasks of the problem.
class TaskParts {
public:
    // Where the robot is from now on.
    virtual bool place(const double* positions) = 0;
    // Weighted error (rows), present minus desired, and the norms of its angles [rad] and lengths [m] before weighting.
    virtual bool error(int task, double* error, double* angular, double* linear) = 0;
    // Its derivative (rows, dofs) by velocities; columns of dofs that do not move are zero.
    virtual bool jacobian(int task, double* rows) = 0;
    // Of a task with bounds: derivative (rows, dofs) of what is weighted and measured, and the lowest and highest change (rows) of it
    // that leave no error; may be infinite.
    virtual bool bounds(int task, double* rows, double* low, double* high) = 0;
    // Velocities (dofs) of the task's gradient method [rad, m], downhill, for its weighted error (rows), present minus desired, and
    // the derivative (rows, dofs); both null where they are not known in [m].
    virtual bool step(int task, const double* error, const double* jacobian, double* velocities) = 0;
    // The objective, and its gradient (dofs) by velocities.
    virtual bool objective(double* value, double* gradient) = 0;
    // Whether rows (rows) of the error are lengths.
    virtual bool is_length(int task, unsigned char* rows) = 0;

protected:
    ~TaskParts() = default;
};

// A quadratic function of the positions x of some dofs: d.Hd / 2 + g.d, where d = x - center.
struct QuadraticObjective {
    const int* dof;  // (n)
    int n;
    const double *H, *g, *center;  // (n, n) symmetric, (n), (n)
};

struct HierarchyProblem : SearchSettings {
    const Model* model;
    const HierarchyTask* tasks;
    int num_tasks, num_levels, num_rows;
    int num_told;  // tasks whose errors the result has; those of limits come after them
    // Of all dofs.
    const unsigned char* moves;      // whether it may for some task
    const double *lower, *upper;     // [rad, m]
    const double *low_seed, *high_seed;  // range of further starts; where they are equal, those keep the given position
    const unsigned char* cyclic;         // whether a whole turn leads back

    const double* start;
    const double* largest_change = nullptr;  // (dofs) of ball and free joints from the start [rad, m]; null: as far as they like
    TaskParts* parts;     // null: no task needs them
    bool has_objective;   // whether the sum of what follows is to be lowered where all is reached
    bool asks_objective;  // whether TaskParts::objective is a part of it
    const QuadraticObjective* quadratics;
    int num_quadratics;
    const unsigned char* lowers;  // (dofs) whether a dof may move for the objective; null where there is none
    bool native_motion;   // whether native code knows the motion of all joints
    StopSignal* stop;     // ends the search early; null: nothing does
};

// Where a start ended.
struct HierarchyEnd {
    double* positions;       // (dofs)
    double* angular_error;   // (tasks) [rad]
    double* linear_error;    // (tasks) [m]
    unsigned char* reached;  // (tasks)
    int start, iterations;
    // Largest component of the Lagrangian's gradient relative to the largest gradient met; NaN where no objective was lowered.
    double stationarity;
};

struct HierarchyResult {
    HierarchyEnd best;
    bool elsewhere;          // whether `best` is another end than `connected`
    HierarchyEnd connected;  // where the first start ended, before it was mirrored: a path without jumps leads there
    bool timed_out = false;  // whether the time budget ended the search, which would have gone on
};

}  // namespace kido
