#include "kido/algorithm/mean_jacobian.hpp"
#include "options.hpp"
#include "topics.hpp"

namespace kido {

using namespace nb::literals;

void bind_mean_jacobian(TreeClass& tree) {
    tree.def(
        "mean_jacobian",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            require_mass(t);
            Call<MeanJacobian> call(t);
            call.output({6, t.model().num_dofs});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def mean_jacobian(self, q: " ARRAY ", *" OUT),
        R"(Mean of the Jacobians of all moving bodies at their own centres of mass, weighted by mass.

Its linear rows are those of com_jacobian. Its angular rows give the mean angular velocity of the bodies, which is not
what the angular momentum follows from: that is centroidal_momentum_matrix.

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    (..., 6, num_dofs), angular rows [rad/s per unit velocity], then linear rows [m/s per unit velocity], world axes.

Raises:
    ValueError: no moving body has mass, so there is no centre of mass.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: the Jacobian of the centre of mass of DART (Skeleton::getCOMJacobian).)");

    tree.def(
        "mean_jacobian_derivative",
        [](const BoundTree& t, nb::handle q, nb::handle v, bool classic, nb::handle out) {
            require_mass(t);
            Call<MeanJacobianDerivative> call(t, {classic});
            call.output({6, t.model().num_dofs});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), nb::kw_only(), "classic"_a = true, "out"_a = nb::none(),
        nb::sig("def mean_jacobian_derivative(self, q: " ARRAY ", v: " ARRAY ", *, classic: bool = True, out: " FLOATS
                " | None = None) -> " FLOATS),
        R"(Time derivative of mean_jacobian: the mean of the derivatives of the bodies' Jacobians, weighted by mass.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    classic: with True, J a + dJ v is the mean of the classical accelerations, whose linear part is com_acceleration;
        with False, that of the spatial ones.
    out: array to write into, or None.

Returns:
    (..., 6, num_dofs), angular rows [rad/s^2 per unit velocity], then linear rows [m/s^2 per unit velocity], world axes.

Raises:
    ValueError: no moving body has mass, so there is no centre of mass.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Skeleton::getCOMJacobianSpatialDeriv and getCOMLinearJacobianDeriv of DART.)");
}

}  // namespace kido
