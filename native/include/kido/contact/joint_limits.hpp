#pragma once

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/contact_law.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/contact/step_rows.hpp"

// Hard limits of positions: one row for each dof that is near one of its limits.

KIDO_BEGIN

struct LimitRow {
    int dof, coordinate;
    double sign;     // 1 at the lower limit, -1 at the upper
    double gap;      // to the limit [m or rad]
    double mass;     // 1 / response
    double impulse;
};

class JointLimits {
public:
    explicit JointLimits(int num_dofs) : impulses_(num_dofs, 0.0), signs_(num_dofs, 0.0) {}

    // The rows of a step of length h; adds their coordinates.
    void find(const Articulation& a, ArticulationResponse& response, double h) {
        rows_.clear();
        for (int k = 0; k < a.model().num_dofs; ++k) {
            const double low = a.positions[k] - a.lower[k], high = a.upper[k] - a.positions[k];
            const double near = kNear + 2.0 * h * std::fabs(a.velocities[k]);
            const double sign = std::min(low, high) > near || a.is_prescribed(k) ? 0.0 : low < high ? 1.0 : -1.0;
            if (sign != signs_[k]) impulses_[k] = 0.0;
            signs_[k] = sign;
            if (sign == 0.0) continue;
            rows_.push_back({k, response.add_dof(a.model(), k), sign, std::min(low, high), 0.0, impulses_[k]});
        }
    }
    void prepare(const ArticulationResponse& response) {
        for (LimitRow& r : rows_) r.mass = 1.0 / response.response(r.coordinate, r.coordinate);
    }
    void warm_start(ArticulationResponse& response) const {
        for (const LimitRow& r : rows_) push(response, r, r.impulse);
    }
    template <bool Relaxing>
    void sweep(const SweepSettings& settings, ArticulationResponse& response) {
        for (LimitRow& r : rows_) {
            const double u = r.sign * response.motion[r.coordinate];
            const double gap = r.gap + r.sign * response.displacement[r.coordinate];
            const double next = normal_impulse<Relaxing>(settings, r.impulse, r.mass, u, gap);
            push(response, r, next - r.impulse);
            r.impulse = next;
        }
    }
    void add_rows(StepRows& rows, int tree, const Correction& correction) const {
        for (const LimitRow& r : rows_) {
            const double keeping = std::max(r.gap, 0.0) * correction.per_step;
            rows.add({StepRowKind::limit, tree, r.dof, -1, -1, 0.0, HUGE_VAL, r.gap > 0.0 ? keeping : correction.of_depth(r.gap),
                      keeping, 0.0, r.impulse, 0, 0},
                     dof_end(tree, r.coordinate, r.sign), no_end());
        }
    }
    const double* take_impulses(const double* x) {
        for (LimitRow& r : rows_) r.impulse = *x++;
        return x;
    }
    void archive(StateArchive& archive) {
        archive.same_length(impulses_);
        archive.same_length(signs_);
    }
    void keep() {
        for (const LimitRow& r : rows_) impulses_[r.dof] = r.impulse;
    }

private:
    static constexpr double kNear = 0.01;  // [m or rad]

    static void push(ArticulationResponse& response, const LimitRow& r, double impulse) {
        if (impulse == 0.0) return;
        const double x[1] = {r.sign * impulse};
        response.push(r.coordinate, x);
    }

    std::vector<LimitRow> rows_;
    std::vector<double> impulses_, signs_;
};

KIDO_END
