#pragma once

#include "kido/contact/direct_law.hpp"
#include "kido/contact/joint_couplings.hpp"
#include "kido/contact/joint_limits.hpp"
#include "kido/contact/joint_motors.hpp"

// Rows of joints in an island that is solved directly: limits, motors, couplings, each of one or two dofs.

KIDO_BEGIN

// A skeleton of the island.
struct DirectTree {
    const Articulation* articulation;
    ArticulationResponse* response;
    JointLimits* limits;
    JointMotors* motors;
    JointCouplings* couplings;
    std::vector<double>* changes;  // of the velocities of dofs by impulses, as the last solve found them
};

struct DirectRow {
    enum class Law { limit, motor, coupling };

    Law law;
    ArticulationResponse* response;
    double* impulse;
    double mass;         // 1 / response
    double error;        // gap of a limit, error of a coupling
    double speed, bound;  // of a motor
    int count;           // of dofs
    int coordinate[2], variable[2];  // of the response; of the island, -1: not to be moved
    double coefficient[2];
    double start, moved, next;  // motion without impulses, displacement, new impulse

    void read() {
        start = moved = 0.0;
        for (int i = 0; i < count; ++i) {
            start += coefficient[i] * response->motion[coordinate[i]];
            moved += coefficient[i] * response->displacement[coordinate[i]];
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
        if (law == Law::limit) {
            const double x = direct_normal<Relaxing>(s, *impulse, stiffness, u, error + moved);
            if (x == 0.0) derivative = 0.0;
            return x;
        }
        if (law == Law::coupling) {
            return *impulse - stiffness * (Relaxing ? u : u + (error + moved) * s.softness.bias);
        }
        const double x = *impulse - stiffness * (u - speed), held = std::min(std::max(x, -bound), bound);
        if (x != held) derivative = 0.0;
        return held;
    }
};

// Adds the rows of a skeleton; variable_of(dof): of the island, -1: none.
template <class F>
void add_joint_rows(const DirectTree& tree, F variable_of, std::vector<DirectRow>& rows) {
    for (LimitRow& r : tree.limits->rows()) {
        rows.push_back({DirectRow::Law::limit, tree.response, &r.impulse, r.mass, r.gap, 0.0, 0.0, 1,
                        {r.coordinate, 0}, {variable_of(r.dof), -1}, {r.sign, 0.0}, 0.0, 0.0, 0.0});
    }
    for (MotorRow& r : tree.motors->rows()) {
        rows.push_back({DirectRow::Law::motor, tree.response, &r.impulse, r.mass, 0.0, r.speed, r.bound, 1,
                        {r.coordinate, 0}, {variable_of(r.dof), -1}, {1.0, 0.0}, 0.0, 0.0, 0.0});
    }
    const std::vector<CouplingRow>& couplings = tree.couplings->rows();
    for (std::size_t i = 0; i < couplings.size(); ++i) {
        const CouplingRow& r = couplings[i];
        const Coupling& c = tree.couplings->couplings()[i];
        rows.push_back({DirectRow::Law::coupling, tree.response, &tree.couplings->impulses()[i], r.mass, r.error, 0.0, 0.0, 2,
                        {r.follower, r.leader}, {variable_of(c.follower), variable_of(c.leader)}, {1.0, -r.ratio}, 0.0, 0.0, 0.0});
    }
}

KIDO_END
