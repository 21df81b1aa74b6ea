#include "kido/algorithm/forward_dynamics_derivatives.hpp"
#include "kido/algorithm/inverse_dynamics_derivatives.hpp"
#include "options.hpp"
#include "topics.hpp"

#define OUT3                                                                          \
    ", out: tuple[" FLOATS ", " FLOATS ", " FLOATS "] | None = None) -> tuple[" FLOATS \
    ", " FLOATS ", " FLOATS "]"

namespace kido {

using namespace nb::literals;

namespace {

// What takes the place of analytic derivatives where functions of the user's give the joints.
nb::object differences(const BoundTree& tree, const char* name) {
    nb::object function = nb::module_::import_("kido.tree._differences").attr(name);
    return nb::module_::import_("functools").attr("partial")(function, nb::find(tree));
}

}  // namespace

void bind_derivatives(TreeClass& tree) {
    tree.def(
        "inverse_dynamics_derivatives",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle a, nb::handle wrenches, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<InverseDynamicsDerivatives> call(t);
            call.output({n, n});
            call.output({n, n});
            call.output({n, n});
            if (t.model().num_user_links > 0) call.compute_by(differences(t, "inverse_dynamics_derivatives"));
            return of_loads(call, t, q, v, "a", a, wrenches, out);
        },
        "q"_a.none(), "v"_a.none(), "a"_a.none(), "wrenches"_a = nb::none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def inverse_dynamics_derivatives(self, q: " ARRAY ", v: " ARRAY ", a: " ARRAY ", wrenches: " ARRAY " | None = None, *" OUT3),
        R"(Derivatives of inverse_dynamics with respect to q, v and a.

Those with respect to q are along the group: column j is the rate of change of tau as q becomes
integrate(q, e_j, s), which for ball and free joints is not the partial derivative by the j-th number. Wrenches stay
constant in body axes.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    a: accelerations (..., num_dofs) [rad/s^2, m/s^2].
    wrenches: loads on the bodies from outside (..., num_bodies, 6), torque [N m] then force [N], in body axes
        about the body origin; None means none.
    out: tuple of 3 arrays to write into, or None.

Returns:
    (dtau_dq, dtau_dv, M), each (..., num_dofs, num_dofs) [N m, N per unit of q, v, a].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Carpentier and Mansard (2018); Singh, Russo and Wensing (2022).)");

    tree.def(
        "forward_dynamics_derivatives",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle tau, nb::handle wrenches, nb::handle out) {
            const int n = t.model().num_dofs;
            Call<ForwardDynamicsDerivatives> call(t);
            call.output({n, n});
            call.output({n, n});
            call.output({n, n});
            if (t.model().num_user_links > 0) call.compute_by(differences(t, "forward_dynamics_derivatives"));
            return of_loads(call, t, q, v, "tau", tau, wrenches, out);
        },
        "q"_a.none(), "v"_a.none(), "tau"_a.none(), "wrenches"_a = nb::none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def forward_dynamics_derivatives(self, q: " ARRAY ", v: " ARRAY ", tau: " ARRAY ", wrenches: " ARRAY " | None = None, *" OUT3),
        R"(Derivatives of forward_dynamics with respect to q, v and tau.

Those with respect to q are along the group, as for inverse_dynamics_derivatives. Wrenches stay constant in body axes.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    tau: generalized forces (..., num_dofs) [N m, N].
    wrenches: loads on the bodies from outside (..., num_bodies, 6), torque [N m] then force [N], in body axes
        about the body origin; None means none.
    out: tuple of 3 arrays to write into, or None.

Returns:
    (da_dq, da_dv, inverse of M), each (..., num_dofs, num_dofs) [rad/s^2, m/s^2 per unit of q, v, tau].

Raises:
    SingularMassError: the mass matrix is not positive definite, as below a massless leaf.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Carpentier and Mansard (2018); Singh, Russo and Wensing (2022).)");
}

}  // namespace kido
