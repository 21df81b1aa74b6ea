#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "bound_state.hpp"
#include "bound_tree.hpp"
#include "kept_array.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "topics.hpp"
#include "velocity_step.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"
#define INTS "numpy.typing.NDArray[numpy.intc]"

namespace kido {

using namespace nb::literals;

namespace {

constexpr int kNumbers = 6;  // gain, damping, axis, share

// A step whose tasks and limits lie in arrays of Python's, which it keeps alive.
class BoundVelocityStep {
public:
    BoundVelocityStep(nb::object tree, const std::vector<std::pair<int, double>>& dofs, nb::object robot)
        : tree_(std::move(tree)), robot_(std::move(robot)), root_(frame_argument("robot", robot_)),
          step_(nb::cast<const BoundTree&>(tree_).model(), pairs(dofs)) {
        if (!root_) throw nb::value_error("robot: expected one of its bodies");
        if (static_cast<int>(dofs.size()) != step_.model().num_dofs) throw nb::value_error("dofs: expected one for each dof");
    }

    void add_task(const std::string& kind, int level, int rows, bool is_velocity, nb::object frame, nb::object base, nb::object numbers,
                  nb::object weight, nb::object target) {
        VelocityTaskSpec task;
        task.kind = kind_of(kind);
        task.level = level;
        task.rows = rows;
        task.is_velocity = is_velocity;
        task.frame = frame_argument("frame", frame);
        task.base = frame_argument("relative_to", base);
        task.numbers = static_cast<const double*>(kept_array("numbers", numbers, NPY_DOUBLE, kNumbers, kNoColumns));
        task.weight = static_cast<const double*>(kept_array("weight", weight, NPY_DOUBLE, rows, kNoColumns));
        task.target = static_cast<const double*>(kept_array("target", target, NPY_DOUBLE, target_size(task), kNoColumns));
        step_.tasks.push_back(task);
        for (nb::object* part : {&frame, &base, &numbers, &weight, &target}) kept_.push_back(std::move(*part));
    }

    void set_limits(nb::object position_lower, nb::object position_upper, double position_gain, nb::object velocity_lower,
                    nb::object velocity_upper, nb::object acceleration) {
        const auto keep = [&](const char* name, nb::object& array) -> const double* {
            if (array.is_none()) return nullptr;
            const auto* data = static_cast<const double*>(kept_array(name, array, NPY_DOUBLE, step_.model().num_dofs, kNoColumns));
            kept_.push_back(std::move(array));
            return data;
        };
        step_.limits = {keep("position_lower", position_lower), keep("position_upper", position_upper),
                        keep("velocity_lower", velocity_lower), keep("velocity_upper", velocity_upper),
                        keep("acceleration", acceleration), position_gain};
    }

    // At the state of the robot.
    nb::object solve_state(nb::handle limits, double time_step, double damping, bool warm) {
        const std::shared_ptr<State> own = root_->ready();
        if (&own->model() != &step_.model()) return nb::none();  // the skeleton was changed since
        VelocityStates states = with_limits(limits, 1);
        states.q = own->row(Quantity::position);
        states.v = own->row(Quantity::velocity);
        states.users = own->users();
        states.time_step = time_step;
        states.damping = damping;
        return solve_one(states, own.get(), warm);
    }

    // From one state (dofs).
    nb::object solve_state_at(nb::handle q, nb::handle v, nb::handle users, nb::handle limits, double time_step, double damping,
                              bool warm, double equation_share) {
        const npy_intp n = step_.model().num_dofs;
        const nb::object positions = doubles(q), velocities = doubles(v);
        const auto data = [](const nb::object& array) { return static_cast<const double*>(PyArray_DATA(as_array(array))); };
        if (PyArray_SIZE(as_array(positions)) != n || PyArray_SIZE(as_array(velocities)) != n) throw nb::value_error("q: sizes differ");
        nb::object motion;
        VelocityStates states = with_limits(limits, 1);
        if (!users.is_none()) {
            motion = doubles(users);
            if (PyArray_SIZE(as_array(motion)) != static_cast<npy_intp>(user_numbers(step_.model()))) {
                throw nb::value_error("users: sizes differ");
            }
            states.users = data(motion);
        }
        states.q = data(positions);
        states.v = data(velocities);
        states.time_step = time_step;
        states.damping = damping;
        states.equation_share = equation_share;
        const std::shared_ptr<State> own = root_->ready();
        return solve_one(states, own.get(), warm);
    }

    // States (count, dofs); `targets`: an array (count or 1, numbers) for each task, or None.
    nb::object solve_states(nb::handle q, nb::handle v, nb::handle users, nb::handle limits, nb::handle targets, double time_step,
                            double damping) {
        const npy_intp n = step_.model().num_dofs;
        const Table positions = table("q", q, n), velocities = table("v", v, n);
        const npy_intp count = positions.rows;
        if (velocities.rows != count && velocities.rows != 1) throw nb::value_error("v: expected as many rows as q");
        nb::object motion;
        VelocityStates states = with_limits(limits, count);
        if (!users.is_none()) {
            const Table given = table("users", users, static_cast<npy_intp>(user_numbers(step_.model())));
            if (given.rows != count) throw nb::value_error("users: expected as many rows as q");
            motion = given.owner;
            states.users = given.data;
            states.users_stride = static_cast<std::ptrdiff_t>(user_numbers(step_.model()));
        }
        states.count = count;
        states.q = positions.data;
        states.q_stride = n;
        states.v = velocities.data;
        states.v_stride = velocities.rows == 1 ? 0 : n;
        states.time_step = time_step;
        states.damping = damping;
        const std::shared_ptr<State> own = root_->ready();
        if (&own->model() != &step_.model()) return nb::none();
        require_free();
        const std::vector<VelocityTaskSpec> tasks = step_.tasks;
        struct Restore {
            BoundVelocityStep& self;
            const std::vector<VelocityTaskSpec>& tasks;
            ~Restore() {
                self.step_.tasks = tasks;
                self.busy_ = false;
            }
        } restore{*this, tasks};
        busy_ = true;
        const nb::list held = set_targets(targets, count);
        return solve_many(states, own.get());
    }

    void forget() { step_.forget(); }
    int unknowns() const { return step_.unknowns(); }

private:
    static PyArrayObject* as_array(const nb::object& array) { return reinterpret_cast<PyArrayObject*>(array.ptr()); }

    static std::vector<VelocityDof> pairs(const std::vector<std::pair<int, double>>& dofs) {
        std::vector<VelocityDof> out;
        for (const auto& [unknown, factor] : dofs) out.push_back({unknown, factor});
        return out;
    }

    static VelocityTaskKind kind_of(const std::string& name) {
        const char* names[] = {"frame", "axis", "gaze", "center_of_mass", "posture", "rows"};
        for (int k = 0; k < 6; ++k) {
            if (name == names[k]) return static_cast<VelocityTaskKind>(k);
        }
        throw nb::value_error(("kind: unknown one " + name).c_str());
    }

    npy_intp target_size(const VelocityTaskSpec& task) const {
        const npy_intp n = step_.model().num_dofs;
        switch (task.kind) {
            case VelocityTaskKind::frame: return task.is_velocity ? 6 : 12;
            case VelocityTaskKind::posture: return n;
            case VelocityTaskKind::rows: return task.rows * (n + 2);
            default: return 3;
        }
    }

    // Limits: None, or G (samples, rows, dofs) and its bounds (samples, rows).
    VelocityStates with_limits(nb::handle limits, npy_intp count) {
        VelocityStates states;
        if (limits.is_none()) return states;
        const npy_intp n = step_.model().num_dofs;
        for (int k = 0; k < 3; ++k) limits_[k] = doubles(limits[k]);
        const auto array = [&](int k) { return reinterpret_cast<PyArrayObject*>(limits_[k].ptr()); };
        const npy_intp samples = PyArray_DIM(array(0), 0), rows = PyArray_NDIM(array(0)) == 3 ? PyArray_DIM(array(0), 1) : -1;
        if (rows < 0 || PyArray_SIZE(array(0)) != samples * rows * n || PyArray_SIZE(array(1)) != samples * rows ||
            PyArray_SIZE(array(2)) != samples * rows || (samples != 1 && samples != count)) {
            throw nb::value_error("limits: sizes differ");
        }
        states.limit_rows = static_cast<int>(rows);
        states.G = static_cast<const double*>(PyArray_DATA(array(0)));
        states.lower = static_cast<const double*>(PyArray_DATA(array(1)));
        states.upper = static_cast<const double*>(PyArray_DATA(array(2)));
        if (samples > 1) {
            states.G_stride = rows * n;
            states.lower_stride = states.upper_stride = rows;
        }
        return states;
    }

    nb::list set_targets(nb::handle targets, npy_intp count) {
        nb::list held;
        std::size_t t = 0;
        for (nb::handle target : targets) {
            if (t >= step_.tasks.size()) throw nb::value_error("targets: expected one for each task");
            VelocityTaskSpec& task = step_.tasks[t++];
            if (target.is_none()) continue;
            const Table rows = table("targets", target, target_size(task));
            if (rows.rows != count && rows.rows != 1) throw nb::value_error("targets: expected as many rows as q");
            held.append(rows.owner);
            task.target = rows.data;
            task.stride = rows.rows == 1 ? 0 : target_size(task);
        }
        return held;
    }

    nb::object solve_one(const VelocityStates& states, const State* own, bool warm) {
        double *v, *error, *side;
        const nb::object velocities = read_only(new_array({step_.model().num_dofs}, v)), errors = new_array({step_.error_rows()}, error);
        const nb::object sides = new_array({step_.unknowns() + states.limit_rows}, side);
        require_free();
        QuadraticOutcome outcome{QuadraticStatus::iterations, 0, 0.0};
        unsigned char relaxed = 0;
        VelocityResults results = {v, error, side, &outcome, &relaxed, 0};
        step_.solve(states, own, warm, results);
        return nb::make_tuple(velocities, static_cast<int>(outcome.status), outcome.iterations, errors, sides, relaxed != 0);
    }

    // A batch works without the interpreter's lock, and with targets of its own.
    void require_free() const {
        if (!busy_) return;
        const nb::object error = nb::module_::import_("kido.errors").attr("EditError");
        PyErr_SetString(error.ptr(), "the tasks were used while they are solved for many states, by another thread");
        throw nb::python_error();
    }

    nb::object solve_many(const VelocityStates& states, const State* own) {
        const auto count = static_cast<npy_intp>(states.count);
        void *v, *error, *side, *status, *iterations, *relaxed;
        const nb::object velocities = empty(NPY_DOUBLE, {count, step_.model().num_dofs}, v);
        const nb::object errors = empty(NPY_DOUBLE, {count, step_.error_rows()}, error);
        const nb::object sides = empty(NPY_DOUBLE, {count, step_.unknowns() + states.limit_rows}, side);
        const nb::object codes = empty(NPY_INT, {count}, status), rounds = empty(NPY_INT, {count}, iterations);
        const nb::object widened = empty(NPY_BOOL, {count}, relaxed);
        std::vector<QuadraticOutcome> outcome(states.count, {QuadraticStatus::iterations, 0, 0.0});
        VelocityResults results = {static_cast<double*>(v),    static_cast<double*>(error),          static_cast<double*>(side),
                                   outcome.data(), static_cast<unsigned char*>(relaxed), 0};
        without_lock([&](StopSignal* stop) { step_.solve(states, own, false, results, stop); });
        for (npy_intp i = 0; i < count; ++i) {
            static_cast<int*>(status)[i] = static_cast<int>(outcome[i].status);
            static_cast<int*>(iterations)[i] = outcome[i].iterations;
        }
        return nb::make_tuple(velocities, codes, rounds, errors, sides, widened);
    }

    nb::object tree_, robot_;
    const BoundFrame* root_;  // of the robot
    std::vector<nb::object> kept_;
    nb::object limits_[3];
    VelocityStep step_;
    bool busy_ = false;
};

}  // namespace

#define RESULT "tuple[" FLOATS ", int, int, " FLOATS ", " FLOATS ", bool]"
#define RESULTS "tuple[" FLOATS ", " INTS ", " INTS ", " FLOATS ", " FLOATS ", numpy.typing.NDArray[numpy.bool_]]"

void bind_velocity_step(nb::module_& m) {
    m.def(
        "write_pose",
        [](nb::handle target, nb::handle T) {
            auto* to = static_cast<double*>(
                const_cast<void*>(kept_array("target", target, NPY_DOUBLE, 12, kNoColumns)));
            double matrix[16];
            read_transform("target", T, matrix);
            for (int i = 0; i < 3; ++i) {
                to[i] = matrix[4 * i + 3];
                for (int j = 0; j < 3; ++j) to[3 + 3 * j + i] = matrix[4 * i + j];
            }
        },
        "target"_a, "T"_a, nb::sig("def write_pose(target: " FLOATS ", T: " ARRAY ") -> None"),
        "Writes a rigid transform (4, 4) into the numbers (12,) of a task, origin and axes by columns; raises where it is none.");
    nb::class_<BoundVelocityStep>(m, "VelocityStep", "Steps of differential inverse kinematics; kido.ik prepares the arguments.")
        .def(nb::init<nb::object, const std::vector<std::pair<int, double>>&, nb::object>(), "tree"_a, "dofs"_a, "robot"_a,
             nb::sig("def __init__(self, tree: Tree, dofs: list[tuple[int, float]], robot: Frame) -> None"),
             "Of each dof the unknown that it moves with, -1: none, and its velocity for one of the unknown; a body of the robot.")
        .def_prop_ro("unknowns", &BoundVelocityStep::unknowns, nb::sig("def unknowns(self) -> int"), "How many unknowns there are.")
        .def("forget", &BoundVelocityStep::forget, nb::sig("def forget(self) -> None"),
             "The next step begins without the active constraints of the last.")
        .def("add_task", &BoundVelocityStep::add_task, "kind"_a, "level"_a, "rows"_a, "is_velocity"_a, "frame"_a.none(),
             "relative_to"_a.none(), "numbers"_a, "weight"_a, "target"_a,
             nb::sig("def add_task(self, kind: str, level: int, rows: int, is_velocity: bool, frame: Frame | None, relative_to: Frame | None"
                     ", numbers: " FLOATS ", weight: " FLOATS ", target: " FLOATS ") -> None"),
             R"(A task, whose numbers are read where they stand, at every step.

Level -1: an equation. Numbers: gain, damping, axis (3,), share; weight (rows,). Target: of a frame its origin and axes by columns (12,), or a
twist (6,); of a posture positions (n,); of rows J (rows, n), J v (rows,) and errors (rows,); else (3,).)")
        .def("set_limits", &BoundVelocityStep::set_limits, "position_lower"_a.none(), "position_upper"_a.none(), "position_gain"_a,
             "velocity_lower"_a.none(), "velocity_upper"_a.none(), "acceleration"_a.none(),
             nb::sig("def set_limits(self, position_lower: " FLOATS " | None, position_upper: " FLOATS
                     " | None, position_gain: float, velocity_lower: " FLOATS " | None, velocity_upper: " FLOATS
                     " | None, acceleration: " FLOATS " | None) -> None"),
             "Limits (n,) of all dofs, read where they stand, at every step; None where there are none.")
        .def("solve_state", &BoundVelocityStep::solve_state, "limits"_a.none(), "time_step"_a, "damping"_a, "warm"_a,
             nb::sig("def solve_state(self, limits: tuple[" FLOATS ", " FLOATS ", " FLOATS
                     "] | None, time_step: float, damping: float, warm: bool) -> " RESULT " | None"),
             R"(A step from where the robot stands; limits: G (1, m, n) and bounds (1, m) of G v.

Returns velocities (n,), a place among the members of QuadraticStatus, iterations, errors of the tasks, at which limits the unknowns and
G v are, and whether limits G were widened. None where the robot is another one now.)")
        .def("solve_one", &BoundVelocityStep::solve_state_at, "q"_a, "v"_a, "users"_a.none(), "limits"_a.none(),
             "time_step"_a, "damping"_a, "warm"_a, "equation_share"_a,
             nb::sig("def solve_one(self, q: " FLOATS ", v: " FLOATS ", users: " FLOATS " | None, limits: tuple[" FLOATS
                     ", " FLOATS ", " FLOATS "] | None, time_step: float, damping: float, warm: bool, equation_share: float) -> " RESULT),
             "The same from positions and velocities (n,); equations have to hold for a share of what they ask for, in (0, 1].")
        .def("solve_states", &BoundVelocityStep::solve_states, "q"_a, "v"_a, "users"_a.none(), "limits"_a.none(),
             "targets"_a, "time_step"_a, "damping"_a,
             nb::sig("def solve_states(self, q: " FLOATS ", v: " FLOATS ", users: " FLOATS " | None, limits: tuple[" FLOATS
                     ", " FLOATS ", " FLOATS "] | None, targets: list[" FLOATS
                     " | None], time_step: float, damping: float) -> " RESULTS " | None"),
             "The same from states (count, n); targets (count or 1, numbers) of tasks, None: their own.");
}

}  // namespace kido
