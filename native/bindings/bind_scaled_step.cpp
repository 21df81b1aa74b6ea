#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "bound_frame.hpp"
#include "bound_state.hpp"
#include "bound_tree.hpp"
#include "number_table.hpp"
#include "scaled_step.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"
#define RANGE "tuple[" FLOATS ", " FLOATS "] | None"

namespace kido {

using namespace nb::literals;

namespace {

std::vector<double> numbers_in(nb::handle value) {
    const nb::object owner = doubles(value);
    auto* a = reinterpret_cast<PyArrayObject*>(owner.ptr());
    const auto* data = static_cast<const double*>(PyArray_DATA(a));
    return {data, data + PyArray_SIZE(a)};
}

NumberRange range_in(const char* name, nb::handle value, int size) {
    if (value.is_none()) return {};
    NumberRange range = {numbers_in(value[0]), numbers_in(value[1])};
    const auto count = static_cast<std::size_t>(size);
    if (range.lower.size() != count || range.upper.size() != count) {
        throw nb::value_error((std::string(name) + ": expected " + std::to_string(size) + " numbers").c_str());
    }
    return range;
}

nb::object array_of_numbers(const std::vector<double>& numbers) {
    double* data;
    nb::object array = new_array({static_cast<npy_intp>(numbers.size())}, data);
    std::copy(numbers.begin(), numbers.end(), data);
    return read_only(array);
}

class BoundScaledStep {
public:
    BoundScaledStep(double time_step, int positions, int velocities, nb::handle nominal, nb::handle gain, nb::handle position,
                    nb::handle velocity, nb::handle acceleration, nb::handle flags, double angular_speed, nb::handle linear, nb::handle G,
                    nb::handle rows, const std::vector<int>& unknowns, const std::vector<double>& factors)
        : step_(limits(time_step, positions, velocities, nominal, gain, position, velocity, acceleration, flags, angular_speed, linear, G,
                       rows, unknowns, factors)) {}

    nb::tuple solve(nb::handle q, nb::handle v, nb::handle V, nb::handle J, nb::handle N, nb::handle N_inverse) {
        const ScaledLimits& l = step_.limits();
        const nb::object positions = part("q", q, l.positions), velocities = part("v", v, l.velocities), wanted = doubles(V);
        const npy_intp rows = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(wanted.ptr()));
        const nb::object jacobian = part("J", J, rows * l.velocities);
        nb::object rates, inverse;
        if (!N.is_none()) rates = part("N", N, static_cast<npy_intp>(l.positions) * l.velocities);
        if (!N_inverse.is_none()) inverse = part("N_inverse", N_inverse, static_cast<npy_intp>(l.positions) * l.velocities);
        const ScaledInput input = {static_cast<int>(rows), data(positions), data(velocities), data(wanted), data(jacobian), data(rates),
                                   data(inverse), 0.0};
        return told([&](double* out, double& alpha, ScaledActive& active) { return step_.solve(input, out, alpha, active); });
    }

    nb::object solve_frame(const BoundFrame& frame, nb::handle base, nb::handle robot, nb::handle target, bool is_pose) {
        const std::vector<ScaledFrame> frames = {wanted(frame, base, target, is_pose)};
        return solve_wanted(frames, robot);
    }

    nb::object solve_frames(const nb::list& given, nb::handle robot) {
        std::vector<ScaledFrame> frames;
        for (nb::handle part : given) {
            frames.push_back(wanted(*frame_argument("frame", part[0]), part[1], part[2], nb::cast<bool>(part[3])));
        }
        return solve_wanted(frames, robot);
    }

private:
    static ScaledLimits limits(double time_step, int positions, int velocities, nb::handle nominal, nb::handle gain, nb::handle position,
                               nb::handle velocity, nb::handle acceleration, nb::handle flags, double angular_speed, nb::handle linear,
                               nb::handle G, nb::handle rows, const std::vector<int>& unknowns, const std::vector<double>& factors) {
        ScaledLimits l;
        l.time_step = time_step;
        l.positions = positions;
        l.velocities = velocities;
        l.nominal = numbers_in(nominal);
        if (!gain.is_none()) l.gain = numbers_in(gain);
        l.position = range_in("position_limits", position, positions);
        l.velocity = range_in("velocity_limits", velocity, velocities);
        l.acceleration = range_in("acceleration_limits", acceleration, velocities);
        const std::vector<double> kept = numbers_in(flags);
        const NumberRange speeds = range_in("translational_velocity_limits", linear, 3);
        if (kept.size() != 6 || speeds.lower.size() != 3) throw nb::value_error("flags: expected 6, and limits of 3 speeds");
        if (l.nominal.size() != static_cast<std::size_t>(positions) ||
            (!l.gain.empty() && l.gain.size() != l.nominal.size() * l.nominal.size())) {
            throw nb::value_error("nominal_positions: sizes differ");
        }
        for (int k = 0; k < 6; ++k) l.flags[k] = kept[k] != 0.0;
        std::copy_n(speeds.lower.begin(), 3, l.linear_lower);
        std::copy_n(speeds.upper.begin(), 3, l.linear_upper);
        l.angular_speed = angular_speed;
        l.G = numbers_in(G);
        l.rows = range_in("linear_velocity_constraints", rows, velocities > 0 ? static_cast<int>(l.G.size()) / velocities : 0);
        const std::size_t coupled = unknowns.size();
        if (coupled != factors.size() || (coupled && coupled != static_cast<std::size_t>(velocities))) {
            throw nb::value_error("unknowns: expected one, and its factor, for each velocity");
        }
        if (coupled) l.coupling = VelocityCoupling(unknowns, factors);
        return l;
    }

    static nb::object part(const char* name, nb::handle value, npy_intp size) {
        nb::object owner = doubles(value);
        if (PyArray_SIZE(reinterpret_cast<PyArrayObject*>(owner.ptr())) != size) {
            throw nb::value_error((std::string(name) + ": expected " + std::to_string(size) + " numbers").c_str());
        }
        return owner;
    }
    static const double* data(const nb::object& owner) {
        if (!owner.is_valid()) return nullptr;
        return static_cast<const double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(owner.ptr())));
    }

    static ScaledFrame wanted(const BoundFrame& frame, nb::handle base, nb::handle target, bool is_pose) {
        ScaledFrame wanted{&frame, frame_argument("relative_to", base), is_pose, {}};
        if (is_pose) {
            read_transform("target", target, wanted.target);
        } else {
            read_numbers("target", target, 6, 0, "rad/s, m/s", wanted.target);
        }
        return wanted;
    }

    static bool is_carried(const Frame* frame, const std::shared_ptr<State>& own) {
        const Frame* carrier = frame ? frame->carrier() : nullptr;
        return carrier && carrier->ready() == own;
    }

    // None where the robot moves none of the frames.
    nb::object solve_wanted(const std::vector<ScaledFrame>& frames, nb::handle robot) {
        const BoundFrame* root = frame_argument("robot", robot);
        const std::shared_ptr<State> own = root ? root->ready() : nullptr;
        if (!own || own->num_dofs() != step_.limits().velocities || own->num_dofs() != step_.limits().positions) {
            throw nb::value_error(("parameters: expected those of a robot with " + std::to_string(own ? own->num_dofs() : 0) +
                                   " dofs, got of " + std::to_string(step_.limits().velocities))
                                      .c_str());
        }
        for (const ScaledFrame& frame : frames) {
            if (!is_carried(frame.frame, own) && !is_carried(frame.base, own)) return nb::none();
        }
        return told([&](double* out, double& alpha, ScaledActive& active) {
            return step_.solve_frames(*own, frames, out, alpha, active);
        });
    }

    template <class Solve>
    nb::tuple told(const Solve& solve) {
        double *v, alpha = 0.0;
        const nb::object velocities = read_only(new_array({step_.limits().velocities}, v));
        ScaledActive active;
        const QuadraticStatus status = solve(v, alpha, active);
        nb::object sides = nb::none();
        if (status == QuadraticStatus::solved) {
            sides = nb::make_tuple(array_of_numbers(active.position), array_of_numbers(active.velocity),
                                   array_of_numbers(active.acceleration), array_of_numbers(active.rows));
        }
        return nb::make_tuple(static_cast<int>(status), velocities, alpha, sides);
    }

    ScaledStep step_;
};

}  // namespace

void bind_scaled_step(nb::module_& m) {
    m.def(
        "position_rates",
        [](const BoundTree& tree, nb::handle q) {
            const nb::object positions = doubles(q);
            auto* a = reinterpret_cast<PyArrayObject*>(positions.ptr());
            const npy_intp n = tree.model().num_dofs;
            if (PyArray_SIZE(a) != n) throw nb::value_error("q: expected one number for each dof");
            double* N;
            nb::object rates = new_array({n, n}, N);
            std::vector<double> inverse(static_cast<std::size_t>(n) * n);
            position_rates(tree.model(), static_cast<const double*>(PyArray_DATA(a)), N, inverse.data());
            return rates;
        },
        "tree"_a, "q"_a, nb::sig("def position_rates(tree: Tree, q: " FLOATS ") -> " FLOATS),
        "N (n, n) with dq/dt = N v, at positions q (n,).");
    nb::class_<BoundScaledStep>(m, "ScaledStep", "Velocities in a given direction, within limits; kido.ik prepares the arguments.")
        .def(nb::init<double, int, int, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, double, nb::handle,
                      nb::handle, nb::handle, const std::vector<int>&, const std::vector<double>&>(),
             nb::kw_only(), "time_step"_a, "positions"_a, "velocities"_a, "nominal"_a, "gain"_a.none(), "position"_a.none(),
             "velocity"_a.none(), "acceleration"_a.none(), "flags"_a, "angular_speed"_a, "linear"_a, "G"_a, "rows"_a,
             "unknowns"_a, "factors"_a,
             nb::sig("def __init__(self, *, time_step: float, positions: int, velocities: int, nominal: " FLOATS ", gain: " FLOATS
                     " | None, position: " RANGE ", velocity: " RANGE ", acceleration: " RANGE ", flags: " FLOATS
                     ", angular_speed: float, linear: tuple[" FLOATS ", " FLOATS "], G: " FLOATS ", rows: tuple[" FLOATS ", " FLOATS
                     "], unknowns: list[int], factors: list[float]) -> None"))
        .def("solve", &BoundScaledStep::solve, "q"_a, "v"_a, "V"_a, "J"_a, "N"_a.none(), "N_inverse"_a.none(),
             nb::sig("def solve(self, q: " FLOATS ", v: " FLOATS ", V: " FLOATS ", J: " FLOATS ", N: " FLOATS
                     " | None, N_inverse: " FLOATS " | None) -> tuple[int, " FLOATS ", float, tuple[" FLOATS ", " FLOATS ", " FLOATS
                     ", " FLOATS "] | None]"),
             R"(Velocities (n,) for a Jacobian J (k, n) and a velocity V (k,).

Returns a place among the members of QuadraticStatus, velocities, the scaling, and at which limits of positions, velocities, accelerations and rows
they are, or None.)")
        .def("solve_frame", &BoundScaledStep::solve_frame, "frame"_a, "relative_to"_a.none(), "robot"_a, "target"_a, "is_pose"_a,
             nb::sig("def solve_frame(self, frame: Frame, relative_to: Frame | None, robot: Frame, target: " ARRAY
                     ", is_pose: bool) -> tuple[int, " FLOATS ", float, tuple[" FLOATS ", " FLOATS ", " FLOATS ", " FLOATS
                     "] | None] | None"),
             R"(The same of a frame, as another one sees it, where the state of a body's robot is: a twist (6,) or a pose (4, 4).

None where the robot moves neither.)")
        .def("solve_frames", &BoundScaledStep::solve_frames, "frames"_a, "robot"_a,
             nb::sig("def solve_frames(self, frames: list[tuple[Frame, Frame | None, " ARRAY ", bool]], robot: Frame) -> tuple[int, " FLOATS
                     ", float, tuple[" FLOATS ", " FLOATS ", " FLOATS ", " FLOATS "] | None] | None"),
             "The same of several: frame, relative_to, target and whether it is a pose, of each.");
}

}  // namespace kido
