#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "bound_tree.hpp"
#include "closed_form_chain.hpp"
#include "long_call.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

using closed_form::Placement;

const char* family_name(const ClosedForm& form) {
    switch (form.layout().family) {
        case ClosedFormFamily::spherical_wrist:
            return form.layout().reversed ? "spherical shoulder" : "spherical wrist";
        case ClosedFormFamily::parallel_axes: return "three parallel axes";
        case ClosedFormFamily::gantry: return "gantry";
        case ClosedFormFamily::orientation_first: return "orientation first";
        case ClosedFormFamily::scara: return "SCARA";
        case ClosedFormFamily::planar: return "planar";
        case ClosedFormFamily::none: break;
    }
    return "";
}

void refuse_formless(const BoundClosedForm& self) {
    if (!self.form.reason().empty()) throw nb::value_error(("no closed form: " + self.form.reason()).c_str());
}

const char* unit_of(const BoundClosedForm& self) { return self.form.chain().num_prismatic() > 0 ? "rad, m" : "rad"; }

nb::tuple solve(const BoundClosedForm& self, nb::handle target, nb::handle near) {
    refuse_formless(self);
    const int n = self.form.chain().count;
    double start[closed_form::kMostJoints] = {};
    Placement goal = read_pose("target", target);
    if (!near.is_none()) read_numbers("near", near, n, 0, unit_of(self), start);
    goal.p -= self.origin;
    ClosedFormSolutions out;
    self.form.solve(goal, start, out);
    double *q, *error;
    nb::object positions = new_array({out.count, n}, q), errors = new_array({out.count, 2}, error);
    for (int i = 0; i < out.count; ++i) {
        std::copy(out.positions[i], out.positions[i] + n, q + i * n);
        error[2 * i] = out.angular_error[i];
        error[2 * i + 1] = out.linear_error[i];
    }
    return nb::make_tuple(positions, out.reached, errors);
}

// Rows that several targets gave.
struct Gathered {
    std::vector<double> positions, errors;
    std::vector<npy_intp> counts;
    std::vector<unsigned char> reached;

    void add(const ClosedFormSolutions& out, int n) {
        for (int i = 0; i < out.count; ++i) {
            positions.insert(positions.end(), out.positions[i], out.positions[i] + n);
            errors.push_back(out.angular_error[i]);
            errors.push_back(out.linear_error[i]);
        }
        counts.push_back(out.count);
        reached.push_back(out.reached);
    }
};

nb::object copied(int type, const void* from, std::size_t bytes, std::initializer_list<npy_intp> shape) {
    npy_intp extents[2];
    std::copy(shape.begin(), shape.end(), extents);
    PyObject* array = PyArray_SimpleNew(static_cast<int>(shape.size()), extents, type);
    if (!array) throw nb::python_error();
    if (bytes) std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)), from, bytes);
    return nb::steal(array);
}

nb::tuple solve_all(const BoundClosedForm& self, nb::handle targets, nb::handle near) {
    refuse_formless(self);
    const int n = self.form.chain().count;
    constexpr std::size_t most = std::numeric_limits<int>::max() / 16;
    if (nb::len(targets) > most || nb::len(near) > most) throw nb::value_error(("targets, near: expected at most " + std::to_string(most) + " rows").c_str());
    const int goals = static_cast<int>(nb::len(targets)), starts = static_cast<int>(nb::len(near));
    const int rows = std::max(goals, starts);
    if ((goals != rows && goals != 1) || (starts != rows && starts != 1)) {
        const std::string unit = unit_of(self);
        const std::string wanted = "near: expected 1 row or " + std::to_string(goals) + " [" + unit + "], got ";
        throw nb::value_error((wanted + std::to_string(starts)).c_str());
    }
    std::vector<double> T(16 * static_cast<std::size_t>(goals)), start(static_cast<std::size_t>(n) * starts);
    read_numbers("targets", nb::handle(targets), goals, 16, "m", T.data());
    read_numbers("near", near, starts, n, unit_of(self), start.data());
    std::vector<Placement> goal;
    for (int i = 0; i < goals; ++i) {
        goal.push_back(pose("targets", T.data() + 16 * i));
        goal.back().p -= self.origin;
    }
    Gathered all;
    without_lock([&](StopSignal* stop) {
        ClosedFormSolutions out;
        for (int i = 0; i < rows && !stop->poll(); ++i) {
            self.form.solve(goal[goals == 1 ? 0 : i], start.data() + (starts == 1 ? 0 : i) * n, out);
            all.add(out, n);
        }
    });
    const npy_intp total = static_cast<npy_intp>(all.errors.size() / 2);
    return nb::make_tuple(copied(NPY_DOUBLE, all.positions.data(), all.positions.size() * sizeof(double), {total, n}),
                          copied(NPY_INTP, all.counts.data(), all.counts.size() * sizeof(npy_intp), {rows}),
                          copied(NPY_BOOL, all.reached.data(), all.reached.size(), {rows}),
                          copied(NPY_DOUBLE, all.errors.data(), all.errors.size() * sizeof(double), {total, 2}));
}

}  // namespace

void bind_closed_form(nb::module_& m) {
    nb::class_<BoundClosedForm> type(m, "ClosedForm");
    type.doc() = "Native half of kido.ik.ClosedForm: the chain, which form fits it, and all its solutions.";
    type.def_static("of_tree", &closed_form_of_tree, "tree"_a, "body"_a, "base"_a, "point"_a, "locked"_a,
                    nb::sig("def of_tree(tree: Tree, body: int, base: int, point: " ARRAY ", locked: int) -> ClosedForm"),
                    "The chain from a base body (-1: the world) to a point (4, 4) [m] of a body; locked: a joint of the "
                    "chain, or -1.");
    type.def_static("of_axes", &closed_form_of_axes, "axes"_a, "points"_a, "tool"_a, "locked"_a, "is_prismatic"_a,
                    nb::sig("def of_axes(axes: " ARRAY ", points: " ARRAY ", tool: " ARRAY
                            ", locked: int, is_prismatic: collections.abc.Sequence[bool]) -> ClosedForm"),
                    "The chain of axes (n, 3) [-] through points (n, 3) [m] at zero, the tool's pose (4, 4) [m] "
                    "there, and which joints slide (n,).");
    type.def_prop_ro("family", [](const BoundClosedForm& f) { return family_name(f.form); },
                     nb::sig("def family(self) -> str"), "Which form; empty where there is none.");
    type.def_prop_ro("reason", [](const BoundClosedForm& f) { return f.form.reason(); },
                     "Why there is no form; else empty.");
    type.def_prop_ro("locked", [](const BoundClosedForm& f) { return f.form.locked(); },
                     "The joint of the chain that keeps its position; -1: none.");
    type.def_prop_ro("is_prismatic", [](const BoundClosedForm& f) {
        const closed_form::ScrewChain& chain = f.form.chain();
        std::vector<bool> flags;
        for (int k = 0; k < chain.count; ++k) flags.push_back(chain.joint[k].is_prismatic);
        return flags;
    }, "Which joints of the chain slide; empty where the chain was not read.");
    type.def_prop_ro("exact", [](const BoundClosedForm& f) { return f.form.exact(); },
                     "Whether the axes fit the form to 1e-9; else to 1e-4, and Newton steps make solutions exact.");
    type.def_prop_ro("dofs", [](const BoundClosedForm& f) { return f.dofs; }, "Dofs of the tree that make the chain.");
    type.def("solve", &solve, "target"_a, "near"_a.none() = nb::none(),
             nb::sig("def solve(self, target: " ARRAY ", near: " ARRAY " | None = None) -> tuple[" FLOATS
                     ", bool, " FLOATS "]"),
             R"(All positions of the chain for one target.

Args:
    target: pose of the tool (4, 4) in base coordinates, translation in [m].
    near: positions (n,) [rad, m]: of the joint that is locked, and of those that a singular pose leaves free; None: 0.

Returns:
    Positions (k, n) [rad, m], angles in (-pi, pi] but for the locked joint; whether they reach the target (else k is 1
    and the row is the nearest found); errors (k, 2), angular [rad] and linear [m].

Raises:
    ValueError: wrong shapes, numbers that are not finite, a target whose axes are no rotation, or no closed form.
    TypeError: arguments that are not numbers.)");
    type.def("solve_all", &solve_all, "targets"_a, "near"_a,
             nb::sig("def solve_all(self, targets: " ARRAY ", near: " ARRAY ") -> tuple[" FLOATS
                     ", numpy.typing.NDArray[numpy.intp], numpy.typing.NDArray[numpy.bool_], " FLOATS "]"),
             R"(The same for many targets, or for one target and many positions of the locked joint.

Args:
    targets: poses in rows (m or 1, 16), as solve takes them, translation in [m].
    near: positions (m or 1, n) [rad, m].

Returns:
    Positions (total, n) [rad, m] of all, one target after the other; how many rows each has (m,); whether each is
    reached (m,); errors (total, 2), angular [rad] and linear [m].

Raises:
    ValueError, TypeError: as for solve.)");
}

}  // namespace kido
