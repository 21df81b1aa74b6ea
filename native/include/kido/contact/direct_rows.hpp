#pragma once

#include "kido/contact/direct_law.hpp"
#include "kido/contact/joint_couplings.hpp"
#include "kido/contact/joint_limits.hpp"
#include "kido/contact/joint_motors.hpp"
#include "kido/contact/loop_group.hpp"

// Rows of joints in an island that is solved directly: limits, motors, couplings, each of one to three dofs.

KIDO_BEGIN

// A skeleton of the island.
struct DirectTree {
    const Articulation* articulation;
    ArticulationResponse* response;
    JointLimits* limits;
    JointMotors* motors;
    JointCouplings* couplings;
    const LoopGroup* loops;        // null: none are taken out
    std::vector<double>* changes;  // of the velocities of dofs by impulses, as the last solve found them
};

struct DirectRow {
    enum class Law { limit, speed, motor, coupling };

    Law law;
    ArticulationResponse* response;
    double* impulse;
    double mass;         // 1 / response
    double error;        // gap of a limit, of a limit of velocity its negative value, error of a coupling
    double soft_bias, soft_give;  // of a limit, as of RowSoftness; soft_give 0: it is hard
    double speed, least, most;  // of a motor
    int count;           // of dofs
    int coordinate[3], variable[3];  // of the response; of the island, -1: not to be moved
    double coefficient[3];
    double start, moved;  // motion without impulses, displacement

    void read() {
        start = moved = 0.0;
        for (int i = 0; i < count; ++i) {
            start += coefficient[i] * response->motion_at(coordinate[i]);
            moved += coefficient[i] * response->displacement_at(coordinate[i]);
        }
    }
    void give(double amount) const {
        if (amount == 0.0) return;
        for (int i = 0; i < count; ++i) {
            const double x[1] = {coefficient[i] * amount};
            response->push(coordinate[i], x);
        }
    }
    double motion(const double* changes) const {
        double u = start;
        for (int i = 0; i < count; ++i) {
            if (variable[i] >= 0) u += coefficient[i] * changes[variable[i]];
        }
        return u;
    }
    // The new impulse of a motion, and its derivative by the negative motion.
    template <bool Relaxing>
    double answer(const SweepSettings& s, double u, double& derivative) const {
        const double stiffness = kDirectRigid * mass;
        derivative = stiffness;
        if (law == Law::limit && soft_give > 0.0) {
            derivative = 0.0;
            if (Relaxing) return *impulse;
            const double gap = error + moved, x = -(u + (gap > 0.0 ? gap * s.per_step : gap * soft_bias)) / soft_give;
            if (x > 0.0) derivative = 1.0 / soft_give;
            return std::max(x, 0.0);
        }
        if (law == Law::limit) {
            const double x = direct_normal<Relaxing>(s, *impulse, stiffness, u, error + moved);
            if (x == 0.0) derivative = 0.0;
            return x;
        }
        if (law == Law::speed) {
            const double x = std::max(*impulse - stiffness * (u + error), 0.0);
            if (x == 0.0) derivative = 0.0;
            return x;
        }
        if (law == Law::coupling) {
            return *impulse - stiffness * (Relaxing ? u : u + (error + moved) * s.softness.bias);
        }
        const double x = *impulse - stiffness * (u - speed), held = std::min(std::max(x, least), most);
        if (x != held) derivative = 0.0;
        return held;
    }
};

// Adds the rows of a skeleton; variable_of(dof): of the island, -1: none.
template <class F>
void add_joint_rows(const DirectTree& tree, F variable_of, std::vector<DirectRow>& rows) {
    const auto add_limit = [&](DirectRow::Law law, LimitRow& r) {
        DirectRow row = {law, tree.response, &r.impulse, r.mass, r.gap, r.bias, r.give, 0.0, 0.0, 0.0, r.count, {}, {}, {}, 0.0, 0.0};
        for (int i = 0; i < r.count; ++i) {
            row.coordinate[i] = r.coordinates[i];
            row.variable[i] = variable_of(JointLimits::dof_of(*tree.articulation, r, i));
            row.coefficient[i] = r.rate[i];
        }
        rows.push_back(row);
    };
    for (LimitRow& r : tree.limits->rows()) add_limit(DirectRow::Law::limit, r);
    for (LimitRow& r : tree.limits->speed_rows()) add_limit(DirectRow::Law::speed, r);
    for (MotorRow& r : tree.motors->rows()) {
        rows.push_back({DirectRow::Law::motor, tree.response, &r.impulse, r.mass, 0.0, 0.0, 0.0, r.speed, r.least, r.most, 1,
                        {r.coordinate, 0, 0}, {variable_of(r.dof), -1, -1}, {1.0, 0.0, 0.0}, 0.0, 0.0});
    }
    const std::vector<CouplingRow>& couplings = tree.couplings->rows();
    for (std::size_t i = 0; i < couplings.size(); ++i) {
        const CouplingRow& r = couplings[i];
        const Coupling& c = tree.couplings->couplings()[i];
        rows.push_back({DirectRow::Law::coupling, tree.response, &tree.couplings->impulses()[i], r.mass, r.error, 0.0, 0.0, 0.0, 0.0, 0.0, 2,
                        {r.follower, r.leader, 0}, {variable_of(c.follower), variable_of(c.leader), -1}, {1.0, -r.ratio, 0.0}, 0.0, 0.0});
    }
}

KIDO_END
