#include <algorithm>
#include <cmath>
#include <string>

#include "body_columns.hpp"
#include "bound_state.hpp"
#include "call.hpp"
#include "kept_array.hpp"
#include "result_arrays.hpp"
#include "state_dynamics.hpp"
#include "topics.hpp"
#include "transmitted_wrenches.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define BYTES "numpy.typing.NDArray[numpy.uint8]"

namespace kido {

using namespace nb::literals;

namespace {

constexpr int kConstants = static_cast<int>(DofConstant::count);
constexpr int kBodyCodes = static_cast<int>(BodyCode::count);

const unsigned char* actuators_of(const State& state, nb::handle actuators) {
    return static_cast<const unsigned char*>(kept_array("actuators", actuators, NPY_UINT8, state.num_dofs(), kNoColumns));
}

const double* wrenches_of(const State& state, nb::handle wrenches) {
    if (wrenches.is_none()) return nullptr;
    return static_cast<const double*>(kept_array("wrenches", wrenches, NPY_DOUBLE, state.model().num_bodies, 6));
}

Loads loads_of(const State& state, nb::handle constants, nb::handle actuators, nb::handle wrenches, double step) {
    return {static_cast<const double*>(kept_array("constants", constants, NPY_DOUBLE, kConstants, state.num_dofs())),
            actuators_of(state, actuators), wrenches_of(state, wrenches), step};
}

// Whether nothing acts in joints but forces: no other actuator, spring, damper, friction or limit of positions or velocities.
bool acts_by_forces_alone(nb::object constants, nb::object actuators) {
    const auto* array = reinterpret_cast<PyArrayObject*>(actuators.ptr());
    const npy_intp n = PyArray_Check(actuators.ptr()) && PyArray_NDIM(array) == 1 ? PyArray_DIM(array, 0) : 0;
    const auto* types = static_cast<const unsigned char*>(kept_array("actuators", actuators, NPY_UINT8, n, kNoColumns));
    const auto* numbers = static_cast<const double*>(kept_array("constants", constants, NPY_DOUBLE, kConstants, n));
    const auto all = [&](DofConstant row, auto is_idle) {
        const double* x = numbers + static_cast<int>(row) * n;
        return std::all_of(x, x + n, is_idle);
    };
    const auto is_zero = [](double x) { return x == 0.0; };
    const auto is_infinite = [](double x) { return !std::isfinite(x); };
    return std::all_of(types, types + n, [](unsigned char type) { return type == static_cast<unsigned char>(Actuator::force); }) &&
           all(DofConstant::stiffness, is_zero) && all(DofConstant::damping, is_zero) && all(DofConstant::friction, is_zero) &&
           all(DofConstant::position_lower, is_infinite) && all(DofConstant::position_upper, is_infinite) &&
           all(DofConstant::velocity_lower, is_infinite) && all(DofConstant::velocity_upper, is_infinite);
}

// Of each dof (num_dofs,) the code of its joint in a column of a table (num_bodies, 8).
nb::object codes_of_dofs(nb::object codes, int column) {
    const auto* array = reinterpret_cast<PyArrayObject*>(codes.ptr());
    const npy_intp bodies = PyArray_Check(codes.ptr()) && PyArray_NDIM(array) == 2 ? PyArray_DIM(array, 0) : 0;
    const auto* table = static_cast<const std::int32_t*>(kept_array("codes", codes, NPY_INT32, bodies, kBodyCodes));
    require_index("column", column, kBodyCodes);
    const auto count_of = [&](npy_intp body) { return std::max(0, table[body * kBodyCodes + static_cast<int>(BodyCode::dof_count)]); };
    npy_intp n = 0;
    for (npy_intp body = 0; body < bodies; ++body) n += count_of(body);
    nb::object out = array_of(1, &n, NPY_UINT8);
    auto* to = static_cast<unsigned char*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out.ptr())));
    for (npy_intp body = 0; body < bodies; ++body) {
        to = std::fill_n(to, count_of(body), static_cast<unsigned char>(table[body * kBodyCodes + column]));
    }
    return out;
}

}  // namespace

void bind_state_dynamics(nb::module_& m, StateClass& state) {
    m.def("acts_by_forces_alone", &acts_by_forces_alone, "constants"_a, "actuators"_a,
          nb::sig("def acts_by_forces_alone(constants: " FLOATS ", actuators: " BYTES ") -> bool"),
          "Whether nothing acts in joints but forces, by the constants of their dofs (20, num_dofs) and actuators (num_dofs,).");
    m.def("codes_of_dofs", &codes_of_dofs, "codes"_a, "column"_a,
          nb::sig("def codes_of_dofs(codes: numpy.typing.NDArray[numpy.int32], column: int) -> " BYTES),
          "Of each dof (num_dofs,) the code of its joint in a column of a table of codes (num_bodies, 8).");
    nb::enum_<Actuator>(m, "Actuator", nb::is_arithmetic(), "How a dof is driven, as `constants` of a state count.")
        .value("FORCE", Actuator::force)
        .value("PASSIVE", Actuator::passive)
        .value("SERVO", Actuator::servo)
        .value("MIMIC", Actuator::mimic)
        .value("ACCELERATION", Actuator::acceleration)
        .value("VELOCITY", Actuator::velocity)
        .value("LOCKED", Actuator::locked);
    nb::enum_<DofConstant>(m, "DofConstant", nb::is_arithmetic(), "Rows of the table of what is constant of dofs.")
        .value("POSITION_LOWER", DofConstant::position_lower)
        .value("POSITION_UPPER", DofConstant::position_upper)
        .value("VELOCITY_LOWER", DofConstant::velocity_lower)
        .value("VELOCITY_UPPER", DofConstant::velocity_upper)
        .value("ACCELERATION_LOWER", DofConstant::acceleration_lower)
        .value("ACCELERATION_UPPER", DofConstant::acceleration_upper)
        .value("FORCE_LOWER", DofConstant::force_lower)
        .value("FORCE_UPPER", DofConstant::force_upper)
        .value("INITIAL_POSITION", DofConstant::initial_position)
        .value("INITIAL_VELOCITY", DofConstant::initial_velocity)
        .value("REST_POSITION", DofConstant::rest_position)
        .value("STIFFNESS", DofConstant::stiffness)
        .value("DAMPING", DofConstant::damping)
        .value("FRICTION", DofConstant::friction)
        .value("ARMATURE", DofConstant::armature)
        .value("LIMIT_STIFFNESS", DofConstant::limit_stiffness)
        .value("LIMIT_DAMPING", DofConstant::limit_damping)
        .value("LIMIT_FREQUENCY", DofConstant::limit_frequency)
        .value("LIMIT_DAMPING_RATIO", DofConstant::limit_damping_ratio)
        .value("CONSTRAINT_IMPULSE", DofConstant::constraint_impulse);
    nb::enum_<BodyCode>(m, "BodyCode", nb::is_arithmetic(), "Columns of the table of codes of bodies and their joints.")
        .value("PARENT", BodyCode::parent)
        .value("JOINT_TYPE", BodyCode::joint_type)
        .value("EULER_ORDER", BodyCode::euler_order)
        .value("DOF_COUNT", BodyCode::dof_count)
        .value("ACTUATOR", BodyCode::actuator)
        .value("GRAVITY", BodyCode::gravity)
        .value("COLLIDABLE", BodyCode::collidable)
        .value("LIMITS_ENFORCED", BodyCode::limits_enforced);

    state.def(
        "command_forces",
        [](BoundState& s, nb::handle actuators) { s.dynamics().command_forces(actuators_of(s.state(), actuators)); },
        "actuators"_a, nb::sig("def command_forces(self, actuators: " BYTES ") -> None"),
        "Make the forces the commands of dofs that are driven by force.");
    state.def(
        "compute_forward_dynamics",
        [](BoundState& s, nb::handle constants, nb::handle actuators, nb::handle wrenches, double step) {
            return s.dynamics().forward(loads_of(s.state(), constants, actuators, wrenches, step));
        },
        "constants"_a, "actuators"_a, "wrenches"_a.none(), "step"_a,
        nb::sig("def compute_forward_dynamics(self, constants: " FLOATS ", actuators: " BYTES ", wrenches: " FLOATS
                " | None, step: float) -> bool"),
        "Write accelerations and forces; False, and nothing, where a mass matrix is not positive definite.");
    state.def(
        "compute_inverse_dynamics",
        [](BoundState& s, nb::handle constants, nb::handle actuators, nb::handle wrenches, double step, bool external,
           bool damping, bool springs) {
            s.dynamics().inverse(loads_of(s.state(), constants, actuators, wrenches, step), {external, damping, springs});
        },
        "constants"_a, "actuators"_a, "wrenches"_a.none(), "step"_a, nb::kw_only(), "external"_a, "damping"_a, "springs"_a,
        nb::sig("def compute_inverse_dynamics(self, constants: " FLOATS ", actuators: " BYTES ", wrenches: " FLOATS
                " | None, step: float, *, external: bool, damping: bool, springs: bool) -> None"),
        "Write the forces that the accelerations take.");
    state.def(
        "velocity_changes",
        [](BoundState& s, nb::handle actuators, nb::handle impulses) -> nb::object {
            const State& own = s.state();
            npy_intp count = own.num_dofs();
            const auto* p = static_cast<const double*>(kept_array("impulses", impulses, NPY_DOUBLE, count, kNoColumns));
            nb::object changes = nb::steal(PyArray_SimpleNew(1, &count, NPY_DOUBLE));
            if (!changes.is_valid()) throw nb::python_error();
            auto* to = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(changes.ptr())));
            if (!s.dynamics().velocity_changes(actuators_of(own, actuators), p, to)) return nb::none();
            return changes;
        },
        "actuators"_a, "impulses"_a,
        nb::sig("def velocity_changes(self, actuators: " BYTES ", impulses: " FLOATS ") -> " FLOATS " | None"),
        "Changes of velocity (num_dofs,) that impulses give; None where a mass matrix is not positive definite.");
    state.def(
        "transmitted_wrenches",
        [](BoundState& s, nb::handle rows, nb::handle codes, nb::handle gravity, nb::handle wrenches) {
            const npy_intp shape[] = {s.state().model().num_bodies, 6};
            const BodyLoads loads{
                static_cast<const double*>(kept_array("rows", rows, NPY_DOUBLE, shape[0], BodyColumns::count)),
                static_cast<const int*>(kept_array("codes", codes, NPY_INT32, shape[0], kBodyCodes)),
                static_cast<const double*>(kept_array("gravity", gravity, NPY_DOUBLE, 3, kNoColumns)),
                wrenches_of(s.state(), wrenches)};
            nb::object out = nb::steal(PyArray_SimpleNew(2, shape, NPY_DOUBLE));
            if (!out.is_valid()) throw nb::python_error();
            auto* to = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out.ptr())));
            transmitted_wrenches(s.state(), loads, to);
            return out;
        },
        "rows"_a, "codes"_a, "gravity"_a, "wrenches"_a.none(),
        nb::sig("def transmitted_wrenches(self, rows: " FLOATS ", codes: numpy.typing.NDArray[numpy.int32], gravity: " FLOATS
                ", wrenches: " FLOATS " | None) -> " FLOATS),
        "Wrenches (num_bodies, 6) that the parent joints apply on the bodies, about their origins, in their axes [N m, N].");
}

}  // namespace kido
