#include "kido/algorithm/center_of_mass.hpp"
#include "kido/algorithm/momentum.hpp"
#include "options.hpp"
#include "topics.hpp"

namespace kido {

using namespace nb::literals;

void bind_momentum(TreeClass& tree) {
    tree.def(
        "kinetic_energy",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle out) {
            Call<KineticEnergy> call(t);
            call.output({});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def kinetic_energy(self, q: " ARRAY ", v: " ARRAY ", *" OUT),
        R"(Kinetic energy v^T M v / 2: of all bodies, and of the armature.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    out: array to write into, or None.

Returns:
    Energy (...) [J].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.)");

    tree.def(
        "potential_energy",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            Call<PotentialEnergy> call(t);
            call.output({});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def potential_energy(self, q: " ARRAY ", *" OUT),
        R"(Potential energy of gravity, zero where the centre of mass is at the world origin.

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    Energy (...) [J].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.)");

    tree.def(
        "momentum",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle out) {
            Call<Momentum> call(t);
            call.output({6});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def momentum(self, q: " ARRAY ", v: " ARRAY ", *" OUT),
        R"(Momentum of all bodies about the world origin, in world axes.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    out: array to write into, or None.

Returns:
    (..., 6), angular [kg m^2/s] then linear [kg m/s].

Raises:
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.)");

    tree.def(
        "centroidal_momentum",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle out) {
            require_mass(t);
            Call<CentroidalMomentum> call(t);
            call.output({6});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def centroidal_momentum(self, q: " ARRAY ", v: " ARRAY ", *" OUT),
        R"(Momentum of all bodies about their centre of mass, in world axes.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    out: array to write into, or None.

Returns:
    (..., 6), angular [kg m^2/s] then linear [kg m/s].

Raises:
    ValueError: no moving body has mass, so there is no centre of mass.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Orin, Goswami and Lee, Centroidal dynamics of a humanoid robot (2013).)");

    tree.def(
        "centroidal_momentum_matrix",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            require_mass(t);
            const int n = t.model().num_dofs;
            Call<CentroidalMomentumMatrix> call(t);
            call.output({6, n});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def centroidal_momentum_matrix(self, q: " ARRAY ", *" OUT),
        R"(The matrix that maps v to centroidal_momentum.

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    (..., 6, num_dofs), angular [kg m^2/s per unit velocity] then linear rows [kg m/s per unit velocity].

Raises:
    ValueError: no moving body has mass, so there is no centre of mass.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.

Source: Orin, Goswami and Lee (2013).)");

    tree.def(
        "center_of_mass",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            require_mass(t);
            Call<CenterOfMass> call(t);
            call.output({3});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def center_of_mass(self, q: " ARRAY ", *" OUT),
        R"(Centre of mass of all moving bodies, in world coordinates.

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    Position (..., 3) [m].

Raises:
    ValueError: no moving body has mass, so there is no centre of mass.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.)");

    tree.def(
        "com_velocity",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle out) {
            require_mass(t);
            Call<CenterOfMassVelocity> call(t);
            call.output({3});
            return of_motion(call, t, {q, v}, out);
        },
        "q"_a.none(), "v"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def com_velocity(self, q: " ARRAY ", v: " ARRAY ", *" OUT),
        R"(Velocity of the centre of mass.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    out: array to write into, or None.

Returns:
    (..., 3) [m/s], world axes.

Raises:
    ValueError: no moving body has mass, so there is no centre of mass.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.)");

    tree.def(
        "com_acceleration",
        [](const BoundTree& t, nb::handle q, nb::handle v, nb::handle a, nb::handle out) {
            require_mass(t);
            Call<CenterOfMassAcceleration> call(t);
            call.output({3});
            return of_motion(call, t, {q, v, a}, out);
        },
        "q"_a.none(), "v"_a.none(), "a"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def com_acceleration(self, q: " ARRAY ", v: " ARRAY ", a: " ARRAY ", *" OUT),
        R"(Acceleration of the centre of mass, gravity not included.

Args:
    q: positions (..., num_dofs) [rad, m].
    v: velocities (..., num_dofs) [rad/s, m/s].
    a: accelerations (..., num_dofs) [rad/s^2, m/s^2].
    out: array to write into, or None.

Returns:
    (..., 3) [m/s^2], world axes.

Raises:
    ValueError: no moving body has mass, so there is no centre of mass.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.)");

    tree.def(
        "com_jacobian",
        [](const BoundTree& t, nb::handle q, nb::handle out) {
            require_mass(t);
            const int n = t.model().num_dofs;
            Call<CenterOfMassJacobian> call(t);
            call.output({3, n});
            return of_motion(call, t, {q}, out);
        },
        "q"_a.none(), nb::kw_only(), "out"_a = nb::none(),
        nb::sig("def com_jacobian(self, q: " ARRAY ", *" OUT),
        R"(Jacobian of the centre of mass: its velocity is J @ v.

Args:
    q: positions (..., num_dofs) [rad, m].
    out: array to write into, or None.

Returns:
    (..., 3, num_dofs) [m/s per unit velocity], world axes.

Raises:
    ValueError: no moving body has mass, so there is no centre of mass.
    ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
    TypeError: arguments that are not numbers.)");
}

}  // namespace kido
