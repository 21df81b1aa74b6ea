#pragma once

#include <algorithm>

#include "kido/ik/hierarchy_rows.hpp"
#include "kido/ik/search_constants.hpp"

// One step of several tasks in levels of priority: each level moves by damped least squares in the null space of the Jacobians
// of all levels above together, so that it disturbs none of them. Joint limits are kept by an active set. Where all levels can be
// reached, they move as one. Siciliano and Slotine, "A general framework for managing multiple tasks in highly redundant robotic
// systems" (1991); Baerlocher and Boulic, "An inverse kinematics architecture enforcing an arbitrary number of strict priority levels" (2004).

KIDO_BEGIN

// Positions, the errors and Jacobians of all tasks there, and a step that lowers them.
class HierarchyStepper : protected HierarchyRows {
    using L = Loader<double>;

protected:
    static constexpr int kRounds = 4;             // times that joints may be found beyond their limits in one step
    static constexpr double kWished = 1e-4;       // damping of what is wished for, whose error remains
    static constexpr double kStiffness = 1e-2;    // least weight of a dof that nothing is wished of, beside the largest
    static constexpr double kBeyond = 10.0;       // length of a step beside the part up to a limit, from which on a dof stops there
    static constexpr double kLongest = 8.0, kShortest = 0.5;  // factors of a step for wishes
    static constexpr double kIndependent = 1e-6;  // part of a row outside the levels above, that makes it independent

    using HierarchyRows::HierarchyRows;

    // One step of the first levels.
    void move(int levels) {
        fill_jacobian([&](const HierarchyTask& task) { return takes_part(task, levels); });
        for_each_dof([&](int j, bool prismatic) { w_.unit[j] = prismatic ? length_.value : 1.0; });
        want(levels);
        if (has_failed()) return;
        weigh(levels);
        step_within_limits(levels);
    }

    // One step of all levels as one that lowers what is wished for, each dof by itself, and leaves the rest as it is to first order:
    // Gauss-Newton where each row depends on one dof, as those of postures. `rank` is the weight of a level beside the one above.
    void yield_to_wishes(double rank) {
        fill_jacobian();
        for_each_dof([&](int j, bool prismatic) { w_.unit[j] = prismatic ? length_.value : 1.0; });
        want(p_.num_levels);
        pull(rank);
        pulls_ = true;
        num_held_ = 0;
        for (int j = 0; j < w_.stride; ++j) w_.step[j] = 0.0;
        double excess = 1.0;
        for (int round = 0; round <= m_.num_dofs; ++round) {
            stacked_step(p_.num_levels, round == 0);
            const int first = first_beyond(excess);
            if (excess <= kBeyond) break;
            hold(p_.num_levels, first);
        }
        pulls_ = false;
        lengthen();
        first_beyond(excess);
        excess = max(excess, excess_of_step(p_.num_levels));
        for (int j = 0; j < m_.num_dofs; ++j) w_.moved[j] = w_.step[j] / excess;
        advance(1.0 / excess);
    }

    // The next step for wishes has none before it.
    void forget_wishes() { follows_ = false; }

    void take(const double* from, double* to) const {
        for (int j = 0; j < m_.num_dofs; ++j) to[j] = from[j];
    }

    bool moves_as_group(int dof) const {
        const JointKind kind = m_.links[m_.dof_link[dof]].kind;
        return kind == JointKind::ball || kind == JointKind::free;
    }

private:
    void step_within_limits(int levels) {
        num_held_ = 0;
        for (int j = 0; j < w_.stride; ++j) w_.step[j] = 0.0;
        for (int round = 0; round < kRounds; ++round) {
            if (stacks_) {
                stacked_step(levels, round == 0);
            } else {
                hierarchical_step(levels);
            }
            if (!stop_at_limits(levels)) break;
        }
        advance(1.0 / excess_of_step(levels));
    }

    // By how much the step is too long.
    double excess_of_step(int levels) const {
        double excess = 1.0;
        for_each_dof([&](int j, bool prismatic) {
            const double change = abs(w_.step[j] * w_.unit[j]);
            excess = max(excess, (prismatic ? change * length_.inverse : change) / (p_.largest_step * bound_));
            for (int t = 0; t < p_.num_tasks && p_.tasks[t].level < levels; ++t) {
                if (p_.tasks[t].moves[j]) excess = max(excess, change / p_.tasks[t].clamp);
            }
        });
        return excess;
    }

    // The dof that gets to its limit first, and what part of the step leads there: 1 over `excess`.
    int first_beyond(double& excess) const {
        int first = -1;
        excess = 1.0;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] == 0.0 || moves_as_group(j)) continue;
            const double allowed = allowed_of(j);
            if (allowed == w_.step[j]) continue;
            const double beyond = allowed == 0.0 ? std::numeric_limits<double>::infinity() : w_.step[j] / allowed;
            if (beyond > excess) {
                excess = beyond;
                first = j;
            }
        }
        return first;
    }

    // The step of a dof, up to its limit.
    double allowed_of(int j) const {
        const double lowest = (p_.lower[j] - w_.q[j]) * w_.inverse[j], highest = (p_.upper[j] - w_.q[j]) * w_.inverse[j];
        return min(max(w_.step[j], lowest), highest);
    }

    // A dof stops at its limit, and the others have to make up for it.
    void hold(int levels, int j) {
        const double allowed = allowed_of(j);
        w_.step[j] = allowed;
        w_.free[j] = 0.0;
        w_.held[num_held_++] = j;
        for_each_row(levels, [&](int r) { w_.left[r] -= row(w_.J, r)[j] * allowed; });
    }

    // The step of each dof towards what is wished for if it were alone, in a scale in which all of these are worth the same.
    void pull(double rank) {
        double *gradient = w_.pull, *curvature = w_.prior, most = 0.0;
        for (int j = 0; j < w_.stride; ++j) gradient[j] = curvature[j] = w_.scale[j] = w_.free[j] = 0.0;
        for (int t = 0, level = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (!task.wished) continue;
            double weight = 1.0;
            for (level = 0; level < task.level; ++level) weight *= rank;
            for (int r = task.row; r < task.row + task.rows; ++r) {
                const double* J = row(w_.J, r);
                for (int j = 0; j < m_.num_dofs; ++j) {
                    gradient[j] += weight * J[j] * w_.error[r];
                    curvature[j] += weight * J[j] * J[j];
                }
            }
        }
        for (int j = 0; j < m_.num_dofs; ++j) most = max(most, curvature[j]);
        if (most == 0.0) most = 1.0;  // nothing that may move is wished of
        for (int j = 0; j < m_.num_dofs; ++j) {
            w_.free[j] = p_.moves[j] ? 1.0 : 0.0;
            w_.scale[j] = 1.0 / sqrt(max(curvature[j], kStiffness * most));
            w_.pull[j] *= w_.scale[j];
            w_.unit[j] *= w_.scale[j];
            w_.inverse[j] = 1.0 / w_.unit[j];
        }
        scale_rows(p_.num_levels);
    }

    // Makes a step for wishes as long as the change of the steps by the last one says: targets that curve the way make it too long or
    // too short. Barzilai and Borwein, "Two-point step size gradient methods" (1988).
    void lengthen() {
        double length = 1.0, squared = 0.0, change = 0.0;
        for (int j = 0; follows_ && j < m_.num_dofs; ++j) {
            squared += w_.moved[j] * w_.moved[j];
            change += w_.moved[j] * (w_.before[j] - w_.step[j]);
        }
        if (squared > 0.0) length = change * kLongest > squared ? max(squared / change, kShortest) : kLongest;
        for (int j = 0; j < m_.num_dofs; ++j) {
            w_.before[j] = w_.step[j];
            w_.step[j] *= length;
        }
        follows_ = true;
    }

    void scale_rows(int levels) {
        for_each_row(levels, [&](int r) {
            double* J = row(w_.J, r);
            for (int j = 0; j < w_.stride; j += L::width) L::store(J + j, L::load(J + j) * L::load(w_.scale + j));
        });
    }

    // Whether a task is one of the first levels, and not left out because it is wished for.
    bool takes_part(const HierarchyTask& task, int levels) const {
        return task.level < levels && !(task.wished && (only_required_ || skips_wishes_));
    }

    // Calls use(number, task) for those that take part.
    template <class Use>
    void for_each_task(int levels, Use&& use) const {
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (takes_part(p_.tasks[t], levels)) use(t, p_.tasks[t]);
        }
    }

    // By how much each row is to change: by the error, or by what the step of the task's own would change it.
    void want(int levels) {
        for_each_task(levels, [&](int t, const HierarchyTask& task) {
            for (int r = task.row; r < task.row + task.rows; ++r) w_.left[r] = w_.error[r];
            if (!steps_itself(task)) return;
            double* own = row(w_.own, t);
            ask_step(t, own);
            if (has_failed()) return;
            for (int j = 0; j < m_.num_dofs; ++j) own[j] /= strength_;
            for (int r = task.row; r < task.row + task.rows; ++r) {
                w_.left[r] = 0.0;
                for (int j = 0; j < m_.num_dofs; ++j) w_.left[r] += row(w_.J, r)[j] * (own[j] / w_.unit[j]);
            }
        });
    }

    bool steps_itself(const HierarchyTask& task) const { return task.own_step && !only_required_; }

    void ask_step(int t, double* own) {
        const HierarchyTask& task = p_.tasks[t];
        if (length_.value != 1.0) {
            ask([&] { return p_.parts->step(t, nullptr, nullptr, own); });
            return;
        }
        const int n = m_.num_dofs;
        for (int r = 0; r < task.rows; ++r) {
            w_.solved[r] = -w_.error[task.row + r];
            for (int j = 0; j < n; ++j) w_.custom[r * n + j] = row(w_.J, task.row + r)[j];
        }
        ask([&] { return p_.parts->step(t, w_.solved, w_.custom, own); });
    }

    // The nearer the limit that a dof moves to, the less it moves; a part of Coleman and Li's scaling (1996).
    void weigh(int levels) {
        double* downhill = w_.prior;
        for (int j = 0; j < w_.stride; ++j) downhill[j] = 0.0;
        for_each_row(levels, [&](int r) { add(downhill, row(w_.J, r), w_.left[r]); });
        for (int j = 0; j < m_.num_dofs; ++j) {
            w_.scale[j] = 1.0;
            w_.free[j] = p_.moves[j] ? 1.0 : 0.0;
            if (!p_.moves[j] || moves_as_group(j)) continue;
            const double room = downhill[j] > 0.0 ? p_.upper[j] - w_.q[j] : w_.q[j] - p_.lower[j];
            if (room <= 0.0) w_.free[j] = 0.0;
            const double weight = min(max(room / w_.unit[j] * (1.0 / kRoom), kLeastWeight), 1.0);
            if (weight == 1.0) continue;
            w_.scale[j] = sqrt(weight);
            w_.unit[j] *= w_.scale[j];
        }
        for (int j = m_.num_dofs; j < w_.stride; ++j) w_.free[j] = w_.scale[j] = 0.0;
        scale_rows(levels);
        for (int j = 0; j < m_.num_dofs; ++j) w_.inverse[j] = 1.0 / w_.unit[j];
    }

    // Calls use(row) for the rows of all tasks that take part.
    template <class Use>
    void for_each_row(int levels, Use&& use) const {
        for_each_task(levels, [&](int, const HierarchyTask& task) {
            for (int r = task.row; r < task.row + task.rows; ++r) use(r);
        });
    }

    // Joints beyond their limits stop there; whether there were any.
    bool stop_at_limits(int levels) {
        bool any_beyond = false;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] == 0.0 || moves_as_group(j) || allowed_of(j) == w_.step[j]) continue;
            any_beyond = true;
            hold(levels, j);
        }
        return any_beyond;
    }

    // Steps of the free dofs: level by level, each in the null space of those above.
    void hierarchical_step(int levels) {
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] != 0.0) w_.step[j] = 0.0;
        }
        int rank = 0, most = p_.num_rows < m_.num_dofs ? p_.num_rows : m_.num_dofs;
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

    // Steps of the free dofs for all levels as one. Where the step is not the first from these positions, only what was held since
    // is new.
    void stacked_step(int levels, bool first) {
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] != 0.0) w_.step[j] = pulls_ ? w_.pull[j] : 0.0;
        }
        int count = 0;
        for_each_row(levels, [&](int) { ++count; });
        if (count > num_free()) {
            project(0, p_.num_tasks, levels, 0);
            damped_in_null_space(count, 0);
            return;
        }
        if (first) {
            project(0, p_.num_tasks, levels, 0);
            build(count);
        } else {
            for (int k = 0; k < num_held_; ++k) {
                w_.system.remove_column(w_.held[k]);
                for (int r = 0; r < count; ++r) row(w_.projected, r)[w_.held[k]] = 0.0;
            }
            int i = 0;
            for_each_row(levels, [&](int r) {
                w_.solved[i] = w_.left[r] - product(row(w_.projected, i), w_.step);
                ++i;
            });
        }
        num_held_ = 0;
        w_.system.solve(w_.ridge, w_.solved);
        for (int r = 0; r < count; ++r) add(w_.step, row(w_.projected, r), w_.solved[r]);
    }

    void build(int count) {
        w_.system.begin(count);
        for (int r = 0; r < count; ++r) w_.system.set_row(r, row(w_.projected, r));
        w_.system.multiply();
    }

    // Rows of some tasks for the free dofs, outside the first vectors of the basis; what they miss, and their damping.
    void project(int begin, int end, int levels, int rank) {
        int i = 0;
        for (int t = begin; t < end; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (!takes_part(task, levels)) continue;
            const double ridge = damping_of(task) * strength_ + p_.least_damping;
            for (int r = task.row; r < task.row + task.rows; ++r, ++i) {
                const double* J = row(w_.J, r);
                double* P = row(w_.projected, i);
                for (int j = 0; j < w_.stride; j += L::width) L::store(P + j, L::load(J + j) * L::load(w_.free + j));
                w_.solved[i] = w_.left[r] - product(P, w_.step);
                project_out(P, 0, rank);
                w_.ridge[i] = ridge;
            }
        }
    }

    double damping_of(const HierarchyTask& task) const {
        const double squared = stacks_ ? required_squared_ : w_.squared[task.level];
        const double usual = task.wished ? kWished : p_.damping * squared, own = task.damping * min(squared, 1.0);
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

    double product(const double* a, const double* b) const {
        constexpr int pad = HierarchyMemory::pad, parts = pad / L::width;
        L::Value sum[parts];
        for (L::Value& s : sum) s = L::Value(0.0);
        for (int j = 0; j < w_.stride; j += pad) {
            for (int k = 0; k < parts; ++k) sum[k] += L::load(a + j + k * L::width) * L::load(b + j + k * L::width);
        }
        double x[pad];
        for (int k = 0; k < parts; ++k) L::store(x + k * L::width, sum[k]);
        return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
    }

    // x += factor y, of rows.
    void add(double* x, const double* y, double factor) const {
        for (int j = 0; j < w_.stride; j += L::width) L::store(x + j, L::load(x + j) + L::load(y + j) * factor);
    }

    // Takes from x what it has along some vectors of the basis: classical Gram-Schmidt, to be done twice where it has to be exact.
    void project_out(double* x, int begin, int end) const {
        for (int b = begin; b < end; ++b) w_.along[b] = product(x, row(w_.basis, b));
        for (int j = 0; j < w_.stride; j += L::width) {
            L::Value rest = L::load(x + j);
            for (int b = begin; b < end; ++b) rest -= L::load(row(w_.basis, b) + j) * w_.along[b];
            L::store(x + j, rest);
        }
    }

    int num_free() const {
        int count = 0;
        for (int j = 0; j < m_.num_dofs; ++j) count += w_.free[j] != 0.0;
        return count;
    }

    // Adds the step of the last level where the null space of those above has fewer dimensions than the level has rows: in
    // coordinates of the null space.
    void damped_in_null_space(int count, int rank) {
        const int dims = complete(rank) - rank;
        double *PZ = w_.gram, *N = w_.normal, *z = w_.ridge;
        const double damping = w_.ridge[0];
        for (int r = 0; r < count; ++r) {
            for (int k = 0; k < dims; ++k) PZ[r * dims + k] = product(row(w_.projected, r), row(w_.basis, rank + k));
        }
        for (int k = 0; k < dims; ++k) {
            for (int c = 0; c <= k; ++c) {
                double sum = k == c ? damping : 0.0;
                for (int r = 0; r < count; ++r) sum += PZ[r * dims + k] * PZ[r * dims + c];
                for (int a = 0; a < c; ++a) sum -= N[k * dims + a] * N[c * dims + a];
                N[k * dims + c] = k == c ? sqrt(sum) : sum / N[c * dims + c];
            }
        }
        for (int k = 0; k < dims; ++k) {
            double sum = 0.0;
            for (int r = 0; r < count; ++r) sum += PZ[r * dims + k] * w_.solved[r];
            for (int a = 0; a < k; ++a) sum -= N[k * dims + a] * z[a];
            z[k] = sum / N[k * dims + k];
        }
        for (int k = dims - 1; k >= 0; --k) {
            for (int a = k + 1; a < dims; ++a) z[k] -= N[a * dims + k] * z[a];
            z[k] /= N[k * dims + k];
            const double* unit = row(w_.basis, rank + k);
            for (int j = 0; j < m_.num_dofs; ++j) w_.step[j] += unit[j] * z[k];
        }
    }

    // Extends the basis to all free dofs, by unit vectors, those first that are least in it; returns its new rank.
    int complete(int rank) {
        double* rest = w_.prior;
        for (int j = 0; j < m_.num_dofs; ++j) {
            rest[j] = w_.free[j];
            for (int b = 0; b < rank; ++b) rest[j] -= row(w_.basis, b)[j] * row(w_.basis, b)[j];
        }
        for (const int all = num_free(); rank < all; ++rank) {
            int most = 0;
            for (int j = 1; j < m_.num_dofs; ++j) most = rest[j] > rest[most] ? j : most;
            double* unit = row(w_.basis, rank);
            for (int j = 0; j < w_.stride; ++j) unit[j] = 0.0;
            unit[most] = 1.0;
            for (int pass = 0; pass < 2; ++pass) project_out(unit, 0, rank);
            const double size = sqrt(product(unit, unit));
            for (int j = 0; j < w_.stride; ++j) unit[j] /= size;
            for (int j = 0; j < m_.num_dofs; ++j) rest[j] -= unit[j] * unit[j];
        }
        return rank;
    }

    // Extends the basis by the rows of a level that are independent of it; returns its new rank.
    int extend(int count, int rank, int most) {
        const int before = rank;
        for (int r = 0; r < count && rank < most; ++r) {
            double* P = row(w_.projected, r);
            const double size = sqrt(product(P, P));
            project_out(P, before, rank);
            project_out(P, 0, rank);
            const double rest = sqrt(product(P, P));
            if (rest <= kIndependent * max(size, kIndependent)) continue;
            double* unit = row(w_.basis, rank++);
            for (int j = 0; j < w_.stride; ++j) unit[j] = P[j] / rest;
        }
        return rank;
    }

protected:
    // Moves by a part of the step.
    void advance(double scale) {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            double* q = w_.q + link.dof;
            const double *d = w_.step + link.dof, *unit = w_.unit + link.dof;
            if (link.kind == JointKind::ball || link.kind == JointKind::free) {
                if (std::all_of(d, d + link.dof_count, [](double x) { return x == 0.0; })) continue;
                const Mat3<double> R = so3_exp(read3(q));
                const Vec3<double> rotation = read3(d) * scale;
                write3(q, so3_log(R * so3_exp(rotation)));
                if (link.kind == JointKind::free) {
                    write3(q + 3, read3(q + 3) + R * (so3_left_jacobian(rotation) * (read3(d + 3) * (scale * unit[3]))));
                }
                if (p_.largest_change) stay_near_start(link, q);
                for (int k = 0; k < link.dof_count; ++k) q[k] = min(max(q[k], p_.lower[link.dof + k]), p_.upper[link.dof + k]);
                continue;
            }
            for (int k = 0; k < link.dof_count; ++k) {
                const int j = link.dof + k;
                if (d[k] != 0.0) q[k] = min(max(q[k] + d[k] * unit[k] * scale, p_.lower[j]), p_.upper[j]);
            }
        }
    }

    bool follows_ = false;     // whether a step for wishes follows another
    int num_held_ = 0;         // dofs held since the last step
    bool pulls_ = false;       // whether steps begin with what dofs are pulled by
    bool stacks_ = false;      // whether all levels move as one
private:
    // A ball or free joint goes no further from the start than it may: by each component of the displacement.
    void stay_near_start(const Link& link, double* q) const {
        const double *start = p_.start + link.dof, *most = p_.largest_change + link.dof;
        const Mat3<double> R = so3_exp(read3(start));
        const Vec3<double> rotation = so3_log(transpose(R) * so3_exp(read3(q))), held = within(rotation, most);
        write3(q, so3_log(R * so3_exp(held)));
        if (link.kind != JointKind::free) return;
        const Vec3<double> way = transposed_times(R, read3(q + 3) - read3(start + 3));
        const Vec3<double> linear = within(so3_right_jacobian_inverse(-rotation) * way, most + 3);
        write3(q + 3, read3(start + 3) + R * (so3_left_jacobian(held) * linear));
    }

    static Vec3<double> within(const Vec3<double>& x, const double* most) {
        return {min(max(x.x, -most[0]), most[0]), min(max(x.y, -most[1]), most[1]), min(max(x.z, -most[2]), most[2])};
    }

protected:
    double bound_ = 1.0;       // of the largest step
    double strength_ = 1.0;    // of the damping
    bool skips_wishes_ = false;   // whether steps leave what is wished for alone
    bool only_required_ = false;  // whether they do, and are the search's own
    bool approaches_ = false;  // what cannot be reached: there, damping below the usual one is too little
};

KIDO_END
