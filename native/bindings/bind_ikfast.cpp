#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "closed_form_chain.hpp"
#include "ikfast_library.hpp"
#include "long_call.hpp"
#include "message.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

constexpr std::size_t kLongestMessage = 1000;

[[noreturn]] void raise_readable(PyObject* type, const std::exception& error) {
    PyErr_SetObject(type, readable(error.what(), kLongestMessage).ptr());
    throw nb::python_error();
}

// Calls `ask`, and raises what it throws as a Python error, whatever bytes its message has.
template <class Ask>
void guarded(const Ask& ask) {
    try {
        ask();
    } catch (const std::invalid_argument& error) {
        raise_readable(PyExc_ValueError, error);
    } catch (const std::runtime_error& error) {
        raise_readable(PyExc_RuntimeError, error);
    }
}

nb::object forward(const IkfastLibrary& self, nb::handle positions) {
    if (!self.has_forward()) throw nb::value_error("positions: the library has no forward kinematics (ComputeFk)");
    std::vector<double> q(self.joints());
    read_numbers("positions", positions, self.joints(), 0, "rad, m", q.data());
    double p[3] = {}, R[9] = {};
    guarded([&] { self.forward(q.data(), p, R); });
    double* T;
    nb::object pose = new_array({4, 4}, T);
    for (int i = 0; i < 3; ++i) {
        std::copy(R + 3 * i, R + 3 * i + 3, T + 4 * i);
        T[4 * i + 3] = p[i];
        T[12 + i] = 0.0;
    }
    T[15] = 1.0;
    return pose;
}

nb::object solve(const IkfastLibrary& self, nb::handle target, nb::handle free, nb::handle near) {
    const int n = self.joints(), k = static_cast<int>(self.free_joints().size());
    const closed_form::Placement goal = read_pose("target", target);
    // A solver without free joints may still look at where their values would be.
    std::vector<double> held(k + 1), start(n), rows;
    read_numbers("free", free, k, 0, "rad, m", held.data());
    if (!near.is_none()) read_numbers("near", near, n, 0, "rad, m", start.data());
    guarded([&] { without_lock([&](StopSignal*) { self.solve(goal, held.data(), start.data(), rows); }); });
    double* out;
    nb::object positions = new_array({static_cast<npy_intp>(rows.size()) / n, n}, out);
    std::copy(rows.begin(), rows.end(), out);
    return positions;
}

}  // namespace

void bind_ikfast(nb::module_& m) {
    nb::class_<IkfastLibrary> type(m, "IKFastLibrary");
    type.doc() = "Native half of kido.ik.IKFastLibrary: a loaded library and calls of its solver.";
    type.def(
        "__init__",
        [](IkfastLibrary* self, nb::bytes path) {
            guarded([&] { new (self) IkfastLibrary(std::string(path.c_str(), path.size())); });
        },
        "path"_a, nb::sig("def __init__(self, path: bytes) -> None"),
        "Load a library. Raises ValueError where it is none, or misses what it needs.");
    type.def_prop_ro("num_joints", &IkfastLibrary::joints, "Joints of the arm, those that are free included.");
    type.def_prop_ro("free_joints", &IkfastLibrary::free_joints, "Joints whose positions the caller gives.");
    type.def_prop_ro("ik_type", &IkfastLibrary::type, "Number of what targets are.");
    type.def_prop_ro("takes_poses", &IkfastLibrary::takes_poses, "Whether a pose says what the solver wants.");
    type.def_prop_ro("has_forward_kinematics", &IkfastLibrary::has_forward, "Whether `forward` answers.");
    type.def_prop_ro(
        "version", [](const IkfastLibrary& self) { return readable(self.version(), kLongestMessage); }, "Of the generator; empty where the library does not tell.");
    type.def_prop_ro(
        "kinematics_hash", [](const IkfastLibrary& self) { return readable(self.hash(), kLongestMessage); }, "Of the arm; empty where the library does not tell.");
    type.def("forward", &forward, "positions"_a, nb::sig("def forward(self, positions: " ARRAY ") -> " FLOATS),
             R"(Pose by the library's own forward kinematics.

Args:
    positions: (n,) [rad, m].

Returns:
    Pose (4, 4) in the base, translation in [m].

Raises:
    ValueError: wrong shape, numbers that are not finite, no forward kinematics.
    TypeError: what are no numbers.
    RuntimeError: the library raised, or answered numbers that are not finite.)");
    type.def("solve", &solve, "target"_a, "free"_a, "near"_a.none(),
             nb::sig("def solve(self, target: " ARRAY ", free: " ARRAY ", near: " ARRAY " | None) -> " FLOATS),
             R"(All solutions for one target.

Args:
    target: pose (4, 4), translation in [m].
    free: positions of the free joints (f,) [rad, m].
    near: positions (n,) [rad, m], of joints that a solution leaves open; None: zeros.

Returns:
    Positions (k, n) [rad, m].

Raises:
    ValueError: wrong shapes, numbers that are not finite, a target whose axes are no rotation.
    TypeError: what are no numbers.
    RuntimeError: the library raised, or added what is no solution.)");
}

}  // namespace kido
