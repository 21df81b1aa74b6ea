#pragma once

#include <vector>

#include "kido/contact/articulation.hpp"

// The mass matrix of a skeleton over the dofs that impulses move, with armature, and springs and dampers implicit in the step: what the response
// of the articulated-body algorithm is the inverse of. By composite bodies (Featherstone 2008, section 6.2), about the reference.

KIDO_BEGIN

class ArticulationMass {
public:
    // h: length of the step, as Articulation::accelerate had it.
    void compute(const Articulation& a, double h) {
        const Model& m = a.model();
        list_dofs(a);
        const int n = size();
        numbers_.assign(static_cast<std::size_t>(n) * n, 0.0);
        inertia_.assign(m.num_links, ArticulatedInertia<double>{});
        for (int i = m.num_links - 1; i >= 0; --i) {
            const Link& link = m.links[i];
            if (!link.massless) {
                const auto [first, second] = a.moments(i);
                inertia_[i] = inertia_[i] + articulated(link.mass, first, second);
            }
            for (int k = link.dof; k < link.dof + link.dof_count; ++k) write_row(a, i, k);
            if (link.parent >= 0) inertia_[link.parent] = inertia_[link.parent] + inertia_[i];
        }
        for (int k = 0; k < m.num_dofs; ++k) {
            if (rows_[k] < 0) continue;
            numbers_[static_cast<std::size_t>(n + 1) * rows_[k]] += with_armature(h * a.damping[k] + h * h * a.stiffness[k], m.armature, k);
        }
    }
    int size() const { return static_cast<int>(dofs_.size()); }
    // Row of a dof; -1: its motion is given.
    int row(int dof) const { return rows_[dof]; }
    const double* numbers() const { return numbers_.data(); }
    // Adds factor * x x^T (size()).
    void add_square(const double* x, double factor) {
        const int n = size();
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) numbers_[static_cast<std::size_t>(n) * i + j] += factor * x[i] * x[j];
        }
    }

    // Calls f(row, axis) for the dofs that move a link.
    template <class F>
    void for_columns(const Articulation& a, int link, F f) const {
        const Model& m = a.model();
        for (int i = link; i >= 0; i = m.links[i].parent) {
            for (int k = m.links[i].dof; k < m.links[i].dof + m.links[i].dof_count; ++k) {
                if (rows_[k] >= 0) f(rows_[k], a.factors(k).axis);
            }
        }
    }

private:
    void list_dofs(const Articulation& a) {
        const int n = a.model().num_dofs;
        rows_.assign(n, -1);
        dofs_.clear();
        for (int k = 0; k < n; ++k) {
            if (a.is_prescribed(k)) continue;
            rows_[k] = size();
            dofs_.push_back(k);
        }
    }
    void write_row(const Articulation& a, int link, int dof) {
        if (rows_[dof] < 0) return;
        const Motion<double>& axis = a.factors(dof).axis;
        const Wrench<double> w = times(inertia_[link], ScrewAxis<double>{axis.angular, axis.linear});
        const std::size_t n = size();
        for_columns(a, link, [&](int row, const Motion<double>& other) {
            const double x = dot(other, w);
            numbers_[n * rows_[dof] + row] = x;
            numbers_[n * row + rows_[dof]] = x;
        });
    }

    std::vector<int> rows_, dofs_;
    std::vector<double> numbers_;
    std::vector<ArticulatedInertia<double>> inertia_;
};

KIDO_END
