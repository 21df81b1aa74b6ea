#include "state_dynamics.hpp"

#include <algorithm>

#include "evaluate.hpp"
#include "kido/algorithm/forward_dynamics.hpp"
#include "kido/algorithm/hybrid_dynamics.hpp"
#include "kido/algorithm/inverse_dynamics.hpp"
#include "kido/algorithm/problem_of.hpp"
#include "kido/algorithm/spring_forces.hpp"

namespace kido {

namespace {

// Rows of working memory, each with a number for every dof.
enum Row : int { kZero, kPassive, kDriving, kTau, kGiven, kAdded, kAhead, kSpring, kAccelerations, kForces, kRows };

bool is_prescribed(unsigned char actuator) { return actuator >= static_cast<unsigned char>(Actuator::acceleration); }

double limited(double x, double lower, double upper) { return std::min(std::max(x, lower), upper); }

// A problem of the state's tree at some positions.
template <class A>
ProblemOf<A> at(const State& state, const double* q, const OptionsOf<A>& options = {}) {
    ProblemOf<A> problem(state.model(), options);
    problem.in[0] = q;
    problem.in[Problem::users] = state.users();
    return problem;
}

}  // namespace

void StateDynamics::command_forces(const unsigned char* actuators) {
    const double* forces = state_.row(Quantity::force);
    for (int d = 0; d < state_.num_dofs(); ++d) {
        if (actuators[d] == static_cast<unsigned char>(Actuator::force)) state_.set(Quantity::command, d, 1, forces + d);
    }
}

void StateDynamics::reserve() {
    memory_.resize(static_cast<std::size_t>(kRows) * state_.num_dofs());
    prescribed_.resize(state_.num_dofs());
    std::fill_n(numbers(kZero), state_.num_dofs(), 0.0);
}

bool StateDynamics::any(const double* values) const {
    return std::any_of(values, values + state_.num_dofs(), [](double x) { return x != 0.0; });
}

const double* StateDynamics::wrenches_or_null(const double* wrenches) const {
    if (!wrenches) return nullptr;
    const double* end = wrenches + 6 * state_.model().num_bodies;
    return std::any_of(wrenches, end, [](double x) { return x != 0.0; }) ? wrenches : nullptr;
}

// Of the springs after the time step with the present velocities.
void StateDynamics::spring_forces(const Loads& loads, double* forces) {
    auto motion = at<Integrate>(state_, state_.row(Quantity::position), {loads.step});
    motion.in[1] = state_.row(Quantity::velocity);
    motion.out[0] = numbers(kAhead);
    evaluate(motion);
    auto springs = at<SpringForces>(state_, numbers(kAhead));
    springs.in[1] = constant(loads, DofConstant::rest_position);
    springs.in[2] = constant(loads, DofConstant::stiffness);
    springs.out[0] = forces;
    evaluate(springs);
}

void StateDynamics::passive_forces(const Loads& loads, double* forces) {
    const int n = state_.num_dofs();
    const double* damping = constant(loads, DofConstant::damping);
    const double* v = state_.row(Quantity::velocity);
    for (int k = 0; k < n; ++k) forces[k] = -damping[k] * v[k];
    if (!any(constant(loads, DofConstant::stiffness))) return;
    spring_forces(loads, numbers(kSpring));
    for (int k = 0; k < n; ++k) forces[k] += numbers(kSpring)[k];
}

bool StateDynamics::hybrid(const double* v, const double* tau, const double* a, const double* wrenches, bool added,
                           bool gravity) {
    const double* q = state_.row(Quantity::position);
    const bool prescribed = std::find(prescribed_.begin(), prescribed_.end(), 1) != prescribed_.end();
    if (!prescribed && gravity && !(added && any(numbers(kAdded)))) {  // the same bits by a shorter way
        auto problem = at<ForwardDynamics>(state_, q);
        problem.in[1] = v;
        problem.in[2] = tau;
        problem.in[3] = wrenches;
        problem.out[0] = numbers(kAccelerations);
        return evaluate(problem) == kAllPositive;
    }
    auto problem = at<HybridDynamics>(state_, q, {prescribed_.data(), added ? numbers(kAdded) : nullptr, !gravity});
    problem.in[1] = v;
    problem.in[2] = tau;
    problem.in[3] = a;
    problem.in[4] = wrenches;
    problem.out[0] = numbers(kAccelerations);
    problem.out[1] = numbers(kForces);
    return evaluate(problem) == kAllPositive;
}

bool StateDynamics::forward(const Loads& loads) {
    reserve();
    const int n = state_.num_dofs();
    const double h = loads.step;
    const auto row = [&](DofConstant constant_row) { return constant(loads, constant_row); };
    const double *commands = state_.row(Quantity::command), *v = state_.row(Quantity::velocity);
    double *passive = numbers(kPassive), *driving = numbers(kDriving), *given = numbers(kGiven);
    passive_forces(loads, passive);
    for (int k = 0; k < n; ++k) {
        const Actuator actuator = static_cast<Actuator>(loads.actuators[k]);
        prescribed_[k] = is_prescribed(loads.actuators[k]);
        driving[k] = given[k] = 0.0;
        if (actuator == Actuator::force) {
            driving[k] = limited(commands[k], row(DofConstant::force_lower)[k], row(DofConstant::force_upper)[k]);
        } else if (actuator == Actuator::acceleration) {
            given[k] = limited(commands[k], row(DofConstant::acceleration_lower)[k],
                               row(DofConstant::acceleration_upper)[k]);
        } else if (actuator == Actuator::velocity || actuator == Actuator::locked) {
            const double speed =
                actuator == Actuator::locked
                    ? 0.0
                    : limited(commands[k], row(DofConstant::velocity_lower)[k], row(DofConstant::velocity_upper)[k]);
            given[k] = (speed - v[k]) / h;
        }
        numbers(kTau)[k] = driving[k] + passive[k];
        numbers(kAdded)[k] = h * row(DofConstant::damping)[k] + h * h * row(DofConstant::stiffness)[k];
    }
    if (!hybrid(v, numbers(kTau), given, wrenches_or_null(loads.wrenches), true, true)) return false;
    const double* force = numbers(kForces);
    for (int k = 0; k < n; ++k) {
        if (prescribed_[k]) driving[k] = force[k] - passive[k];
    }
    state_.set(Quantity::acceleration, 0, n, numbers(kAccelerations));
    state_.set(Quantity::force, 0, n, driving);
    return true;
}

void StateDynamics::inverse(const Loads& loads, const InverseDynamicsTerms& terms) {
    reserve();
    const int n = state_.num_dofs();
    const double h = loads.step;
    const double *v = state_.row(Quantity::velocity), *a = state_.row(Quantity::acceleration);
    double* tau = numbers(kTau);
    auto problem = at<InverseDynamics>(state_, state_.row(Quantity::position));
    problem.in[1] = v;
    problem.in[2] = a;
    problem.in[3] = terms.wrenches ? wrenches_or_null(loads.wrenches) : nullptr;
    problem.out[0] = tau;
    evaluate(problem);
    if (terms.damping) {
        const double* damping = constant(loads, DofConstant::damping);
        for (int k = 0; k < n; ++k) tau[k] += damping[k] * (v[k] + h * a[k]);
    }
    if (terms.springs && any(constant(loads, DofConstant::stiffness))) {
        const double* stiffness = constant(loads, DofConstant::stiffness);
        spring_forces(loads, numbers(kSpring));
        for (int k = 0; k < n; ++k) tau[k] += stiffness[k] * (h * h * a[k]) - numbers(kSpring)[k];
    }
    state_.set(Quantity::force, 0, n, tau);
}

bool StateDynamics::velocity_changes(const unsigned char* actuators, const double* impulses, double* changes) {
    reserve();
    const int n = state_.num_dofs();
    for (int k = 0; k < n; ++k) prescribed_[k] = is_prescribed(actuators[k]);
    if (!hybrid(numbers(kZero), impulses, numbers(kZero), nullptr, false, false)) return false;
    std::copy_n(numbers(kAccelerations), n, changes);
    return true;
}

}  // namespace kido
