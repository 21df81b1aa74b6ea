#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "kido/algorithm/bias_forces.hpp"
#include "kido/algorithm/forward_dynamics.hpp"
#include "kido/algorithm/hybrid_dynamics.hpp"
#include "kido/algorithm/inverse_dynamics.hpp"
#include "kido/algorithm/inverse_mass_matrix.hpp"
#include "kido/algorithm/mass_matrix.hpp"
#include "options.hpp"
#include "real_numbers.hpp"
#include "topics.hpp"

namespace kido {

using namespace nb::literals;

namespace {

void read_mask(const char* name, nb::handle value, std::vector<unsigned char>& mask) {
    const std::string expected = std::string(name) + ": expected bools of shape (" + std::to_string(mask.size()) + ",), got ";
    PyObject* array = PyArray_FROM_OTF(value.ptr(), NPY_BOOL, NPY_ARRAY_IN_ARRAY);
    if (!array) {
        nb::python_error cause;
        raise_unreadable(cause, expected + brief(value));
    }
    nb::object owner = nb::steal(array);
    auto* a = reinterpret_cast<PyArrayObject*>(array);
    if (PyArray_NDIM(a) != 1 || PyArray_DIM(a, 0) != static_cast<npy_intp>(mask.size())) {
        throw nb::value_error((expected + shape_text(a)).c_str());
    }
    const auto* data = static_cast<const unsigned char*>(PyArray_DATA(a));
    std::copy(data, data + mask.size(), mask.begin());
}

}  // namespace

void bind_dynamics(TreeClass& tree) {
    tree.def(
        "inverse_dynamics",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle a, nb::handle wrenches, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<InverseDynamics> call(t);
            call.output({n});
            return of_loads(call, t, q, v, "a", a, wrenches, out);
        },
        "q"_a.none(), "v"_a.none(), "a"_a.none(), "wrenches"_a = nb::none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def inverse_dynamics(self, q: " ARRAY ", v: " ARRAY ", a: " ARRAY ", wrenches: " ARRAY " | None = None, *" OUT),
        R"(Generalized forces of a motion: M a + C v + g less what the loads from outside do (recursive Newton-Euler).

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    a: accelerations (..., num_dofs) [rad/s^2, m/s^2].
    wrenches: loads on the bodies from outside (..., num_bodies, 6), torque [N m] then force [N], in body axes
        about the body origin; None means none.
    out: array to write into, or None.

Returns:
    Forces (..., num_dofs) [N m, N].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Luh, Walker and Paul (1980); Featherstone (2008), table 5.1.)");

    tree.def(
        "forward_dynamics",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle tau, nb::handle wrenches, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<ForwardDynamics> call(t);
            call.output({n});
            return of_loads(call, t, q, v, "tau", tau, wrenches, out);
        },
        "q"_a.none(), "v"_a.none(), "tau"_a.none(), "wrenches"_a = nb::none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def forward_dynamics(self, q: " ARRAY ", v: " ARRAY ", tau: " ARRAY ", wrenches: " ARRAY " | None = None, *" OUT),
        R"(Accelerations that generalized forces cause (articulated-body algorithm).

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    tau: generalized forces (..., num_dofs) [N m, N].
    wrenches: loads on the bodies from outside (..., num_bodies, 6), torque [N m] then force [N], in body axes
        about the body origin; None means none.
    out: array to write into, or None.

Returns:
    Accelerations (..., num_dofs) [rad/s^2, m/s^2].

Raises:
    SingularMassError: the mass matrix is not positive definite, as below a massless leaf.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Featherstone (2008), table 7.1.)");

    tree.def(
        "hybrid_dynamics",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle tau, nb::handle a, nb::handle wrenches,
           nb::handle prescribed, nb::handle added_inertia, bool gravity, nb::handle out) {
            const int n = t.model().num_dofs;
            std::vector<unsigned char> mask(n);
            std::vector<double> added(added_inertia.is_none() ? 0 : n);
            read_mask("prescribed", prescribed, mask);
            if (!added.empty()) read_numbers("added_inertia", added_inertia, n, 0, "kg m^2, kg", added.data());
            Call<HybridDynamics> call(t, {mask.data(), added.empty() ? nullptr : added.data(), !gravity});
            call.output({n});
            call.output({n});
            call.input("q", q, {n}, kPositions);
            call.input("v", v, {n}, kVelocities);
            call.input("tau", tau, {n}, kForces);
            call.input("a", a, {n}, kAccelerations);
            call.optional("wrenches", wrenches, {t.model().num_bodies, 6}, kForces);
            return call.run(out);
        },
        "q"_a.none(), "v"_a.none(), "tau"_a.none(), "a"_a.none(), "wrenches"_a = nb::none(), nb::kw_only(),
        "prescribed"_a.none(), "added_inertia"_a = nb::none(), "gravity"_a = true, "out"_a = nb::none(),
        nb::sig("def hybrid_dynamics(self, q: " ARRAY ", v: " ARRAY ", tau: " ARRAY ", a: " ARRAY ", wrenches: " ARRAY
                " | None = None, *, prescribed: " ARRAY ", added_inertia: " ARRAY " | None = None, gravity: bool = True, out: tuple[" FLOATS ", " FLOATS "] | None = None) -> tuple[" FLOATS
                ", " FLOATS "]"),
        R"(Accelerations and forces of joints of which some have the former prescribed and the others the latter.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    tau: generalized forces (..., num_dofs) [N m, N]; used where the acceleration is not prescribed.
    a: accelerations (..., num_dofs) [rad/s^2, m/s^2]; used where they are prescribed.
    wrenches: loads on the bodies from outside (..., num_bodies, 6), torque [N m] then force [N], in body axes
        about the body origin; None means none.
    prescribed: which accelerations are, bools (num_dofs,), the same for all samples.
    added_inertia: numbers (num_dofs,) [kg m^2, kg] added to the diagonal of the mass matrix besides `armature`, as that
        of implicit springs and dampers; None means none.
    gravity: whether gravity acts.
    out: two arrays to write into, or None.

Returns:
    Accelerations (..., num_dofs) [rad/s^2, m/s^2] and generalized forces (..., num_dofs) [N m, N] of all dofs.

Raises:
    SingularMassError: the mass matrix of the dofs that are not prescribed is not positive definite.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Featherstone (2008), section 9.2.)");

    tree.def(
        "bias_forces",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<BiasForces> call(t);
            call.output({n});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def bias_forces(self, q: " ARRAY ", v: " ARRAY ", *" OUT),
        R"(Forces of a motion without accelerations: C(q, v) v + g(q).

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    out: array to write into, or None.

Returns:
    Forces (..., num_dofs) [N m, N].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Featherstone (2008), section 6.1.)");

    tree.def(
        "gravity_forces",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<GravityForces> call(t);
            call.output({n});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def gravity_forces(self, q: " ARRAY ", *" OUT),
        R"(Forces that hold the robot still against gravity: the gradient of the potential energy.

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    Forces (..., num_dofs) [N m, N].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.)");

    tree.def(
        "mass_matrix",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<MassMatrix> call(t);
            call.output({n, n});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def mass_matrix(self, q: " ARRAY ", *" OUT),
        R"(Joint-space inertia M, with `armature` on its diagonal (composite-rigid-body algorithm).

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    Symmetric (..., num_dofs, num_dofs) [kg m^2, kg m, kg].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Walker and Orin (1982); Featherstone (2008), table 6.2.)");

    tree.def(
        "inverse_mass_matrix",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<InverseMassMatrix> call(t);
            call.output({n, n});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def inverse_mass_matrix(self, q: " ARRAY ", *" OUT),
        R"(Inverse of the joint-space inertia, without forming the inertia.

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    Symmetric (..., num_dofs, num_dofs) [1/(kg m^2), 1/(kg m), 1/kg].

Raises:
    SingularMassError: the mass matrix is not positive definite, as below a massless leaf.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Carpentier, Analytical inverse of the joint space inertia matrix (2018).)");
}

}  // namespace kido
