#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kido/contact/articulation_mass.hpp"
#include "kido/contact/body_constraint.hpp"
#include "kido/contact/cholesky.hpp"

// Closed loops over one tree or several, taken out of the sweeps: C - C J^T (J C J^T)^-1 J C is how trees respond with their loops closed,
// so that whatever is visited keeps them closed. Once before the sweeps of a sub-step the motion is projected onto that of closed loops,
// with correction, and once after the displacement, without. The forces that close the loops follow at the end, from all other impulses.

KIDO_BEGIN

class LoopGroup {
public:
    void begin() {
        pushing_ = Pushing::plain;
        constraints_.clear();
        trees_.clear();
        rows_.clear();
        usual_.clear();
        terms_.clear();
    }
    void add_tree(int tree) { trees_.push_back({tree, 0, {}}); }
    // A constraint whose sides are links of these trees, or do not move.
    void add_constraint(int index) { constraints_.push_back(index); }
    int num_trees() const { return static_cast<int>(trees_.size()); }
    template <class F>
    void for_each_tree(F f) const {
        for (const Part& part : trees_) f(part.tree);
    }

    // After the responses were computed: takes the loops out of them. `name`: of the group, for its trees.
    void fold(int name, std::vector<BodyConstraintRows>& all, std::vector<ArticulationResponse>& responses) {
        for (Part& part : trees_) {
            part.stride = responses[part.tree].stride();
            part.motions.clear();
        }
        for (const int i : constraints_) add_rows(all[i], responses);
        lower_.assign(static_cast<std::size_t>(size()) * size(), 0.0);
        for (auto* v : {&wanted_, &pushed_, &forces_, &sums_}) v->assign(size(), 0.0);
        factorize();
        for (const Part& part : trees_) {
            responses[part.tree].fold(part.motions.data(), size());
            if (trees_.size() > 1) responses[part.tree].join(name, part.motions.data(), size());
        }
    }
    // Impulses that close the loops: velocities alone where Relaxing, else errors too.
    template <bool Relaxing>
    void project(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& all) {
        if (Relaxing) take_back(rows);
        int to = 0;
        for (const int i : constraints_) to += all[i].template read<Relaxing>(rows, settings, &wanted_[to], &pushed_[to]);
        for (int k = 0; k < size(); ++k) {
            wanted_[k] *= rows_[k].scale;
            pushed_[k] *= rows_[k].scale;
        }
        if (!Relaxing) {
            if (is_touched(rows, all)) CorrectionDamping::bound(usual_.data(), size(), settings.push_speed, pushed_.data());
            pushing_ = damping_.damp(lower_.data(), size(), usual_.data(), size(), settings.closing, settings.per_step / settings.closing,
                                     pushed_.data(),
                                     [&](const double* impulses, double per_length) { return turn(rows, impulses, per_length); });
            for (const int i : constraints_) all[i].see_pushing(pushing_);
        }
        for (int k = 0; k < size(); ++k) wanted_[k] += pushed_[k];
        ascend();
        move_trees(rows.responses, -1.0);
        descend();
        for (int k = 0; k < size(); ++k) forces_[k] -= wanted_[k];
    }
    // What impulses that one tree has taken since the last call make of the others.
    void exchange(std::vector<ArticulationResponse>& responses, int tree, AlignedNumbers ArticulationResponse::*moved) {
        std::vector<double>& taken = responses[tree].taken();
        for (Part& part : trees_) {
            if (part.tree != tree) add_motions(part, taken.data(), -1.0, responses[part.tree].*moved);
        }
        std::fill(taken.begin(), taken.end(), 0.0);
    }
    // With the displacement.
    void move() {
        for (int k = 0; k < size(); ++k) sums_[k] += forces_[k];
    }
    // After the sub-steps: what closed the loops, added to the impulses of the responses and told to the constraints.
    void finish(std::vector<BodyConstraintRows>& all, std::vector<ArticulationResponse>& responses, int substeps) {
        complete(forces_, responses, &ArticulationResponse::impulse);
        complete(sums_, responses, &ArticulationResponse::impulse_sum);
        const double* from = forces_.data();
        for (const int i : constraints_) from += all[i].take_eliminated(from, substeps);
    }
    // Makes the loops rigid in the mass matrix of the only tree.
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
    static constexpr double kRounding = 1e-13;  // of what a response is the difference of
    static constexpr double kRigid = 1e7;      // times the inertia of what a row moves

    // A tree, and L^-1 J C of its coordinates by rows.
    struct Part {
        int tree, stride;
        AlignedNumbers motions;
    };
    struct Term {
        int part, coordinate;
        double factor;
    };
    // One of a constraint; scale: one over the root of its response; regular: what is added to the response, which then is one.
    struct Row {
        int begin, end;  // of its terms
        double scale, regular;
    };

    int size() const { return static_cast<int>(rows_.size()); }
    double& lower(int i, int j) { return lower_[static_cast<std::size_t>(i) * size() + j]; }
    auto of_rows() {
        return [this](int i, int j) -> double& { return lower(i, j); };
    }
    double lower(int i, int j) const { return lower_[static_cast<std::size_t>(i) * size() + j]; }
    static double* motion(Part& part, int row) { return &part.motions[static_cast<std::size_t>(row) * part.stride]; }
    int part_of(int tree) const {
        int i = 0;
        while (trees_[i].tree != tree) ++i;
        return i;
    }

    bool is_touched(const SideRows& rows, const std::vector<BodyConstraintRows>& all) const {
        return std::any_of(constraints_.begin(), constraints_.end(), [&](int i) {
            return rows.is_pushed(all[i].constraint().first) || rows.is_pushed(all[i].constraint().second);
        });
    }
    TurnedRates turn(const SideRows& rows, const double* impulses, double per_length) {
        turned_.begin();
        for (int k = 0; k < size(); ++k) {
            for (int t = rows_[k].begin; t < rows_[k].end; ++t) {
                turned_.add(rows, trees_[terms_[t].part].tree, terms_[t].coordinate, terms_[t].factor * rows_[k].scale * impulses[k]);
            }
        }
        return turned_.largest(rows, per_length);
    }
    // After the displacement: impulses that push errors, which would pile up along rows that hardly move.
    void take_back(const SideRows& rows) {
        if (pushing_ == Pushing::plain) return;
        wanted_ = pushed_;
        pushing_ = Pushing::plain;
        ascend();
        move_trees(rows.responses, 1.0);
        descend();
        for (int k = 0; k < size(); ++k) forces_[k] += wanted_[k];
    }
    // The rows of a constraint that can be moved, and how the trees move by each.
    void add_rows(BodyConstraintRows& c, const std::vector<ArticulationResponse>& responses) {
        c.begin_eliminated();
        set_scales(c, responses);
        for (int component = 0; component < BodyConstraintRows::kRows; ++component) {
            if (!c.constraint().components[component]) continue;
            const int begin = static_cast<int>(terms_.size()), row = size();
            for (Part& part : trees_) part.motions.resize(static_cast<std::size_t>(row + 1) * part.stride, 0.0);
            c.for_each_term(component, [&](int tree, int coordinate, double factor) {
                const int at = part_of(tree);
                terms_.push_back({at, coordinate, factor});
                double* to = motion(trees_[at], row);
                const double* from = responses[tree].row(coordinate);
                for (int i = 0; i < trees_[at].stride; ++i) to[i] += factor * from[i];
            });
            double own = 0.0, scale = 0.0;
            for (int t = begin; t < static_cast<int>(terms_.size()); ++t) {
                const Term& term = terms_[t];
                own += term.factor * motion(trees_[term.part], row)[term.coordinate];
                scale += term.factor * term.factor * responses[trees_[term.part].tree].scale(term.coordinate);
            }
            if (own > kUnmoved * scale) {
                rows_.push_back({begin, static_cast<int>(terms_.size()), 1.0 / std::sqrt(own), std::max(kRegular, kRounding * scale / own)});
                c.eliminate(component);
                const RowScale& usual = c.scale(c.size() - 1);
                usual_.push_back({usual.response / own, usual.turn * std::sqrt(own), usual.length_turn});
            } else {
                terms_.resize(begin);
                for (Part& part : trees_) part.motions.resize(static_cast<std::size_t>(row) * part.stride);
            }
        }
    }
    static void set_scales(BodyConstraintRows& c, const std::vector<ArticulationResponse>& responses) {
        double own[BodyConstraintRows::kRows] = {};
        for (int component = 0; component < BodyConstraintRows::kRows; ++component) {
            c.for_each_term(component, [&](int tree, int i, double factor) {
                c.for_each_term(component, [&](int other, int j, double by) {
                    if (other == tree) own[component] += factor * by * responses[tree].response(i, j);
                });
            });
        }
        c.set_scales(own);
    }
    // L L^T of the rows' response to each other, and L^-1 of their motions.
    void factorize() {
        for (int i = 0; i < size(); ++i) {
            for (int j = 0; j <= i; ++j) {
                double sum = 0.0;
                for (int t = rows_[j].begin; t < rows_[j].end; ++t) {
                    sum += terms_[t].factor * motion(trees_[terms_[t].part], i)[terms_[t].coordinate];
                }
                lower(i, j) = sum * rows_[i].scale * rows_[j].scale + (i == j ? rows_[i].regular : 0.0);
            }
        }
        factorize_in_place(size(), of_rows(), [this](int i) { return rows_[i].regular; });
        for (Part& part : trees_) {
            for (int i = 0; i < size(); ++i) substitute(part, i);
        }
    }
    void substitute(Part& part, int i) {
        double* own = motion(part, i);
        for (int c = 0; c < part.stride; ++c) own[c] *= rows_[i].scale;
        for (int k = 0; k < i; ++k) {
            const double x = lower(i, k), *other = motion(part, k);
            for (int c = 0; c < part.stride; ++c) own[c] -= x * other[c];
        }
        const double inverse = 1.0 / lower(i, i);
        for (int c = 0; c < part.stride; ++c) own[c] *= inverse;
    }
    // wanted <- L^-1 wanted.
    void ascend() {
        solve_lower(size(), of_rows(), [this](int i) -> double& { return wanted_[i]; });
    }
    // wanted <- L^-T wanted, in the rows' own units.
    void descend() {
        solve_upper(size(), of_rows(), [this](int i) -> double& { return wanted_[i]; });
        for (int k = 0; k < size(); ++k) wanted_[k] *= rows_[k].scale;
    }
    void move_trees(std::vector<ArticulationResponse>& responses, double factor) {
        for (Part& part : trees_) add_motions(part, wanted_.data(), factor, responses[part.tree].motion);
    }
    void add_motions(Part& part, const double* of_rows, double factor, AlignedNumbers& to) {
        for (int k = 0; k < size(); ++k) {
            const double x = factor * of_rows[k], *from = motion(part, k);
            if (x == 0.0) continue;
            for (int c = 0; c < part.stride; ++c) to[c] += x * from[c];
        }
    }
    // Adds to forces what other impulses needed to keep the loops closed, and then all of them to these.
    void complete(std::vector<double>& forces, std::vector<ArticulationResponse>& responses, AlignedNumbers ArticulationResponse::*impulses) {
        std::fill(wanted_.begin(), wanted_.end(), 0.0);
        for (Part& part : trees_) {
            const AlignedNumbers& given = responses[part.tree].*impulses;
            for (int k = 0; k < size(); ++k) {
                const double* b = motion(part, k);
                for (int c = 0; c < part.stride; ++c) wanted_[k] += b[c] * given[c];
            }
        }
        descend();
        for (int k = 0; k < size(); ++k) {
            forces[k] -= wanted_[k];
            for (int t = rows_[k].begin; t < rows_[k].end; ++t) {
                (responses[trees_[terms_[t].part].tree].*impulses)[terms_[t].coordinate] += terms_[t].factor * forces[k];
            }
        }
    }

    std::vector<int> constraints_;
    std::vector<Part> trees_;
    std::vector<Row> rows_;
    std::vector<Term> terms_;
    std::vector<RowScale> usual_;  // of the rows, in their units
    CorrectionDamping damping_;
    TurnedAngle turned_;
    Pushing pushing_ = Pushing::plain;  // in the present sub-step
    std::vector<double> lower_, wanted_, pushed_;
    std::vector<double> forces_, sums_;  // impulses of the step so far, and their sum over the sub-steps
};

KIDO_END
