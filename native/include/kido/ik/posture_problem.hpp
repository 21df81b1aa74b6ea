#pragma once

#include <cstddef>
#include <cstdint>

#include "kido/batch/stop_signal.hpp"
#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/shape_queries.hpp"
#include "kido/tree/model.hpp"

// Postures of one or several trees under constraints and with costs, as kernels are asked for them. Unknowns are dofs that move, and
// behind them further numbers (contact forces); dofs move along their groups, so no unknown has to be a unit quaternion.

namespace kido {

enum class PostureTermKind : int {
    points,        // matrix (rows, 3 points) times points of `frame` in axes of `base`, one after the other
    orientation,   // rotation vector of `frame` in `base` (3), its angle
    turn,          // 2 sin(angle / 2) times the axis (3): of costs, its square is 2 (1 - cos angle)
    direction,     // axis of `frame` and target of `base`: sines along two axes across (2), the angle between them
    sight,         // axis of `frame` and the way from its origin to a point of `base`: the same
    chord,         // difference of the two directions (3): of costs
    sight_chord,   // the same of a sight
    distance,      // matrix (k, 3) times a point of `frame` in axes of `base` (k), its length
    center_of_mass,  // matrix (rows, 3) times the common centre of mass in axes of `base`
    positions,     // matrix (rows, dofs) times all positions
    posture,       // along the groups, how far positions are from target (dofs): of costs
    shapes,        // signed distances of pairs of shapes (pairs)
    nearest,       // the least of the signed distances of pairs of shapes (1)
    balance,       // forces at points, and gravity on a tree, in units of its weight: sum (3), moment about its centre of mass (3)
    friction,      // of a force: least normal part, the cone, and a pyramid around it (6)
    force,         // a force less a target (3): of costs
    torque,        // matrix (rows, 2 dofs of the tree + 1) times torques that gravity and forces at points ask of dofs, in units of the
                   // weight of the tree, positions, and 1
    custom         // what the caller computes
};

// A frame in a link of a tree; link -1: in the world.
struct PosturePlace {
    int tree, link;
    double R[9], p[3];
};

struct PostureShapePair {
    const CollisionShape *first, *second;
    PosturePlace first_place, second_place;
};

struct PostureTerm {
    PostureTermKind kind;
    bool is_cost;
    int rows, first_row;  // of all constraints, or of all costs
    PosturePlace frame, base;
    int num_points;
    const double* point;          // (num_points, 3)
    const double* matrix;
    double axis[3], across[6];    // unit vectors of `frame`
    double target[3];             // of `base`: unit vector or point; of forces
    const double* desired;        // posture: (dofs)
    double least, most;           // bounds of an angle, length or distance; friction: least normal force, coefficient
    double influence;             // of shapes: pairs farther apart are left out [m]
    const double *lower, *upper;  // (rows), of rows that have bounds of their own
    const double* weight;         // costs: (rows, rows), or (rows) where diagonal
    bool diagonal;
    const PostureShapePair* pairs;
    int num_pairs;
    int tree;                     // balance, torque: which one; center_of_mass: -1 for all
    const int* extra;             // balance, torque: (num_points) first unknown of each force; friction, force: the first one
    const PosturePlace* places;   // balance, torque: (num_points) where forces act
    int custom;                   // index by which the caller knows it
};

// What the caller computes. False: it failed, and all ends.
class PostureParts {
public:
    virtual ~PostureParts() = default;
    // Numbers of user joints of a tree at positions of its dofs.
    virtual bool users(int tree, const double* q, double* numbers) = 0;
    // Values (rows) and their derivatives (rows, dofs + extras) by velocities and extras; a cost: one value. `slopes` may be null.
    virtual bool custom(int which, const double* q, const double* extra, double* values, double* slopes) = 0;
};

struct PostureTree {
    const Model* model;
    int first_dof;
    double fixed_mass, fixed_moment[3];  // of bodies that are fixed to the world [kg, kg m]
};

struct PostureProgram {
    const PostureTree* trees;
    int num_trees, dofs, unknowns, extras;  // unknowns: of dofs, without extras
    const int* unknown;                     // (dofs) -1: stands still
    const double *factor, *offset;          // (dofs) position for one of the unknown's leader
    const int* leader;                      // (dofs) the dof that is followed, or itself
    const double *lower, *upper;            // (dofs) of positions
    const double *extra_lower, *extra_upper;
    const double* scale;                    // (unknowns + extras) a step of size 1
    const PostureTerm* terms;
    int num_terms, rows, cost_rows;
    PostureParts* parts;
    int (*distance)(const CollisionShape& a, const double* pose_a, const CollisionShape& b, const double* pose_b, ShapeDistance& out);

    int all() const { return unknowns + extras; }
};

enum class PostureStatus : int { solved, infeasible, stalled, iterations, time_out, failed, stopped };

struct PostureSettings {
    int max_iterations, max_escapes;
    double tolerance, optimality;  // of rows [m, rad, -]; of the gradient of the Lagrangian
    double deadline;               // [s] of `now`; infinite: none
    double (*now)();
};

// One attempt. Arrays belong to the caller; q and extra are where it begins, and where it ends.
struct PostureAttempt {
    double *q, *extra;
    double *values, *multipliers, *bound_multipliers;  // (rows), (rows), (unknowns + extras)
    double cost, violation, stationarity;
    double shown;  // the violation of what users see, without limits of dofs
    int iterations, evaluations;
    PostureStatus status;
};

// Values and derivatives at one posture; null where they are not wanted.
struct PostureValues {
    double *values, *slopes, *lower, *upper;  // (rows), (rows, unknowns + extras), bounds (rows)
    double *cost, *gradient;                  // (terms) of each cost, else 0; (unknowns + extras)
};

}  // namespace kido
