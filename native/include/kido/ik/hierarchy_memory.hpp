#pragma once

#include "kido/ik/hierarchy_problem.hpp"
#include "kido/optimize/damped_system.hpp"
#include "kido/tree/scratch.hpp"

// Working memory of searches for several tasks.

KIDO_BEGIN

// Lengths of errors and of translational dofs are in characteristic lengths.
struct HierarchyMemory {
    static constexpr int pad = DampedSystem::pad;

    double *q, *best, *stuck, *other, *found, *sine, *cosine, *step, *free, *prior, *scale, *pull, *along, *before, *moved;  // (dofs)
    double* barred;  // (dofs) whether a coordinate of a ball or free joint stays on its limit in a step
    double *unit, *inverse;  // of a dof [rad, m] in a step, and 1 over it
    Pose<double>* pose;
    Vec3<double>* moment;  // (links) first moments of mass of subtrees, in the world [kg m]
    double *J, *projected, *basis;  // rows of `stride` numbers: weighted Jacobian, that of a level, orthonormal rows of levels above
    double *own;                    // (tasks) rows of `stride` numbers: steps of their own
    double *error, *left, *solved, *ridge, *column, *whole, *custom;
    double *low, *high;  // (rows) bounds of custom tasks
    double *squared, *checkpoint, *best_squared, *strength;  // (levels); the last one factors of the damping
    double *angular, *linear;                     // (tasks) norms of errors [rad], [characteristic length]
    PoseError<double>* pose_error;                // (tasks)
    int *held, *open;                             // (dofs) that stopped at their limits, and those that are free
    unsigned char* is_length;                     // (rows) of custom tasks
    // (rows) Bounds on which a component shall be, and (tasks) whether there are some: -1 its lower one, 1 its upper one, 0 none.
    // Of a gaze the first row stands for the edge of its cone. `short_of` (rows): by how much less than the bound, weighted.
    signed char* pin;
    double* short_of;
    bool* pinned;
    int stride;
    DampedSystem system;

    HierarchyMemory(const HierarchyProblem& p, Scratch& s)
        : stride((p.model->num_dofs + pad - 1) / pad * pad), system(p.num_rows, p.num_rows > stride ? p.num_rows : stride, s) {
        const int n = p.model->num_dofs, rows = p.num_rows;
        for (double** x : {&q, &best, &stuck, &other, &found, &sine, &cosine, &step, &free, &prior, &scale, &pull, &along, &before, &moved, &barred, &unit, &inverse}) *x = s.take<double>(stride);
        pose = s.take<Pose<double>>(p.model->num_links);
        moment = s.take<Vec3<double>>(p.model->num_links);
        for (double** x : {&J, &projected}) *x = s.take<double>(static_cast<std::size_t>(rows) * stride);
        basis = s.take<double>(static_cast<std::size_t>(n) * stride);
        own = s.take<double>(static_cast<std::size_t>(p.num_tasks) * stride);
        for (double** x : {&error, &left, &solved, &ridge, &column, &whole, &low, &high}) *x = s.take<double>(rows);
        custom = s.take<double>(static_cast<std::size_t>(rows) * n);
        for (double** x : {&squared, &checkpoint, &best_squared, &strength}) *x = s.take<double>(p.num_levels);
        for (double** x : {&angular, &linear}) *x = s.take<double>(p.num_tasks);
        pose_error = s.take<PoseError<double>>(p.num_tasks);
        held = s.take<int>(n);
        open = s.take<int>(n);
        is_length = s.take<unsigned char>(rows);
        pin = s.take<signed char>(rows);
        short_of = s.take<double>(rows);
        pinned = s.take<bool>(p.num_tasks);
    }
};

KIDO_END
