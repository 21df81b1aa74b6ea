#pragma once

#include "kido/ik/hierarchy_problem.hpp"
#include "kido/optimize/quadratic_solver.hpp"

// Working memory of searches that lower an objective.

KIDO_BEGIN

struct ObjectiveMemory {
    int *dof;  // (unknowns) dofs that may move
    int unknowns;
    double *gradient, *before, *change, *curved, *tangent;  // (unknowns)
    double *all, *slope, *away, *calmest;         // (dofs) gradient, that of quadratic parts and their displacement, kept positions
    double *left;                                 // (rows) errors that the descent leaves as they are
    double *normals;                              // (min(rows, unknowns), unknowns) orthonormal basis of the constraints' normals
    QuadraticSolver<double> qp;

    ObjectiveMemory(const HierarchyProblem& p, Scratch& s)
        : dof(s.take<int>(p.model->num_dofs)),
          unknowns(p.has_objective ? p.model->num_dofs : 0),
          gradient(s.take<double>(unknowns)),
          before(s.take<double>(unknowns)),
          change(s.take<double>(unknowns)),
          curved(s.take<double>(unknowns)),
          tangent(s.take<double>(unknowns)),
          all(s.take<double>(p.model->num_dofs)),
          slope(s.take<double>(p.num_quadratics > 0 ? p.model->num_dofs : 0)),
          away(s.take<double>(p.num_quadratics > 0 ? p.model->num_dofs : 0)),
          calmest(s.take<double>(p.has_objective ? p.model->num_dofs : 0)),
          left(s.take<double>(p.has_objective ? p.num_rows : 0)),
          normals(s.take<double>(static_cast<std::size_t>(p.num_rows < unknowns ? p.num_rows : unknowns) * unknowns)),
          qp({unknowns, p.has_objective ? p.num_rows : 0}, s) {}
};

KIDO_END
