#pragma once

#include "kido/ik/wanted_change.hpp"

// A step of several tasks in levels of priority: each level moves by damped least squares in the null space of the Jacobians
// of all levels above together, so that it disturbs none of them. Siciliano and Slotine, "A general framework for managing multiple
// tasks in highly redundant robotic systems" (1991); Baerlocher and Boulic, "An inverse kinematics architecture enforcing an arbitrary
// number of strict priority levels" (2004).

KIDO_BEGIN

class LevelStep : protected WantedChange {
protected:
    using WantedChange::WantedChange;

    // Steps of the free dofs: level by level, each in the null space of those above.
    void hierarchical_step(int levels) {
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] != 0.0) w_.step[j] = 0.0;
        }
        int rank = has_own_strengths_ ? keep_barred() : 0;
        const int most = min(p_.num_rows + rank, m_.num_dofs);
        for (int t = 0; t < p_.num_tasks && p_.tasks[t].level < levels;) {
            const int level = p_.tasks[t].level, begin = t;
            int count = 0;
            for (; t < p_.num_tasks && p_.tasks[t].level < levels && p_.tasks[t].level == level; ++t) {
                if (takes_part(p_.tasks[t], levels)) count += p_.tasks[t].rows;
            }
            if (count == 0) continue;
            add_own_steps(begin, t, rank);
            const bool last = t == p_.num_tasks || p_.tasks[t].level >= levels, few = last && count > num_free() - rank;
            project(begin, t, levels, few ? 0 : rank);
            if (few) {
                damped_in_null_space(count, rank);
                return;
            }
            build(count);
            w_.system.solve(w_.ridge, w_.solved);
            for (int r = 0; r < count; ++r) add(w_.step, row(w_.projected, r), w_.solved[r]);
            if (!last) rank = extend(count, rank, most);
        }
    }

    // Begins the basis with the coordinates that are to stay on their limits; returns its rank.
    int keep_barred() {
        int rank = 0;
        for_each_group_at_limit([&](const Link& link, int k, bool) {
            if (w_.barred[link.dof + k] == 0.0) return;
            double* unit = row(w_.basis, rank);
            for (int j = 0; j < w_.stride; ++j) unit[j] = 0.0;
            write3(unit + link.dof + k / 3 * 3, coordinate_row(link, k));
            const double size = sqrt(product(unit, unit));
            project_out(unit, 0, rank);
            const double rest = sqrt(product(unit, unit));
            if (rest <= kDependent * size) return;
            for (int j = 0; j < w_.stride; ++j) unit[j] /= rest;
            ++rank;
        });
        return rank;
    }

    void build(int count) {
        w_.system.begin(count, m_.num_dofs);
        w_.system.set_rows(w_.projected, w_.stride);
        w_.system.multiply();
    }

    // Rows of some tasks for the free dofs, outside the first vectors of the basis; what they miss, and their damping.
    void project(int begin, int end, int levels, int rank) {
        int i = 0;
        for (int t = begin; t < end; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (!takes_part(task, levels)) continue;
            const double ridge = damping_of(task) * (has_own_strengths_ ? w_.strength[task.level] : strength_) + least_damping_;
            for (int r = task.row; r < task.row + task.rows; ++r, ++i) {
                const double* J = row(w_.J, r);
                double* P = row(w_.projected, i);
                for (int j = 0; j < w_.stride; j += L::width) L::store(P + j, L::load(J + j) * L::load(w_.free + j));
                w_.solved[i] = w_.left[r] - product(P, w_.step);
                w_.whole[i] = product(P, P);
                project_out(P, 0, rank);
                w_.ridge[i] = ridge;
            }
        }
    }

    // Adds the step of the last level where the null space of those above has fewer dimensions than the level has rows: in
    // coordinates of the null space, which are the free dofs themselves where there is no level above.
    void damped_in_null_space(int count, int rank) {
        const int dims = rank == 0 ? list_free() : complete(rank) - rank;
        const double damping = w_.ridge[0];
        double* z = w_.along;
        w_.system.begin(dims, count);
        for (int k = 0; k < dims; ++k) {
            z[k] = 0.0;
            for (int r = 0; r < count; ++r) {
                const double* P = row(w_.projected, r);
                w_.column[r] = rank == 0 ? P[w_.open[k]] : product(P, row(w_.basis, rank + k));
                z[k] += w_.column[r] * w_.solved[r];
            }
            w_.system.set_row(k, w_.column);
            w_.ridge[k] = damping;
        }
        w_.system.multiply();
        w_.system.solve(w_.ridge, z);
        for (int k = 0; k < dims; ++k) {
            if (rank == 0) {
                w_.step[w_.open[k]] += z[k];
            } else {
                add(w_.step, row(w_.basis, rank + k), z[k]);
            }
        }
    }

    bool stacks_ = false;      // whether all levels move as one
    double least_damping_ = p_.least_damping;
    bool approaches_ = false;  // what cannot be reached: there, damping below the usual one is too little
    bool small_steps_ = false;  // damped by the error itself, which is as much as where it bends

private:
    static constexpr double kDependent = 1e-3;    // part of a coordinate's row beside others of its joint that is none
    static constexpr double kWished = 1e-4;       // damping of what is wished for, whose error remains

    double damping_of(const HierarchyTask& task) const {
        const double squared = stacks_ ? required_squared_ : w_.squared[task.level];
        const double usual = task.wished ? kWished : small_steps_ ? sqrt(squared) : p_.damping * squared;
        const double own = task.damping * min(squared, 1.0);
        return own < 0.0 || (approaches_ && own < usual) ? usual : own;
    }

    // The mean of the steps that tasks of a level have of their own, in the null space of the levels above: what the rows of
    // all of them want is added to it.
    void add_own_steps(int begin, int end, int rank) {
        bool some = false;
        for (int t = begin; t < end; ++t) some = some || steps_itself(p_.tasks[t]);
        if (!some) return;
        for (int j = 0; j < w_.stride; ++j) w_.prior[j] = 0.0;
        for (int j = 0; j < m_.num_dofs; ++j) {
            double sum = 0.0;
            int count = 0;
            for (int t = begin; t < end; ++t) {
                if (!steps_itself(p_.tasks[t]) || !p_.tasks[t].moves[j]) continue;
                sum += row(w_.own, t)[j];
                ++count;
            }
            if (count > 0) w_.prior[j] = sum / count * w_.inverse[j] * w_.free[j];
        }
        project_out(w_.prior, 0, rank);
        for (int j = 0; j < m_.num_dofs; ++j) w_.step[j] += w_.prior[j];
    }
};

KIDO_END
