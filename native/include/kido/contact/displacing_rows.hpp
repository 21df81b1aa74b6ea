#pragma once

#include <algorithm>
#include <cmath>

#include "kido/contact/step_rows.hpp"

// Rows that are solved for displacements, beside those of a step: what pushes is an impulse that no velocity hears of. All rows are
// solved at once where they are few, by active sets (Hintermueller, Ito and Kunisch 2002, The primal-dual active set strategy), else
// visited one after the other (projected Gauss-Seidel).

KIDO_BEGIN

// How a row is to be met: a displacement along it of `wanted`, by impulses within bounds.
struct DisplacingRow {
    double wanted;        // [m or rad]
    double lower, upper;  // of the impulse
    double give;          // by how much it yields, in shares of its own response
    bool joint;           // whether it holds bodies together, or a dof within its limits
    double damping = 0.0;  // added to its response
};

class DisplacingRows {
public:
    // `sides`: where velocities are displacements, all zero. `moved`: rows that are displaced get a 1.
    DisplacingRows(const SideRows& sides, std::vector<char>& moved) : sides_(sides), moved_(moved) {}

    // How far a row has come.
    double displacement(int i) const {
        double sum = 0.0;
        for (int k = rows_[i].begin; k < rows_[i].end; ++k) {
            const End& end = ends_[k];
            for (int c = 0; c < end.at.count; ++c) sum += end.at.w[c] * present(end.at, c);
        }
        return sum;
    }
    double impulse(int i) const { return rows_[i].impulse; }
    // Along the ends of a row, by the displacements of the step.
    double along(const std::vector<RowEnd>& ends) const {
        double sum = 0.0;
        for (const RowEnd& end : ends) {
            for (int c = 0; c < count_of(end); ++c) {
                sum += end.w[c] * (end.tree >= 0 ? sides_.responses[end.tree].displacement_at(end.at[c])
                                                 : sides_.displacements[std::max(end.row, 0)].v[c]);
            }
        }
        return sum;
    }
    // Its index; -1: nothing moves along it.
    int add(const DisplacingRow& row, const std::vector<RowEnd>& ends) {
        const int begin = static_cast<int>(ends_.size());
        for (const RowEnd& end : ends) add_end(end);
        const int end = static_cast<int>(ends_.size());
        const double response = own_response(begin, end);
        if (!(response > kUnmoved * scale(begin, end))) {
            ends_.resize(begin);
            return -1;
        }
        const double give = response * row.give + row.damping;
        rows_.push_back({row, begin, end, give, 1.0 / (response + give), 0.0});
        return static_cast<int>(rows_.size()) - 1;
    }
    // Solves all rows; false, and nothing changed, where they are many, or the search for those that push does not end.
    bool solve() {
        if (rows_.size() > kMostDirect) return false;
        const std::size_t n = rows_.size();
        fill_matrix();
        std::vector<char> inside(n);
        for (std::size_t i = 0; i < n; ++i) inside[i] = is_held(rows_[i]) || rows_[i].impulse != 0.0 || outside(i, 0.0);
        for (int round = 0; round < kRounds; ++round) {
            if (!solve_inside(inside)) return false;
            if (update(inside)) continue;
            for (std::size_t i = 0; i < n; ++i) set(rows_[i], solution_[i]);
            return true;
        }
        return false;
    }
    // Visits all rows once, or those of joints alone; returns the largest change of a displacement along one.
    double sweep(bool joints_alone) {
        double most = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            Row& r = rows_[i];
            if (joints_alone && !r.law.joint) continue;
            const double off = displacement(static_cast<int>(i)) - r.law.wanted + r.give * r.impulse;
            const double next = std::min(std::max(r.impulse - off * r.inverse, r.law.lower), r.law.upper);
            most = std::max(most, std::fabs(next - r.impulse) / r.inverse);
            set(r, next);
        }
        return most;
    }

private:
    struct End {
        RowEnd at;
        double gain[6];  // of a rigid body, by a unit of the row
    };
    struct Row {
        DisplacingRow law;
        int begin, end;
        double give, inverse, impulse;
    };

    static int count_of(const RowEnd& end) { return end.tree >= 0 ? end.count : end.row > 0 ? 6 : 0; }
    double present(const RowEnd& end, int c) const {
        return end.tree >= 0 ? sides_.responses[end.tree].motion_at(end.at[c]) : sides_.velocities[end.row].v[c];
    }
    void add_end(const RowEnd& from) {
        if (from.tree < 0 && (from.row <= 0 || !sides_.bodies[from.row].moves())) return;
        End end = {from, {}};
        end.at.count = count_of(from);
        if (from.tree < 0) {
            const BodyPose<double> pose = load_pose<double>(sides_.poses, &from.row);
            write3(end.gain, vec3(from.w) * pose.inverse_mass);
            write3(end.gain + 3, pose.inverse_inertia * vec3(from.w + 3));
        }
        ends_.push_back(end);
    }
    // Of ends in trees, with loops open.
    double scale(int begin, int end) const {
        double sum = 0.0;
        for (int k = begin; k < end; ++k) {
            const RowEnd& at = ends_[k].at;
            for (int c = 0; c < at.count && at.tree >= 0; ++c) sum += at.w[c] * at.w[c] * sides_.responses[at.tree].scale(at.at[c]);
        }
        return sum;
    }
    double own_response(int begin, int end) const { return response(begin, end, begin, end); }
    // Of the displacement along some ends to an impulse at others.
    double response(int begin, int end, int other_begin, int other_end) const {
        double sum = 0.0;
        for (int k = begin; k < end; ++k) {
            for (int l = other_begin; l < other_end; ++l) {
                const RowEnd &a = ends_[k].at, &b = ends_[l].at;
                if (a.tree != b.tree && (a.tree < 0 || b.tree < 0 || sides_.responses[a.tree].group() < 0)) continue;
                if (a.tree < 0 && a.row != b.row) continue;
                for (int i = 0; i < a.count; ++i) {
                    if (a.tree < 0) sum += a.w[i] * ends_[l].gain[i];
                    for (int j = 0; j < b.count && a.tree >= 0; ++j) {
                        sum += a.w[i] * b.w[j] * sides_.response(a.tree, a.at[i], b.tree, b.at[j]);
                    }
                }
            }
        }
        return sum;
    }
    void set(Row& r, double impulse) {
        const double d = impulse - r.impulse;
        r.impulse = impulse;
        for (int k = r.begin; k < r.end && d != 0.0; ++k) give(ends_[k], d);
    }
    static bool is_held(const Row& r) { return r.law.lower < 0.0 && r.law.upper > 0.0; }
    // Whether a row that does not push is off by `off`, so that it has to.
    bool outside(std::size_t i, double off) const {
        const DisplacingRow& law = rows_[i].law;
        return law.lower < 0.0 ? off > law.wanted : off < law.wanted;
    }
    void fill_matrix() {
        const std::size_t n = rows_.size();
        matrix_.assign(n * n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                matrix_[i * n + j] = matrix_[j * n + i] = response(rows_[i].begin, rows_[i].end, rows_[j].begin, rows_[j].end);
            }
            matrix_[i * n + i] += rows_[i].give;
        }
    }
    // The impulses of the rows inside, by Cholesky; false where the matrix is not positive.
    bool solve_inside(const std::vector<char>& inside) {
        const std::size_t n = rows_.size();
        std::vector<std::size_t> at;
        for (std::size_t i = 0; i < n; ++i) {
            if (inside[i]) at.push_back(i);
        }
        const std::size_t m = at.size();
        std::vector<double> L(m * m, 0.0), x(m);
        for (std::size_t i = 0; i < m; ++i) {
            double right = rows_[at[i]].law.wanted;
            for (std::size_t j = 0; j <= i; ++j) {
                double sum = matrix_[at[i] * n + at[j]];
                for (std::size_t k = 0; k < j; ++k) sum -= L[i * m + k] * L[j * m + k];
                if (i == j && !(sum > 0.0)) return false;
                L[i * m + j] = i == j ? std::sqrt(sum) : sum / L[j * m + j];
            }
            for (std::size_t k = 0; k < i; ++k) right -= L[i * m + k] * x[k];
            x[i] = right / L[i * m + i];
        }
        solution_.assign(n, 0.0);
        for (std::size_t i = m; i-- > 0;) {
            for (std::size_t k = i + 1; k < m; ++k) x[i] -= L[k * m + i] * x[k];
            solution_[at[i]] = x[i] /= L[i * m + i];
        }
        return true;
    }
    // Rows that pull leave, those that are off come in; whether there were any.
    bool update(std::vector<char>& inside) const {
        const std::size_t n = rows_.size();
        bool any = false;
        for (std::size_t i = 0; i < n; ++i) {
            const Row& r = rows_[i];
            if (is_held(r)) continue;
            double off = -kTolerance * (r.law.lower < 0.0 ? 1.0 : -1.0);
            for (std::size_t j = 0; j < n; ++j) off += matrix_[i * n + j] * solution_[j];
            const bool leaves = inside[i] && (solution_[i] < r.law.lower || solution_[i] > r.law.upper);
            if (!leaves && (inside[i] || !outside(i, off))) continue;
            inside[i] = !inside[i];
            any = true;
        }
        return any;
    }
    void give(const End& end, double impulse) {
        if (end.at.tree < 0) {
            double* v = sides_.velocities[end.at.row].v;
            for (int c = 0; c < 6; ++c) v[c] += end.gain[c] * impulse;
            moved_[end.at.row] = 1;
            return;
        }
        for (int c = 0; c < end.at.count; ++c) {
            const double x[1] = {end.at.w[c] * impulse};
            sides_.responses[end.at.tree].push(end.at.at[c], x);
        }
        sides_.exchange(end.at.tree);
        moved_[sides_.bodies.size() + end.at.tree] = 1;
    }

    static constexpr std::size_t kMostDirect = 200;
    static constexpr int kRounds = 30;
    static constexpr double kTolerance = 1e-12;  // of displacements [m]

    const SideRows& sides_;
    std::vector<char>& moved_;  // of rows of the solver, then of trees
    std::vector<End> ends_;
    std::vector<Row> rows_;
    std::vector<double> matrix_, solution_;
};

KIDO_END
