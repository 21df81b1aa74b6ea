#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kido/contact/articulation_mass.hpp"
#include "kido/contact/body_constraint.hpp"

// Closed loops of one tree, taken out of the sweeps: C - C J^T (J C J^T)^-1 J C is how the tree responds with its loops closed, so that
// whatever is visited keeps them closed. Once before the sweeps of a sub-step the motion is projected onto that of closed loops, with
// correction, and once after the displacement, without. The forces that close the loops follow at the end, from all other impulses.

KIDO_BEGIN

class TreeLoops {
public:
    bool empty() const { return members_.empty(); }
    void begin() {
        members_.clear();
        rows_.clear();
        terms_.clear();
    }
    // A constraint whose sides are links of the tree, or do not move.
    void add(int constraint) { members_.push_back(constraint); }

    // After the response was computed: takes the loops out of it.
    void fold(std::vector<BodyConstraintRows>& constraints, ArticulationResponse& response) {
        stride_ = response.stride();
        motions_.clear();
        for (const int i : members_) add_rows(constraints[i], response);
        const int m = size();
        lower_.assign(static_cast<std::size_t>(m) * m, 0.0);
        for (auto* v : {&wanted_, &forces_, &sums_}) v->assign(m, 0.0);
        factorize();
        response.fold(motions_.data(), m);
    }
    // Impulses that close the loops: velocities alone where Relaxing, else errors too.
    template <bool Relaxing>
    void project(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& constraints,
                 ArticulationResponse& response) {
        double* to = wanted_.data();
        for (const int i : members_) to += constraints[i].template read<Relaxing>(rows, settings, to);
        for (int k = 0; k < size(); ++k) wanted_[k] *= rows_[k].scale;
        ascend();
        for (int k = 0; k < size(); ++k) {
            const double* b = motion(k);
            for (int c = 0; c < stride_; ++c) response.motion[c] -= b[c] * wanted_[k];
        }
        descend();
        for (int k = 0; k < size(); ++k) forces_[k] -= wanted_[k];
    }
    // With the displacement.
    void move() {
        for (int k = 0; k < size(); ++k) sums_[k] += forces_[k];
    }
    // After the sub-steps: what closed the loops, added to the impulses of the response and told to the constraints.
    void finish(std::vector<BodyConstraintRows>& constraints, ArticulationResponse& response, int substeps) {
        complete(forces_, response.impulse);
        complete(sums_, response.impulse_sum);
        const double* from = forces_.data();
        for (const int i : members_) from += constraints[i].take_eliminated(from, substeps);
    }
    // Makes loops rigid in a mass matrix of the tree.
    void stiffen(const Articulation& a, const ArticulationResponse& response, ArticulationMass& mass) const {
        const int n = mass.size();
        std::vector<double> J(static_cast<std::size_t>(size()) * n, 0.0);
        for (int k = 0; k < size(); ++k) {
            double* row = &J[static_cast<std::size_t>(k) * n];
            for (int t = rows_[k].begin; t < rows_[k].end; ++t) {
                const Coordinate& c = response.coordinate(terms_[t].coordinate);
                const double factor = terms_[t].factor * rows_[k].scale;
                mass.for_columns(a, c.link, [&](int at, const Motion<double>& axis) { row[at] += factor * dot(axis, c.wrench); });
            }
            for (int l = 0; l < k; ++l) {
                for (int c = 0; c < n; ++c) row[c] -= lower(k, l) * J[static_cast<std::size_t>(l) * n + c];
            }
            for (int c = 0; c < n; ++c) row[c] /= lower(k, k);
            mass.add_square(row, kRigid);
        }
    }

private:
    static constexpr double kRegular = 1e-10;  // of rows whose responses are one, for those that hold the same
    static constexpr double kRigid = 1e7;      // times the inertia of what a row moves

    struct Term {
        int coordinate;
        double factor;
    };
    // One of a constraint; scale: one over the root of its response.
    struct Row {
        int begin, end;  // of its terms
        double scale;
    };

    int size() const { return static_cast<int>(rows_.size()); }
    double& lower(int i, int j) { return lower_[static_cast<std::size_t>(i) * size() + j]; }
    double lower(int i, int j) const { return lower_[static_cast<std::size_t>(i) * size() + j]; }
    double* motion(int row) { return &motions_[static_cast<std::size_t>(row) * stride_]; }

    // The rows of a constraint that can be moved, and how the tree moves by each.
    void add_rows(BodyConstraintRows& c, const ArticulationResponse& response) {
        c.begin_eliminated();
        for (int component = 0; component < BodyConstraintRows::kRows; ++component) {
            if (!c.constraint().components[component]) continue;
            const std::size_t begin = terms_.size(), at = motions_.size();
            motions_.resize(at + stride_, 0.0);
            c.for_each_term(component, [&](int coordinate, double factor) {
                terms_.push_back({coordinate, factor});
                const double* row = response.row(coordinate);
                for (int i = 0; i < stride_; ++i) motions_[at + i] += factor * row[i];
            });
            double own = 0.0, scale = 0.0;
            for (std::size_t t = begin; t < terms_.size(); ++t) {
                own += terms_[t].factor * motions_[at + terms_[t].coordinate];
                scale += terms_[t].factor * terms_[t].factor * response.scale(terms_[t].coordinate);
            }
            if (own > kUnmoved * scale) {
                rows_.push_back({static_cast<int>(begin), static_cast<int>(terms_.size()), 1.0 / std::sqrt(own)});
                c.eliminate(component);
            } else {
                terms_.resize(begin);
                motions_.resize(at);
            }
        }
    }
    // L L^T of the rows' response to each other, and L^-1 of their motions.
    void factorize() {
        for (int i = 0; i < size(); ++i) {
            double* own = motion(i);
            for (int j = 0; j <= i; ++j) {
                double sum = 0.0;
                for (int t = rows_[j].begin; t < rows_[j].end; ++t) sum += terms_[t].factor * own[terms_[t].coordinate];
                lower(i, j) = sum * rows_[i].scale * rows_[j].scale + (i == j ? kRegular : 0.0);
            }
        }
        for (int i = 0; i < size(); ++i) {
            for (int j = 0; j <= i; ++j) {
                double sum = lower(i, j);
                for (int k = 0; k < j; ++k) sum -= lower(i, k) * lower(j, k);
                lower(i, j) = i == j ? std::sqrt(std::max(sum, kRegular)) : sum / lower(j, j);
            }
        }
        for (int i = 0; i < size(); ++i) {
            double* own = motion(i);
            for (int c = 0; c < stride_; ++c) own[c] *= rows_[i].scale;
            for (int k = 0; k < i; ++k) {
                const double x = lower(i, k), *other = motion(k);
                for (int c = 0; c < stride_; ++c) own[c] -= x * other[c];
            }
            const double inverse = 1.0 / lower(i, i);
            for (int c = 0; c < stride_; ++c) own[c] *= inverse;
        }
    }
    // wanted <- L^-1 wanted.
    void ascend() {
        for (int i = 0; i < size(); ++i) {
            for (int k = 0; k < i; ++k) wanted_[i] -= lower(i, k) * wanted_[k];
            wanted_[i] /= lower(i, i);
        }
    }
    // wanted <- L^-T wanted, in the rows' own units.
    void descend() {
        for (int i = size() - 1; i >= 0; --i) {
            for (int k = i + 1; k < size(); ++k) wanted_[i] -= lower(k, i) * wanted_[k];
            wanted_[i] /= lower(i, i);
        }
        for (int k = 0; k < size(); ++k) wanted_[k] *= rows_[k].scale;
    }
    // Adds to forces what other impulses needed to keep the loops closed, and then all of them to these.
    void complete(std::vector<double>& forces, AlignedNumbers& impulses) {
        for (int k = 0; k < size(); ++k) {
            const double* b = motion(k);
            wanted_[k] = 0.0;
            for (int c = 0; c < stride_; ++c) wanted_[k] += b[c] * impulses[c];
        }
        descend();
        for (int k = 0; k < size(); ++k) forces[k] -= wanted_[k];
        for (int k = 0; k < size(); ++k) {
            for (int t = rows_[k].begin; t < rows_[k].end; ++t) impulses[terms_[t].coordinate] += terms_[t].factor * forces[k];
        }
    }

    std::vector<int> members_;
    std::vector<Row> rows_;
    std::vector<Term> terms_;
    AlignedNumbers motions_;                        // L^-1 J C, by rows
    std::vector<double> lower_, wanted_;
    std::vector<double> forces_, sums_;  // impulses of the step so far, and their sum over the sub-steps
    int stride_ = 0;
};

KIDO_END
