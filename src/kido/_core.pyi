from collections.abc import Callable, Sequence
import enum
from typing import Annotated, Any, TypeGuard

import numpy
import numpy.typing
from numpy.typing import NDArray


def num_threads() -> int:
    """Most threads that one batched call uses."""

def set_num_threads(count: int) -> None:
    """
    Limits the threads of one batched call; 0 means all processors of this process. Raises ValueError below 0.
    """

def instruction_sets() -> list[str]:
    """Instruction sets that this build and this processor have, widest last."""

def instruction_set() -> str:
    """The instruction set in use."""

def set_instruction_set(name: str) -> None:
    """
    Switches the kernels; results stay the same to the bit. Raises ValueError for an unknown one.
    """

def brief(value: object | None) -> str:
    """repr of a value, cut to about 200 characters."""

def real_array(value: object, copy: bool = False) -> numpy.typing.NDArray[numpy.float64]:
    """
    The numbers of a value as a C-contiguous float64 array: the value itself where it is one and no copy is wanted.

    Raises TypeError for None, text, bytes and complex numbers, ValueError for masked elements; an error that reading the
    value raised is the cause of the TypeError.
    """

def has_numbers(array: numpy.typing.NDArray[numpy.float64], infinite: bool) -> bool:
    """
    Whether no number of a C-contiguous float64 array is NaN, nor, without `infinite`, infinite.
    """

def frozen_numbers(value: object, infinite: bool) -> numpy.typing.NDArray[numpy.float64] | None:
    """
    A read-only copy by `real_array`, whose errors it raises; None where `has_numbers` refuses a number.
    """

def is_transform(value: object, tolerance: float) -> TypeGuard[numpy.typing.NDArray[numpy.float64]]:
    """
    Whether a value is a C-contiguous float64 array (4, 4) of a rigid transform, to a tolerance of R^T R - 1.
    """

def frozen_row(table: numpy.typing.NDArray[numpy.float64], row: int, first: int = 0, count: int = -1) -> numpy.typing.NDArray[numpy.float64]:
    """
    Read-only copy of `count` numbers of a row of a C-contiguous float64 table; -1: all from `first` on.
    """

class KnownAttributes:
    """
    Base of classes whose objects refuse attributes that they do not have, naming the nearest ones.
    """

    def __setattr__(self, name, value, /):
        """Implement setattr(self, name, value)."""

    def __delattr__(self, name, /):
        """Implement delattr(self, name)."""

class BodyColumns:
    """Where the numbers of a body and its joint stand in their row."""

    T_PARENT_JOINT: slice = ...

    T_CHILD_JOINT: slice = ...

    AXES: slice = ...

    PITCH: int = 30

    INERTIA: slice = ...

    COM: slice = ...

    COUNT: int = 41

class Tree:
    """Native half of kido.Tree: the compiled robot and its algorithms."""

    def __init__(self, integers: numpy.typing.ArrayLike, numbers: numpy.typing.ArrayLike, armature: numpy.typing.ArrayLike, gravity: numpy.typing.ArrayLike, name: str, body_names: tuple[str, ...], joint_names: tuple[str, ...]) -> None:
        """
        Rows of bodies as kido.tree writes them. Raises ValueError where their number or width is wrong.
        """

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom, len(q) and len(v)."""

    @property
    def num_bodies(self) -> int:
        """Number of bodies."""

    @property
    def num_links(self) -> int:
        """Number of moving links: what the recursions run over."""

    @property
    def total_mass(self) -> float:
        """Mass of all moving bodies [kg]."""

    def _massless_joints(self) -> list[str]:
        """Names of the joints that move no mass."""

    def forward_kinematics(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Poses of all bodies in the world.

        Args:
            q: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            Transforms (..., num_bodies, 4, 4) from body to world coordinates, translation in [m].

        Raises:
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.

        Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 4.1.
        """

    def transform(self, q: numpy.typing.ArrayLike, body: int | str, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Pose of one body in the world; computes its chain of ancestors only.

        Args:
            q: positions (..., num_dofs) [rad, m].
            body: name or index.
            out: array to write into, or None.

        Returns:
            Transform (..., 4, 4) from body to world coordinates, translation in [m].

        Raises:
            UnknownNameError: no body of that name.
            ValueError, TypeError: as for forward_kinematics.
        """

    def body_velocities(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, *, frame: str = 'body', out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Velocities of all bodies relative to the world.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            frame: "body": body axes, at each body's origin; "world": world axes, at its origin; "spatial": world axes, of
                the point that passes the world origin.
            out: array to write into, or None.

        Returns:
            Spatial velocities (..., num_bodies, 6), angular [rad/s] then linear [m/s].

        Raises:
            ValueError, TypeError: as for forward_kinematics; an unknown frame.
        """

    def body_accelerations(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, a: numpy.typing.ArrayLike, *, frame: str = 'body', classic: bool = True, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Accelerations of all bodies relative to the world, gravity not included.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            a: accelerations (..., num_dofs) [rad/s^2, m/s^2].
            frame: as for body_velocities.
            classic: True: linear part is the second derivative of position; False: the spatial acceleration.
            out: array to write into, or None.

        Returns:
            Accelerations (..., num_bodies, 6), angular [rad/s^2] then linear [m/s^2].

        Raises:
            ValueError, TypeError: as for forward_kinematics; an unknown frame.

        Source: Featherstone (2008), section 2.11, for the two kinds of acceleration.
        """

    def velocity(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, body: int | str, *, offset: numpy.typing.ArrayLike | None = None, frame: str = 'body', out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Velocity of a body's point relative to the world; equals jacobian(...) @ v.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            body: name or index.
            offset: the point in body coordinates (3,) [m]; None is the body's origin.
            frame: as for body_velocities.
            out: array to write into, or None.

        Returns:
            Spatial velocity (..., 6), angular [rad/s] then linear [m/s].

        Raises:
            UnknownNameError: no body of that name.
            ValueError, TypeError: as for forward_kinematics; an unknown frame.
        """

    def acceleration(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, a: numpy.typing.ArrayLike, body: int | str, *, offset: numpy.typing.ArrayLike | None = None, frame: str = 'body', classic: bool = True, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Acceleration of a body's point relative to the world; equals jacobian @ a + jacobian_derivative @ v.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            a: accelerations (..., num_dofs) [rad/s^2, m/s^2].
            body: name or index.
            offset: the point in body coordinates (3,) [m]; None is the body's origin.
            frame: as for body_velocities.
            classic: as for body_accelerations.
            out: array to write into, or None.

        Returns:
            Acceleration (..., 6), angular [rad/s^2] then linear [m/s^2], gravity not included.

        Raises:
            UnknownNameError: no body of that name.
            ValueError, TypeError: as for forward_kinematics; an unknown frame.
        """

    def jacobian(self, q: numpy.typing.ArrayLike, body: int | str, offset: numpy.typing.ArrayLike | None = None, frame: str = 'body', *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Jacobian of a body's point: its velocity is J @ v.

        Args:
            q: positions (..., num_dofs) [rad, m].
            body: name or index.
            offset: the point in body coordinates (3,) [m]; None is the body's origin.
            frame: "body": body axes, at the point; "world" (DART's world Jacobian; "aligned" says the same): world axes, at
                the point; "spatial": world axes, of the point that passes the world origin.
            out: array to write into, or None.

        Returns:
            (..., 6, num_dofs), three angular rows [rad/s per unit velocity], then three linear rows [m/s per unit velocity].

        Raises:
            UnknownNameError: no body of that name.
            ValueError, TypeError: as for forward_kinematics; an unknown frame.

        Source: Featherstone (2008), section 4.3.
        """

    def jacobian_derivative(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, body: int | str, offset: numpy.typing.ArrayLike | None = None, frame: str = 'body', *, classic: bool = True, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Time derivative of the Jacobian: the body's acceleration is J @ a + dJ @ v.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            body: name or index.
            offset: the point in body coordinates (3,) [m]; None is the body's origin.
            frame: as for jacobian.
            classic: True: J @ a + dJ @ v is the classical acceleration, and in frame "world" dJ is the derivative of every
                element; False: it is the spatial acceleration, and in frames "body" and "spatial" dJ is the derivative of
                every element.
            out: array to write into, or None.

        Returns:
            (..., 6, num_dofs), three angular rows [rad/s^2 per unit velocity], then three linear rows [m/s^2 per unit velocity].

        Raises:
            UnknownNameError: no body of that name.
            ValueError, TypeError: as for forward_kinematics; an unknown frame.
        """

    def joint_transform(self, q: numpy.typing.ArrayLike, joint: int | str, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Pose of a joint's child body in its parent body: T_parent_joint @ T(q) @ inverse(T_child_joint).

        Args:
            q: positions of the whole tree (..., num_dofs) [rad, m].
            joint: name or index.
            out: array to write into, or None.

        Returns:
            Transform (..., 4, 4), translation in [m].

        Raises:
            UnknownNameError: no joint of that name.
            ValueError, TypeError: as for forward_kinematics.
        """

    def motion_subspace(self, q: numpy.typing.ArrayLike, joint: int | str, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Motion subspace S of a joint: the child's velocity relative to the parent is S @ v_joint, in child axes.

        Args:
            q: positions of the whole tree (..., num_dofs) [rad, m].
            joint: name or index.
            out: array to write into, or None.

        Returns:
            (..., 6, joint dofs), angular rows [rad/s per unit velocity], then linear rows [m/s per unit velocity].

        Raises:
            UnknownNameError: no joint of that name.
            ValueError, TypeError: as for forward_kinematics.

        Source: Featherstone (2008), section 3.5.
        """

    def motion_subspace_derivative(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, joint: int | str, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Time derivative of a joint's motion subspace, element by element in child axes.

        Args:
            q: positions of the whole tree (..., num_dofs) [rad, m].
            v: velocities of the whole tree (..., num_dofs) [rad/s, m/s].
            joint: name or index.
            out: array to write into, or None.

        Returns:
            (..., 6, joint dofs), angular rows [rad/s^2 per unit velocity], then linear rows [m/s^2 per unit velocity].

        Raises:
            UnknownNameError: no joint of that name.
            ValueError, TypeError: as for forward_kinematics.

        Source: Featherstone (2008), section 3.5.
        """

    def integrate(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, dt: float = 1.0, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Positions after moving at constant joint velocity: q + v dt, on the group for ball and free joints.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s]; of ball and free joints the twist in child axes.
            dt: time [s].
            out: array to write into, or None.

        Returns:
            Positions (..., num_dofs) [rad, m]; rotation vectors come back with a length of at most pi.

        Raises:
            ValueError, TypeError: as for forward_kinematics; a dt that is not finite.
        """

    def difference(self, q0: numpy.typing.ArrayLike, q1: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        The joint velocity that leads from q0 to q1 in one second: integrate(q0, difference(q0, q1)) is q1.

        Args:
            q0: positions (..., num_dofs) [rad, m].
            q1: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            Velocities (..., num_dofs) [rad/s, m/s].

        Raises:
            ValueError, TypeError: as for forward_kinematics.
        """

    def spring_forces(self, q: numpy.typing.ArrayLike, rest_positions: numpy.typing.ArrayLike, stiffness: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Forces of springs in the joints: minus the gradient of the energy d^T K d / 2, d = difference(rest, q).

        For positions that are added it is -K d; for ball and free joints -J_r(d)^-T K d, J_r the right Jacobian of the group.

        Args:
            q: positions (..., num_dofs) [rad, m].
            rest_positions: where the springs are relaxed (..., num_dofs) [rad, m].
            stiffness: of each dof (..., num_dofs) [N m/rad, N/m].
            out: array to write into, or None.

        Returns:
            Generalized forces (..., num_dofs) [N m, N].

        Raises:
            ValueError, TypeError: as for integrate.
        """

    def inverse_dynamics(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, a: numpy.typing.ArrayLike, wrenches: numpy.typing.ArrayLike | None = None, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Generalized forces of a motion: M a + C v + g less what the loads from outside do (recursive Newton-Euler).

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

        Source: Luh, Walker and Paul (1980); Featherstone (2008), table 5.1.
        """

    def forward_dynamics(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, tau: numpy.typing.ArrayLike, wrenches: numpy.typing.ArrayLike | None = None, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Accelerations that generalized forces cause (articulated-body algorithm).

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

        Source: Featherstone (2008), table 7.1.
        """

    def hybrid_dynamics(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, tau: numpy.typing.ArrayLike, a: numpy.typing.ArrayLike, wrenches: numpy.typing.ArrayLike | None = None, *, prescribed: numpy.typing.ArrayLike, added_inertia: numpy.typing.ArrayLike | None = None, gravity: bool = True, out: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None = None) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Accelerations and forces of joints of which some have the former prescribed and the others the latter.

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

        Source: Featherstone (2008), section 9.2.
        """

    def bias_forces(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Forces of a motion without accelerations: C(q, v) v + g(q).

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            out: array to write into, or None.

        Returns:
            Forces (..., num_dofs) [N m, N].

        Raises:
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.

        Source: Featherstone (2008), section 6.1.
        """

    def gravity_forces(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Forces that hold the robot still against gravity: the gradient of the potential energy.

        Args:
            q: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            Forces (..., num_dofs) [N m, N].

        Raises:
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.
        """

    def mass_matrix(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Joint-space inertia M, with `armature` on its diagonal (composite-rigid-body algorithm).

        Args:
            q: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            Symmetric (..., num_dofs, num_dofs) [kg m^2, kg m, kg].

        Raises:
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.

        Source: Walker and Orin (1982); Featherstone (2008), table 6.2.
        """

    def inverse_mass_matrix(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Inverse of the joint-space inertia, without forming the inertia.

        Args:
            q: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            Symmetric (..., num_dofs, num_dofs) [1/(kg m^2), 1/(kg m), 1/kg].

        Raises:
            SingularMassError: the mass matrix is not positive definite, as below a massless leaf.
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.

        Source: Carpentier, Analytical inverse of the joint space inertia matrix (2018).
        """

    def inverse_dynamics_derivatives(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, a: numpy.typing.ArrayLike, wrenches: numpy.typing.ArrayLike | None = None, *, out: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None = None) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Derivatives of inverse_dynamics with respect to q, v and a.

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

        Source: Carpentier and Mansard (2018); Singh, Russo and Wensing (2022).
        """

    def forward_dynamics_derivatives(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, tau: numpy.typing.ArrayLike, wrenches: numpy.typing.ArrayLike | None = None, *, out: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None = None) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Derivatives of forward_dynamics with respect to q, v and tau.

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

        Source: Carpentier and Mansard (2018); Singh, Russo and Wensing (2022).
        """

    def kinetic_energy(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Kinetic energy v^T M v / 2: of all bodies, and of the armature.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            out: array to write into, or None.

        Returns:
            Energy (...) [J].

        Raises:
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.
        """

    def potential_energy(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Potential energy of gravity, zero where the centre of mass is at the world origin.

        Args:
            q: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            Energy (...) [J].

        Raises:
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.
        """

    def momentum(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Momentum of all bodies about the world origin, in world axes.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            out: array to write into, or None.

        Returns:
            (..., 6), angular [kg m^2/s] then linear [kg m/s].

        Raises:
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.
        """

    def centroidal_momentum(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Momentum of all bodies about their centre of mass, in world axes.

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

        Source: Orin, Goswami and Lee, Centroidal dynamics of a humanoid robot (2013).
        """

    def centroidal_momentum_matrix(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        The matrix that maps v to centroidal_momentum.

        Args:
            q: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            (..., 6, num_dofs), angular [kg m^2/s per unit velocity] then linear rows [kg m/s per unit velocity].

        Raises:
            ValueError: no moving body has mass, so there is no centre of mass.
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.

        Source: Orin, Goswami and Lee (2013).
        """

    def center_of_mass(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Centre of mass of all moving bodies, in world coordinates.

        Args:
            q: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            Position (..., 3) [m].

        Raises:
            ValueError: no moving body has mass, so there is no centre of mass.
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.
        """

    def com_velocity(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Velocity of the centre of mass.

        Args:
            q: positions (..., num_dofs) [rad, m].
            v: velocities (..., num_dofs) [rad/s, m/s].
            out: array to write into, or None.

        Returns:
            (..., 3) [m/s], world axes.

        Raises:
            ValueError: no moving body has mass, so there is no centre of mass.
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.
        """

    def com_acceleration(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, a: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Acceleration of the centre of mass, gravity not included.

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
            TypeError: arguments that are not numbers.
        """

    def com_jacobian(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Jacobian of the centre of mass: its velocity is J @ v.

        Args:
            q: positions (..., num_dofs) [rad, m].
            out: array to write into, or None.

        Returns:
            (..., 3, num_dofs) [m/s per unit velocity], world axes.

        Raises:
            ValueError: no moving body has mass, so there is no centre of mass.
            ValueError: wrong shape, numbers that are not finite, or an unfit `out`.
            TypeError: arguments that are not numbers.
        """

    def mean_jacobian(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Mean of the Jacobians of all moving bodies at their own centres of mass, weighted by mass.

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

        Source: the Jacobian of the centre of mass of DART (Skeleton::getCOMJacobian).
        """

    def mean_jacobian_derivative(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, *, classic: bool = True, out: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Time derivative of mean_jacobian: the mean of the derivatives of the bodies' Jacobians, weighted by mass.

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

        Source: Skeleton::getCOMJacobianSpatialDeriv and getCOMLinearJacobianDeriv of DART.
        """

class State:
    """
    Numbers of one tree, with kinematics that are computed where they are asked for.
    """

    def __init__(self, tree: Tree, rows: numpy.typing.NDArray[numpy.float64]) -> None:
        """
        Rows (5, num_dofs): positions, velocities, accelerations, forces, commands; they are written in place.
        """

    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of all dofs (num_dofs,); a copy."""

    @positions.setter
    def positions(self, values: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def velocities(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of all dofs (num_dofs,); a copy."""

    @velocities.setter
    def velocities(self, values: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def accelerations(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of all dofs (num_dofs,); a copy."""

    @accelerations.setter
    def accelerations(self, values: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def forces(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of all dofs (num_dofs,); a copy."""

    @forces.setter
    def forces(self, values: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def commands(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of all dofs (num_dofs,); a copy."""

    @commands.setter
    def commands(self, values: numpy.typing.ArrayLike, /) -> None: ...

    def part(self, quantity: int, first: int, count: int) -> numpy.typing.NDArray[numpy.float64]:
        """Numbers of consecutive dofs (count,); a copy."""

    def frozen(self, quantity: int, first: int = 0, count: int = -1) -> numpy.typing.NDArray[numpy.float64]:
        """
        Read-only copy of the numbers of consecutive dofs (count,); -1: all from `first` on.
        """

    def set_part(self, quantity: int, first: int, count: int, name: str, values: numpy.typing.ArrayLike) -> None:
        """Writes numbers of consecutive dofs; `name` is what messages call them."""

    def version(self, quantity: int) -> int:
        """How often the numbers of a kind changed."""

    def stamp(self, quantities: int) -> int:
        """
        A number that grows whenever one of the quantities (bit 0: positions, ...) changes.
        """

    def counts(self) -> tuple[int, int, int]:
        """
        Poses, velocities and accelerations of links that were computed so far.
        """

    def set_followers(self, followers: list[tuple[int, int, float, float]]) -> None:
        """
        Dof, leader, multiplier and offset of each dof that follows another wherever positions or velocities are written.
        """

    def settle(self) -> None:
        """
        Writes what a world has moved to the rows, where it has not been asked for yet.
        """

    @property
    def waits_for_users(self) -> bool:
        """Whether `ask_users` is to be called before kinematics can be."""

    def ask_users(self, tree: Tree) -> None:
        """
        Asks the tree's user joints how they move at the present positions and velocities. Where their functions change those, the state goes on waiting. Raises what the functions raise.
        """

    def command_forces(self, actuators: numpy.typing.NDArray[numpy.uint8]) -> None:
        """Make the forces the commands of dofs that are driven by force."""

    def compute_forward_dynamics(self, constants: numpy.typing.NDArray[numpy.float64], actuators: numpy.typing.NDArray[numpy.uint8], wrenches: numpy.typing.NDArray[numpy.float64] | None, step: float) -> bool:
        """
        Write accelerations and forces; False, and nothing, where a mass matrix is not positive definite.
        """

    def compute_inverse_dynamics(self, constants: numpy.typing.NDArray[numpy.float64], actuators: numpy.typing.NDArray[numpy.uint8], wrenches: numpy.typing.NDArray[numpy.float64] | None, step: float, *, external: bool, damping: bool, springs: bool) -> None:
        """Write the forces that the accelerations take."""

    def velocity_changes(self, actuators: numpy.typing.NDArray[numpy.uint8], impulses: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        Changes of velocity (num_dofs,) that impulses give; None where a mass matrix is not positive definite.
        """

    def transmitted_wrenches(self, rows: numpy.typing.NDArray[numpy.float64], codes: numpy.typing.NDArray[numpy.int32], gravity: numpy.typing.NDArray[numpy.float64], wrenches: numpy.typing.NDArray[numpy.float64] | None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Wrenches (num_bodies, 6) that the parent joints apply on the bodies, about their origins, in their axes [N m, N].
        """

def acts_by_forces_alone(constants: numpy.typing.NDArray[numpy.float64], actuators: numpy.typing.NDArray[numpy.uint8]) -> bool:
    """
    Whether nothing acts in joints but forces, by the constants of their dofs (20, num_dofs) and actuators (num_dofs,).
    """

def codes_of_dofs(codes: numpy.typing.NDArray[numpy.int32], column: int) -> numpy.typing.NDArray[numpy.uint8]:
    """
    Of each dof (num_dofs,) the code of its joint in a column of a table of codes (num_bodies, 8).
    """

class Actuator(enum.IntEnum):
    """How a dof is driven, as `constants` of a state count."""

    FORCE = 0

    PASSIVE = 1

    SERVO = 2

    MIMIC = 3

    ACCELERATION = 4

    VELOCITY = 5

    LOCKED = 6

class DofConstant(enum.IntEnum):
    """Rows of the table of what is constant of dofs."""

    POSITION_LOWER = 0

    POSITION_UPPER = 1

    VELOCITY_LOWER = 2

    VELOCITY_UPPER = 3

    ACCELERATION_LOWER = 4

    ACCELERATION_UPPER = 5

    FORCE_LOWER = 6

    FORCE_UPPER = 7

    INITIAL_POSITION = 8

    INITIAL_VELOCITY = 9

    REST_POSITION = 10

    STIFFNESS = 11

    DAMPING = 12

    FRICTION = 13

    ARMATURE = 14

    LIMIT_STIFFNESS = 15

    LIMIT_DAMPING = 16

    LIMIT_FREQUENCY = 17

    LIMIT_DAMPING_RATIO = 18

    CONSTRAINT_IMPULSE = 19

class BodyCode(enum.IntEnum):
    """Columns of the table of codes of bodies and their joints."""

    PARENT = 0

    JOINT_TYPE = 1

    EULER_ORDER = 2

    DOF_COUNT = 3

    ACTUATOR = 4

    GRAVITY = 5

    COLLIDABLE = 6

    LIMITS_ENFORCED = 7

class FrameKind(enum.Enum):
    """Where the native half of a frame learns how it moves."""

    USER = 0
    """A Python object says how it moves relative to its parent."""

    WORLD = 1
    """It does not."""

    MOVING = 2
    """Motion relative to the parent is stored."""

    BODY = 3
    """A body of a State."""

class Frame:
    """
    Native half of kido.Frame: where it stands, how it moves, relative to any other.
    """

    def __setattr__(self, name, value, /):
        """Implement setattr(self, name, value)."""

    def __delattr__(self, name, /):
        """Implement delattr(self, name)."""

    def __init__(self, kind: FrameKind) -> None: ...

    def transform(self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Pose of this frame.

        Args:
            relative_to: the frame whose coordinates the pose maps to; None is the world.
            in_coordinates_of: axes that the whole answer is turned to, by a rotation from the left, as DART does; None is
                `relative_to`.

        Returns:
            T_relative_to_self (4, 4), translation in [m].

        Raises:
            TypeError: an argument is not a Frame.
        """

    def spatial_velocity(self, offset: numpy.typing.ArrayLike | None = None, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Spatial velocity of this frame, at its origin or another of its points.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes of the answer; None is this frame.

        Returns:
            (6,), angular [rad/s] then linear [m/s].

        Raises:
            TypeError, ValueError: an argument is not a Frame, or offset not three finite numbers.
        """

    def linear_velocity(self, offset: numpy.typing.ArrayLike | None = None, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Velocity of this frame's origin or another of its points.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes of the answer; None is the world.

        Returns:
            (3,) [m/s].

        Raises:
            TypeError, ValueError: as for spatial_velocity.
        """

    def angular_velocity(self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Angular velocity of this frame.

        Args:
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes of the answer; None is the world.

        Returns:
            (3,) [rad/s].

        Raises:
            TypeError: an argument is not a Frame.
        """

    def spatial_acceleration(self, offset: numpy.typing.ArrayLike | None = None, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Spatial acceleration of this frame: the rate of its spatial velocity, component by component in its own axes.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes that the answer is turned to; None is this frame.

        Returns:
            (6,), angular [rad/s^2] then linear [m/s^2]. The linear part is not the second derivative of position; that is
            `linear_acceleration`.

        Raises:
            TypeError, ValueError: as for spatial_velocity.

        Source: Featherstone (2008), section 2.11.
        """

    def linear_acceleration(self, offset: numpy.typing.ArrayLike | None = None, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Classical acceleration of this frame's origin or another of its points: the second derivative of its position.

        A moving observer sees the Coriolis, centripetal and Euler terms too: they are in the answer.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes of the answer; None is the world.

        Returns:
            (3,) [m/s^2], gravity not included.

        Raises:
            TypeError, ValueError: as for spatial_velocity.
        """

    def angular_acceleration(self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Angular acceleration of this frame.

        Args:
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes of the answer; None is the world.

        Returns:
            (3,) [rad/s^2].

        Raises:
            TypeError: an argument is not a Frame.
        """

    def _transform_from(self, base: Frame) -> numpy.typing.NDArray[numpy.float64]:
        """`transform` relative to a frame, read-only."""

    def _spatial_velocity_from(self, base: Frame) -> numpy.typing.NDArray[numpy.float64]:
        """`spatial_velocity` relative to a frame, read-only."""

    def _spatial_acceleration_from(self, base: Frame) -> numpy.typing.NDArray[numpy.float64]:
        """`spatial_acceleration` relative to a frame, read-only."""

    def _place_under(self, parent: Frame | None) -> None:
        """Sets the native parent; None is the world."""

    def _set_relative_pose(self, transform: numpy.typing.ArrayLike) -> None:
        """Stores the pose (4, 4) of a moving frame in its parent."""

    def _set_relative_translation(self, name: str, translation: numpy.typing.ArrayLike) -> None:
        """
        Stores the position (3,) of a moving frame in its parent; `name` is the argument's in messages.
        """

    def _set_relative_velocity(self, velocity: numpy.typing.ArrayLike) -> None:
        """
        Stores the spatial velocity (6,) of a moving frame relative to its parent.
        """

    def _set_relative_acceleration(self, acceleration: numpy.typing.ArrayLike) -> None:
        """
        Stores the spatial acceleration (6,) of a moving frame relative to its parent.
        """

    def _relative_pose(self) -> numpy.typing.NDArray[numpy.float64]:
        """The stored pose (4, 4), read-only."""

    def _relative_velocity(self) -> numpy.typing.NDArray[numpy.float64]:
        """The stored velocity (6,), read-only."""

    def _relative_acceleration(self) -> numpy.typing.NDArray[numpy.float64]:
        """The stored acceleration (6,), read-only."""

    def _whole_jacobian(self, state: State, derivative: JacobianDerivative, rows: JacobianRows, offset: numpy.typing.ArrayLike | None, relative_to: Frame | None, in_coordinates_of: Frame | None, own: bool) -> numpy.typing.NDArray[numpy.float64]:
        """
        Jacobian for all dofs of a state; in_coordinates_of None: this frame's own axes, or those of the world.
        """

    def _dependent_dofs(self) -> list[int]:
        """The dofs that move this frame, root first."""

    def _follow(self, state: State | None, body: int) -> None:
        """Makes this frame body number `body` of a state; None: of none."""

    def jacobian(self, offset: numpy.typing.ArrayLike | None = None, *, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Jacobian of this frame's origin or another of its points.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            in_coordinates_of: axes of the answer; None is this frame.

        Returns:
            (6, k), one column for each of the k dofs that move this frame, `dependent_dofs`; three angular rows, then three
            linear rows. J @ velocities of those dofs is `spatial_velocity(offset)`.

        Raises:
            TypeError, ValueError: in_coordinates_of is not a Frame, or offset not three finite numbers.

        Source: Featherstone (2008), section 4.3.
        """

    def linear_jacobian(self, offset: numpy.typing.ArrayLike | None = None, *, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        The linear rows of the Jacobian.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            in_coordinates_of: axes of the answer; None is the world.

        Returns:
            (3, k) [m/s per unit velocity].

        Raises:
            TypeError, ValueError: as for jacobian.
        """

    def angular_jacobian(self, *, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        The angular rows of the Jacobian.

        Args:
            in_coordinates_of: axes of the answer; None is the world.

        Returns:
            (3, k) [rad/s per unit velocity].

        Raises:
            TypeError: in_coordinates_of is not a Frame.
        """

    def jacobian_spatial_derivative(self, offset: numpy.typing.ArrayLike | None = None, *, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Time derivative of the Jacobian, component by component in this frame's axes.

        J @ accelerations + dJ @ velocities is `spatial_acceleration(offset)`.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            in_coordinates_of: axes that the answer is turned to; None is this frame.

        Returns:
            (6, k) [rad/s^2 per unit velocity], [m/s^2 per unit velocity].

        Raises:
            TypeError, ValueError: as for jacobian.
        """

    def jacobian_classic_derivative(self, offset: numpy.typing.ArrayLike | None = None, *, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Time derivative of the Jacobian in world axes.

        With the Jacobian in world axes, J @ accelerations + dJ @ velocities is the angular acceleration and the classical
        acceleration of the point.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            in_coordinates_of: axes that the answer is turned to; None is the world.

        Returns:
            (6, k) [rad/s^2 per unit velocity], [m/s^2 per unit velocity].

        Raises:
            TypeError, ValueError: as for jacobian.
        """

    def linear_jacobian_derivative(self, offset: numpy.typing.ArrayLike | None = None, *, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        The linear rows of `jacobian_classic_derivative`.

        Args:
            offset: the point, in this frame's coordinates (3,) [m]; None is the origin.
            in_coordinates_of: axes that the answer is turned to; None is the world.

        Returns:
            (3, k) [m/s^2 per unit velocity].

        Raises:
            TypeError, ValueError: as for jacobian.
        """

    def angular_jacobian_derivative(self, *, in_coordinates_of: Frame | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        The angular rows of `jacobian_classic_derivative`.

        Args:
            in_coordinates_of: axes that the answer is turned to; None is the world.

        Returns:
            (3, k) [rad/s^2 per unit velocity].

        Raises:
            TypeError: in_coordinates_of is not a Frame.
        """

class JacobianDerivative(enum.Enum):
    """A Jacobian itself, or which of its time derivatives."""

    NONE = 0

    CLASSIC = 1
    """The one that goes with second derivatives of position."""

    SPATIAL = 2
    """The one that goes with spatial accelerations."""

class JacobianRows(enum.Enum):
    """Which rows of a Jacobian."""

    ALL = 0

    ANGULAR = 1

    LINEAR = 2

class SoftState:
    """Numbers of point masses around a body, which worlds read and write."""

    def __init__(self, mass: numpy.typing.NDArray[numpy.float64], rest: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int64], faces: numpy.typing.NDArray[numpy.int64]) -> None:
        """At rest and frozen, without springs: see `set_springs`."""

    def set_springs(self, vertex_stiffness: numpy.typing.NDArray[numpy.float64], edge_stiffness: numpy.typing.NDArray[numpy.float64], damping: numpy.typing.NDArray[numpy.float64], frozen: numpy.typing.NDArray[numpy.uint8], weighs: bool, bulk_modulus: float, yielding: float, along_edges: bool) -> None:
        """
        Springs of the points (n,) and edges (k,), which points stand still, whether they have weight; of the gas within the faces [Pa], 0: none; how far points go before their places of rest follow [m]; whether springs of edges pull along them.
        """

    def set_pinned(self, pinned: numpy.typing.NDArray[numpy.uint8]) -> None:
        """Which points (n,) are led to `targets` by worlds."""

    def eliminate(self, step: float, spin: numpy.typing.NDArray[numpy.float64], gravity: numpy.typing.NDArray[numpy.float64], forces: bool) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        What the points leave at the body (16,) in a step [s], implicit in it: mass, first and second moment of an inertia, torque and force on it, about the body's origin in its axes; None where nothing holds them. `spin`: its angular velocity (3,); `gravity` (3,) on the points; `forces`: whether `forces` act.
        """

    def accelerate(self, angular: numpy.typing.NDArray[numpy.float64], linear: numpy.typing.NDArray[numpy.float64], spin: numpy.typing.NDArray[numpy.float64]) -> None:
        """
        After `eliminate`: write the points' accelerations under those of the body, whose linear one is of its origin, less gravity.
        """

    def follow(self, angular: numpy.typing.NDArray[numpy.float64], linear: numpy.typing.NDArray[numpy.float64]) -> None:
        """
        After `eliminate`: change the points' velocities by what changes of the body's make of them.
        """

    @property
    def material_version(self) -> int:
        """Another number whenever springs, pins, or what is frozen changed."""

    @property
    def motion_version(self) -> int:
        """Another number whenever points moved."""

    @property
    def version(self) -> int:
        """Another number whenever points moved, or springs changed."""

    @property
    def displacements(self) -> numpy.typing.NDArray[numpy.float64]:
        """From where the points rest (n, 3), in the body's axes [m]."""

    @displacements.setter
    def displacements(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def velocities(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the points beside the body (n, 3), in its axes [m/s]."""

    @velocities.setter
    def velocities(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def accelerations(self) -> numpy.typing.NDArray[numpy.float64]:
        """Of the points beside the body (n, 3), in its axes [m/s^2]."""

    @accelerations.setter
    def accelerations(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def yielded(self) -> numpy.typing.NDArray[numpy.float64]:
        """How far places of rest have moved (n, 3), in the body's axes [m]."""

    @yielded.setter
    def yielded(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def targets(self) -> numpy.typing.NDArray[numpy.float64]:
        """Where points that are pinned are led (n, 3), in the world's axes [m]."""

    @targets.setter
    def targets(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def target_velocities(self) -> numpy.typing.NDArray[numpy.float64]:
        """How fast that moves (n, 3) [m/s]."""

    @target_velocities.setter
    def target_velocities(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def pin_forces(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        On points that are pinned, in the last step (n, 3), in the world's axes [N].
        """

    @pin_forces.setter
    def pin_forces(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def began_displacements(self) -> numpy.typing.NDArray[numpy.float64]:
        """Where the last step of a world began, as `displacements`."""

    @began_displacements.setter
    def began_displacements(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def began_velocities(self) -> numpy.typing.NDArray[numpy.float64]:
        """Where the last step of a world began, as `velocities`."""

    @began_velocities.setter
    def began_velocities(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def began_yielded(self) -> numpy.typing.NDArray[numpy.float64]:
        """Where the last step of a world began, as `yielded`."""

    @began_yielded.setter
    def began_yielded(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

    @property
    def forces(self) -> numpy.typing.NDArray[numpy.float64]:
        """On the points from outside (n, 3), in the body's axes [N]."""

    @forces.setter
    def forces(self, values: numpy.typing.NDArray[numpy.float64], /) -> None: ...

class WorldCopy:
    """A world as it stood at some time."""

class World:
    """A world compiled to numbers: rigid bodies, skeletons, shapes."""

    def __init__(self) -> None: ...

    def add_skeleton(self, tree: Tree, state: State, plain: bool, whole: bool, softs: list[tuple[int, SoftState]] = []) -> int:
        """
        Index of a skeleton; plain: nothing acts in its joints but forces; whole: its trees are simulated as one; softs: bodies and the point masses around them.
        """

    def set_loads(self, index: int, constants: numpy.typing.NDArray[numpy.float64], actuators: numpy.typing.NDArray[numpy.uint8], wrenches: numpy.typing.NDArray[numpy.float64] | None, limited: numpy.typing.NDArray[numpy.uint8]) -> None:
        """
        What acts on a skeleton's dofs and bodies; the arrays are read at every step.
        """

    def set_couplings(self, index: int, couplings: Sequence[tuple[int, int, float, float, bool]]) -> None:
        """
        Dofs that follow others: follower, leader, ratio, offset, whether by a motor.
        """

    def add_collider(self, skeleton: int, body: int, shape: CollisionShape, pose: numpy.typing.NDArray[numpy.float64], surface: numpy.typing.NDArray[numpy.float64], group: int, meets_own: bool, parent: int) -> int:
        """
        Index of a shape on a body (skeleton -1: on the world); pose (4, 4); surface (16,): friction, restitution, friction across, direction (3), slip, slip across, its velocity (3) and angular velocity (3) at the body's origin, rolling and torsional friction, in the body's axes; meets_own: whether it meets others of its group, but for those of body `parent` (-1: none).
        """

    def add_point_colliders(self, skeleton: int, body: int, count: int, ball: CollisionShape, surface: numpy.typing.NDArray[numpy.float64], group: int, meets_own: bool, with_faces: bool, meets_itself: bool) -> int:
        """
        Index of the first of the balls around a body's points; behind them is its skin, if it is to have one and points have faces.
        """

    def set_surface_rules(self, friction: int, restitution: int, rolling: int) -> None:
        """
        How surfaces of two shapes are combined: 0 minimum, 1 mean, 2 maximum, 3 product.
        """

    def set_surface_source(self, function: Callable[[int, int], numpy.typing.NDArray[numpy.float64]]) -> None:
        """
        A function of two colliders that begin to touch, which gives their combined surface (16,), in the axes of the first one's body.
        """

    def set_mask(self, collider: int, category: int, collides_with: int) -> None:
        """
        Bits of a shape; two shapes meet where each one's category has bits in common with what the other collides with.
        """

    def exclude(self, first: int, second: int) -> None:
        """Two shapes that never meet, before the first step."""

    def near_pairs(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]:
        """
        Pairs to be tested for the next step, whose contacts are to be set before it: index of the pair, both colliders (n, 3); margin [m], poses (12,) of both (n, 25).
        """

    def set_contacts(self, pair: int, points: numpy.typing.NDArray[numpy.float64], size: float, single: bool) -> None:
        """
        What was found of a pair: normal, points on first and second, gap (n, 10); size of the smaller shape [m]; whether one point is kept.
        """

    def add_constraint(self, first_skeleton: int, first_body: int, first_pose: numpy.typing.NDArray[numpy.float64], second_skeleton: int, second_body: int, second_pose: numpy.typing.NDArray[numpy.float64], held: tuple[bool, bool, bool, bool, bool, bool], length: float | None, softness: tuple[float, float, float, float], pulls: bool, pushes: bool) -> int:
        """
        Index of a constraint between frames (12,) on two bodies; skeleton -1: the world.
        """

    def constraint_wrench(self, index: int) -> numpy.typing.NDArray[numpy.float64]:
        """
        Torque and force (6,) on the first body about its frame's origin in the last step, world axes.
        """

    def constraint_unmet(self, index: int) -> bool:
        """Whether a constraint could not be met for a while, and turned soft."""

    def constraint_error(self, index: int) -> numpy.typing.NDArray[numpy.float64]:
        """
        Errors (6,) at the present poses: linear, angular; of a distance: the first.
        """

    def add_gear(self, terms: list[tuple[int, int, float, bool]], offset: float, lower: float, upper: float, softness: tuple[float, float, float, float]) -> int:
        """
        Index of a sum of positions of dofs and an offset that vanishes; terms: skeleton, dof, factor, whether the force acts there; softness: stiffness, damping, frequency, damping ratio.
        """

    def add_rows(self, skeletons: list[int]) -> int:
        """Index of a constraint whose rows are set before every step."""

    def set_rows(self, index: int, numbers: numpy.typing.NDArray[numpy.float64], jacobians: list[tuple[int, numpy.typing.NDArray[numpy.float64]]], softness: tuple[float, float, float, float]) -> None:
        """
        Rows of a constraint: error, speed, lower, upper, coupled row, coefficient (m, 6); Jacobians (m, num_dofs) of skeletons.
        """

    def row_numbers(self, index: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], bool]:
        """
        Forces and errors (m,) of rows in the last step; whether they could not be met.
        """

    def set_settings(self, step: float, gravity: numpy.typing.NDArray[numpy.float64], longest_substep: float, sweeps: int, relaxing_sweeps: int, bounce_threshold: float, integrator: int, contact_frequency: float, contact_damping: float, push_speed: float) -> None:
        """How steps are made, before the first."""

    def set_sleeping(self, after: float, linear: float, angular: float) -> None:
        """
        When islands fall asleep: once nothing in them was faster than this for a time [s, m/s, rad/s].
        """

    def is_asleep(self, index: int, body: int = -1) -> bool:
        """
        Whether steps leave a skeleton, or the tree of one of its bodies, where it is, until something wakes it.
        """

    def wake(self, index: int, body: int = -1) -> None:
        """Wake a skeleton, or the tree of one of its bodies, with its island."""

    def was_moved(self) -> bool:
        """Whether positions or velocities were set since the world took them."""

    def has_tree(self, index: int, tree: int) -> bool:
        """Whether an articulation of the world is one of a skeleton's trees."""

    def moves_smoothly(self, index: int) -> bool:
        """
        Whether nothing touches, holds or drives a skeleton in the step that was prepared.
        """

    def accelerations(self, index: int, positions: numpy.typing.NDArray[numpy.float64], velocities: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
        """
        Accelerations of a skeleton elsewhere (num_dofs,); NaN where an inertia is not positive.
        """

    def give_motion(self, index: int, positions: numpy.typing.NDArray[numpy.float64], velocities: numpy.typing.NDArray[numpy.float64]) -> None:
        """Where a skeleton that moves smoothly is at the end of the step."""

    def step_rows(self, share: float, push_speed: float) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], int]:
        """
        Rows of the step that was prepared: kind, first, second, part, normal, island, place (n, 7); lower, upper, correcting, keeping, softness, impulse (n, 6); how many islands.
        """

    def step_matrix(self, island: int) -> numpy.typing.NDArray[numpy.float64]:
        """How the rows of an island (n, n) answer impulses."""

    def give_impulses(self, correcting: numpy.typing.NDArray[numpy.float64], keeping: numpy.typing.NDArray[numpy.float64], count: int, last: bool) -> bool:
        """
        Impulses of all rows, instead of the stage solve; false where there are other rows now, which are to be solved.
        """

    def save(self) -> bytes:
        """All numbers that a step starts from."""

    def load(self, numbers: bytes, moved: list[int]) -> bool:
        """
        Go to saved numbers of a world made alike, but for skeletons that were moved since; false where they do not fit.
        """

    def step(self, count: int, /) -> bool:
        """Make some steps; false where numbers were no longer finite."""

    def run_stages(self, first: int, last: int) -> bool:
        """
        Run stages of one step (0 detect, 1 accelerate, 2 prepare, 3 solve, 4 move), from `first` to `last`; false where numbers were no longer finite, and the step is cancelled.
        """

    def cancel_step(self) -> None:
        """End a step that was begun, before it moves."""

    def rollout(self, commands: numpy.typing.NDArray[numpy.float64], start: numpy.typing.NDArray[numpy.float64] | None, threads: int, hold: int, every: int, accelerations: bool, group_of_collider: list[int], groups: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64] | None, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
        """
        Copies of the world under commands (samples, steps, dofs), from `start` (2, samples * dofs): positions, velocities, accelerations or None (samples, kept, dofs), wrenches of contacts on groups of colliders about the world's origin (samples, kept, groups, 6), counts of points (samples, kept, groups), steps done (samples,).
        """

    def contacts(self, at_start: bool = False) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]:
        """
        Colliders (n, 2) that touch; points, normals, forces on the first, depths (n, 10); at_start: where the last step began.
        """

    def last_step(self, index: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        What acted on a skeleton: rows of its dofs (10, num_dofs), wrenches of contacts and constraints (num_bodies, 6), positions and velocities at the end (2, num_dofs).
        """

    @property
    def recorded(self) -> float:
        """Duration of the last step [s]; 0 where there was none, or it failed."""

    def diverged(self) -> tuple[int, int]:
        """
        Skeleton and body whose numbers were not finite in the step that failed; -1: not known.
        """

    def counts(self) -> dict[str, int]:
        """What the solver has to do with."""

    def copy(self) -> WorldCopy:
        """The present numbers."""

    def restore(self, copy: WorldCopy) -> None:
        """Go back to a copy, after the states of the skeletons were."""

    @property
    def steps(self) -> int:
        """How many steps were made."""

class WorldSampler:
    """
    Copies of the numbers of a world after every so many steps, and what was set between steps.
    """

    def __init__(self, world: World, states: list[State], softs: list[SoftState], every: int, keyframe_every: int, accelerations: bool, forces: bool, contacts: bool, constraints: bool, body_constraints: int, row_constraints: int, fresh: bool, asked: Callable[[], None] | None, full: Callable[[], None] | None) -> None:
        """
        states: of all skeletons; softs: of all soft bodies; asked: called before each sample; full: called after samples, now and then.
        """

    def set_clock(self, time: float, time_step: float, steps: int, at: int) -> None:
        """
        Time [s] and number of steps of the world when the native one had made `at` steps.
        """

    def set_patience(self, bytes: int, seconds: float) -> None:
        """After how many bytes, or which time [s], `full` is called."""

    def ask_always(self, always: bool) -> None:
        """
        Whether `asked` is called before each sample, or before the first one of some steps alone.
        """

    def begin(self, every: int, keyframe_every: int) -> None:
        """Begin anew with the next step."""

    def note(self, kind: int, skeleton: int, numbers: numpy.typing.NDArray[numpy.float64]) -> None:
        """Something that was set since the last step."""

    def finish(self, asks: bool) -> None:
        """
        Take the last sample, unless there was one after the last step, or something was moved since.
        """

    def want_keyframe(self) -> None:
        """The next sample is a keyframe."""

    @property
    def world(self) -> World:
        """Whose numbers these are."""

    def close(self) -> None:
        """Take no more samples."""

    def take(self) -> dict[str, Any]:
        """
        All numbers by name, without those that are zero throughout; forgotten here.
        """

    @property
    def bytes(self) -> int:
        """Memory of what was not taken yet."""

    @property
    def begins(self) -> bool:
        """Whether the first sample is still to be taken."""

    @property
    def samples(self) -> int:
        """How many were not taken yet."""

class SampledWorld:
    """Steps of a world that samplers look at."""

    def __init__(self, world: World, samplers: list[WorldSampler]) -> None: ...

    def step(self, count: int, /) -> bool:
        """Steps; false where numbers were not finite."""

    def before(self) -> None:
        """Before a step that is made elsewhere."""

    def after(self) -> None:
        """After it."""

class CollisionShape:
    """
    A shape as collision sees it, about the origin of its own frame. Immutable.
    """

    def __init__(self, kind: str, size: numpy.typing.ArrayLike) -> None:
        """
        Make a shape that its sizes describe.

        Args:
            kind: "sphere" (radius), "capsule", "cylinder" or "cone" (radius, half of the length; along z), "box" (halves of the edges),
                "ellipsoid" (semi-axes), "plane" (none: all points with z <= 0).
            size: these numbers [m].

        Raises:
            ValueError: another kind, another number of sizes, sizes that are not positive.
        """

    @staticmethod
    def hull(vertices: numpy.typing.ArrayLike, planes: numpy.typing.ArrayLike, first_corner: list[int], corners: list[int], edges: list[int], inner_radius: float) -> CollisionShape:
        """
        Make a convex polyhedron from tables, as kido.collision makes them.

        Args:
            vertices: (n, 3) [m].
            planes: (k, 4): outward unit normals of the faces and their offsets along these [m].
            first_corner: (k + 1,): where each face's corners begin.
            corners: indices of vertices, face after face, counterclockwise seen from outside.
            edges: pairs of vertices, those of a triangulation of the faces.
            inner_radius: of a ball that fits into it [m].

        Raises:
            ValueError: tables that do not fit together.
        """

    @staticmethod
    def mesh(vertices: numpy.typing.ArrayLike, corners: list[int]) -> CollisionShape:
        """
        Make a surface of triangles, solid on the side that their normals point away from.

        Args:
            vertices: (n, 3) [m].
            corners: indices of vertices, three of each triangle, counterclockwise seen from outside.

        Raises:
            ValueError: tables that do not fit together, triangles without an area.
        """

    @staticmethod
    def height_field(heights: numpy.typing.ArrayLike, spacing_x: float, spacing_y: float) -> CollisionShape:
        """
        Make ground of heights over a grid about the z axis.

        Args:
            heights: (rows, columns) [m]; rows along y, columns along x.
            spacing_x, spacing_y: distances of grid lines [m].

        Raises:
            ValueError: fewer than two rows or columns, distances that are not positive, numbers that are not finite.
        """

    @property
    def kind(self) -> str:
        """Kind of the shape."""

    @property
    def size(self) -> tuple[float, ...]:
        """Sizes as they were given [m]; none of a hull, mesh or height field."""

    @property
    def radius(self) -> float:
        """
        Radius of the ball about the origin that holds it [m]; infinite for a plane.
        """

    def __getstate__(self) -> tuple[str, tuple[object, ...]]: ...

    def __setstate__(self, state: tuple[str, tuple[object, ...]], /) -> None: ...

class PairMemory:
    """What a pair of shapes remembers from one test to the next."""

    def __init__(self) -> None: ...

    @property
    def axis(self) -> tuple[float, float, float]:
        """
        Last direction of separation or contact, from the second shape to the first, in world axes.
        """

    @property
    def gap(self) -> float:
        """Lower bound of the distance where there was no contact [m]."""

def collide(first: CollisionShape, T_first: numpy.typing.ArrayLike, second: CollisionShape, T_second: numpy.typing.ArrayLike, margin: float, memory: PairMemory | None = None) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]:
    """
    Contacts of two shapes in each of many poses.

    Args:
        first, second: the shapes.
        T_first, T_second: their poses (..., 4, 4) in the world [m].
        margin: distance up to which they are in contact [m].
        memory: of this pair, with a single pair of poses.

    Returns:
        Number of points (...), 0 where the shapes are farther apart; normals (..., 3) from the second shape to the first; points on
        the first and on the second (..., 4, 3) [m]; gaps between them along the normal (..., 4) [m], negative where the shapes
        overlap; numbers of the features that meet (..., 4). NaN where there is no point.

    Raises:
        UnsupportedShapeError: two planes, two height fields.
        ValueError: wrong shapes of arrays, what are no rigid transforms, a negative margin.
        TypeError: what are no numbers.
    """

def distance(first: CollisionShape, T_first: numpy.typing.ArrayLike, second: CollisionShape, T_second: numpy.typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    Signed distance of two shapes in each of many poses.

    Args:
        first, second: the shapes.
        T_first, T_second: their poses (..., 4, 4) in the world [m].

    Returns:
        Distances (...) [m], negative where the shapes overlap: minus the length of the shortest way apart; normals (..., 3) from the
        second shape to the first; nearest points on the first and on the second (..., 3) [m].

    Raises:
        UnsupportedShapeError: two planes, two surfaces of triangles (meshes, height fields).
        ValueError: wrong shapes of arrays, what are no rigid transforms.
        TypeError: what are no numbers.
    """

def ray_cast(shape: CollisionShape, T_shape: numpy.typing.ArrayLike, origin: numpy.typing.ArrayLike, direction: numpy.typing.ArrayLike, length: float) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    Where rays meet a shape first. A ray that begins inside meets it at once, with a normal against the ray.

    Args:
        shape: the shape.
        T_shape: its poses (..., 4, 4) in the world [m].
        origin, direction: of the rays (..., 3) [m], [-]; directions of any length but zero.
        length: of the rays [m].

    Returns:
        Distances along the rays (...) [m], infinite where a ray meets nothing; outward normals there (..., 3), NaN where not.

    Raises:
        ValueError: wrong shapes of arrays, what are no rigid transforms, a direction of zero.
        TypeError: what are no numbers.
    """

def contact_points(first: CollisionShape, T_first: numpy.typing.ArrayLike, second: CollisionShape, T_second: numpy.typing.ArrayLike, margin: float) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]:
    """
    All points of contact of two shapes in each of many poses, on threads.

    Args:
        first, second: the shapes.
        T_first, T_second: their poses (..., 4, 4) in the world [m].
        margin: distance up to which they are in contact [m].

    Returns:
        Index of the pose, number of the manifold, number of the features (n, 3); normal from the second shape to the first, points on
        the first and on the second [m], gap between them along the normal [m] (n, 10).

    Raises:
        UnsupportedShapeError: two planes, two height fields.
        ValueError: wrong shapes of arrays, what are no rigid transforms, a negative margin.
        TypeError: what are no numbers.
    """

def sweep(first: CollisionShape, start_first: numpy.typing.ArrayLike, end_first: numpy.typing.ArrayLike, second: CollisionShape, start_second: numpy.typing.ArrayLike, end_second: numpy.typing.ArrayLike, tolerance: float) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    When two shapes meet first on their ways from one pose to another, on threads.

    Origins move along lines, axes turn about one axis by the shorter way, both at constant speeds.

    Args:
        first, second: the shapes.
        start_first, end_first, start_second, end_second: their poses (..., 4, 4) in the world [m].
        tolerance: distance from which on they meet [m].

    Returns:
        Times (...) as shares of the ways, 0 to 1, infinite where they do not meet; then (of those that do not meet: where the search
        ended) distances (...) [m], normals from the second shape to the first (..., 3), nearest points on both (..., 3) [m].

    Raises:
        UnsupportedShapeError: two planes, two surfaces of triangles (meshes, height fields), a plane that turns.
        ValueError: wrong shapes of arrays, what are no rigid transforms, a tolerance that is not positive.
        TypeError: what are no numbers.
    """

class SearchSettings:
    """
    Settings of a native search; kido.ik.SearchSettings says what they mean.
    """

    def __init__(self, *, angular_tolerance: float, linear_tolerance: float, largest_step: float, damping: float, least_damping: float, iterations: int, mirrors: int, starts: int, seed: int, nearest: bool, time_budget: float) -> None: ...

class PoseRegion:
    """
    Poses that a native search wants: a target's, or those within bounds of it.
    """

    def __init__(self, weights: numpy.typing.ArrayLike) -> None:
        """
        The target's pose; weights (6,) of the error's components, the first three equal, and the last three.
        """

    @staticmethod
    def within(*, weights: numpy.typing.ArrayLike, axes: numpy.typing.ArrayLike, in_target: bool, lower: numpy.typing.ArrayLike, upper: numpy.typing.ArrayLike, from_center: bool) -> PoseRegion:
        """
        Displacements between bounds (6,), angles first [rad, m], taken along axes, the columns of (3, 3).

        in_target: whether the axes are in the target's coordinates, else in the world's; from_center: whether errors are taken from the middle of the bounds.
        """

class SearchRanges:
    """How far dofs may move, and where starts of a search are drawn from."""

    def __init__(self, *, lower: numpy.typing.ArrayLike, upper: numpy.typing.ArrayLike, low_seed: numpy.typing.ArrayLike, high_seed: numpy.typing.ArrayLike, cyclic: numpy.typing.ArrayLike) -> None:
        """
        Of k dofs: lowest and highest positions (k,) [rad, m], the range of further starts, and whether a whole
        turn leads back.
        """

class QuadraticObjective:
    """A quadratic function of the positions of some dofs."""

    def __init__(self, dofs: list[int], curvature: numpy.typing.ArrayLike, slope: numpy.typing.ArrayLike, center: numpy.typing.ArrayLike) -> None:
        """
        d.Hd / 2 + g.d at positions x, where d = x - center; curvature H (n, n), slope g (n,), center (n,).
        """

class SearchTask:
    """
    What a search in levels lowers.

    level: its rank, 0 the first; moves (num_dofs,): whether a dof may move for it; wished: what remains of its error is no
    failure; own_step: whether its gradient method has a step of its own, which `parts` of the search computes; damping: of an
    error of 1 or more, below 0 that of the settings; clamp: most that a dof may move in one step [rad, m].
    """

    @staticmethod
    def pose(tree: Tree, body: int, point: numpy.typing.ArrayLike, region: PoseRegion, *, level: int, moves: numpy.typing.ArrayLike, wished: bool = False, own_step: bool = False, damping: float = -1.0, clamp: float = ...) -> SearchTask:
        """
        The frame at `point` (4, 4) [m] of a body comes into a region about its target.
        """

    @staticmethod
    def gaze(tree: Tree, body: int, point: numpy.typing.ArrayLike, axis: numpy.typing.ArrayLike, half_angle: float, weight: float, *, level: int, moves: numpy.typing.ArrayLike, wished: bool = False, own_step: bool = False, damping: float = -1.0, clamp: float = ...) -> SearchTask:
        """
        An axis (3,) of the frame at `point` (4, 4) [m] of a body aims at the target's origin, within half_angle
        [rad].
        """

    @staticmethod
    def center_of_mass(axes: numpy.typing.ArrayLike, in_target: bool, weights: numpy.typing.ArrayLike, share: float, fixed: numpy.typing.ArrayLike, *, level: int, moves: numpy.typing.ArrayLike, wished: bool = False, own_step: bool = False, damping: float = -1.0, clamp: float = ...) -> SearchTask:
        """
        The robot's center of mass comes to the target's origin, along axes, the columns of (3, 3), that have a
        weight (3,) [-]; `in_target`: in the target's coordinates, else in the world's. It is that of the links times their `share` of all mass, plus the part (3,) of bodies that are fixed to
        the world [m].
        """

    @staticmethod
    def posture(dofs: list[int], positions: numpy.typing.ArrayLike, weights: numpy.typing.ArrayLike, *, level: int, moves: numpy.typing.ArrayLike, wished: bool = False, own_step: bool = False, damping: float = -1.0, clamp: float = ...) -> SearchTask:
        """
        Dofs come to positions (m,) [rad, m], each with its weight (m,) [-]. The angles of a rotation stand together,
        in order.
        """

    @staticmethod
    def custom(tree: Tree, body: int, point: numpy.typing.ArrayLike, rows: int, *, level: int, moves: numpy.typing.ArrayLike, wished: bool = False, own_step: bool = False, damping: float = -1.0, clamp: float = ..., bounded: bool = False) -> SearchTask:
        """
        What `parts` of the search computes, with so many rows; the frame at `point` (4, 4) [m] of a body tells how
        large the robot is. bounded: whether `parts` knows bounds of what is measured, in place of an error that shall vanish.
        """

class PoseSearch:
    """
    Inverse kinematics of one point of a body; kido.ik prepares the arguments.
    """

    def __init__(self, *, tree: Tree, body: int, point: numpy.typing.ArrayLike, region: PoseRegion, dofs: list[int], ranges: SearchRanges, settings: SearchSettings) -> None:
        """
        A search that moves `dofs`, with a range for each, to put the frame at `point` (4, 4) [m] of a body into a region.
        """

    @property
    def path(self) -> list[int]:
        """Dofs that move the body, root first."""

    def solve(self, targets: numpy.typing.ArrayLike, starts: numpy.typing.ArrayLike) -> tuple[tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int32]], numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.int32], tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int32]], numpy.typing.NDArray[numpy.bool_]]:
        """
        Positions for many targets (n, 4, 4) [m]; from starts (1 or n, p) of the path.

        Returns where the best starts ended, whether they reached their targets, which they are, where the first starts ended
        before they were mirrored, and whether the time budget ended the searches. An end is positions (n, p) of the path, angular errors [rad], linear errors [m], squared weighted
        errors and iterations (n,).
        """

    def track(self, targets: numpy.typing.ArrayLike, start: numpy.typing.ArrayLike, largest_change: numpy.typing.ArrayLike, time_budget: float) -> tuple[tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int32]], numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.bool_]]:
        """
        Positions for targets (n, 4, 4) [m] one after the other, from positions (p,) of the path: each from the last ones, at most
        `largest_change` (p,) [rad, m] away from them, in `time_budget` [s].

        Returns where each ended, as of `solve`, whether at its target, and whether the time budget ended it.
        """

    def solve_one(self, target: numpy.typing.ArrayLike, positions: numpy.typing.ArrayLike) -> tuple[tuple[numpy.typing.NDArray[numpy.float64], float, float, float, int], int, tuple[numpy.typing.NDArray[numpy.float64], float, float, float, int] | None, bool]:
        """
        Positions (k,) of the dofs for one target (4, 4) from positions (num_dofs,) of the skeleton.

        Returns where the best start ended, which it is, where the first start ended, or None where the target is
        reached, and whether the time budget ended the search.
        """

def solve_hierarchy(tree: Tree, *, tasks: list[SearchTask], targets: numpy.typing.ArrayLike, start: numpy.typing.ArrayLike, ranges: SearchRanges, settings: SearchSettings, parts: object | None = None, lowers: numpy.typing.ArrayLike | None = None, asks_objective: bool = False, quadratics: list[QuadraticObjective] = [], largest_change: numpy.typing.ArrayLike | None = None) -> tuple[tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.bool_], int, int, float], tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.bool_], int, int, float] | None, bool]:
    """
    Inverse kinematics of several tasks in levels of priority; kido.ik prepares the arguments.

    Tasks stand sorted by level, levels without gaps from 0; targets (t, 4, 4) [m], one for each; start (n,). Ranges are of
    all dofs of the tree; where the ends of a range of starts are equal, those keep the given position. `parts` computes
    what native code does not know, by its methods place(positions), error(task), jacobian(task), bounds(task),
    step(task, error, jacobian), objective(), is_length(task).

    lowers (n,): the dofs that may move for an objective, where one is to be lowered once all is reached that must be: the sum of
    `quadratics`, and where `asks_objective`, of objective().
    largest_change (n,): how far dofs of ball and free joints may go from the start [rad, m]; those of others are held by
    their ranges.

    Returns the best end: positions (n,), angular errors [rad], linear errors [m], whether reached (t,), which start, its
    iterations, and how far from stationary the objective is, NaN where none was lowered; then the end of the first start in the same
    way, where the best is another one, and whether the time budget ended the search.
    """

class ClosedForm:
    """
    Native half of kido.ik.ClosedForm: the chain, which form fits it, and all its solutions.
    """

    @staticmethod
    def of_tree(tree: Tree, body: int, base: int, point: numpy.typing.ArrayLike, locked: int) -> ClosedForm:
        """
        The chain from a base body (-1: the world) to a point (4, 4) [m] of a body; locked: a joint of the chain, or -1.
        """

    @staticmethod
    def of_axes(axes: numpy.typing.ArrayLike, points: numpy.typing.ArrayLike, tool: numpy.typing.ArrayLike, locked: int, is_prismatic: Sequence[bool]) -> ClosedForm:
        """
        The chain of axes (n, 3) [-] through points (n, 3) [m] at zero, the tool's pose (4, 4) [m] there, and which joints slide (n,).
        """

    @property
    def family(self) -> str:
        """Which form; empty where there is none."""

    @property
    def reason(self) -> str:
        """Why there is no form; else empty."""

    @property
    def locked(self) -> int:
        """The joint of the chain that keeps its position; -1: none."""

    @property
    def is_prismatic(self) -> list[bool]:
        """Which joints of the chain slide; empty where the chain was not read."""

    @property
    def exact(self) -> bool:
        """
        Whether the axes fit the form to 1e-9; else to 1e-4, and Newton steps make solutions exact.
        """

    @property
    def dofs(self) -> list[int]:
        """Dofs of the tree that make the chain."""

    def solve(self, target: numpy.typing.ArrayLike, near: numpy.typing.ArrayLike | None = None) -> tuple[numpy.typing.NDArray[numpy.float64], bool, numpy.typing.NDArray[numpy.float64]]:
        """
        All positions of the chain for one target.

        Args:
            target: pose of the tool (4, 4) in base coordinates, translation in [m].
            near: positions (n,) [rad, m]: of the joint that is locked, and of those that a singular pose leaves free; None: 0.

        Returns:
            Positions (k, n) [rad, m], angles in (-pi, pi] but for the locked joint; whether they reach the target (else k is 1
            and the row is the nearest found); errors (k, 2), angular [rad] and linear [m].

        Raises:
            ValueError: wrong shapes, numbers that are not finite, a target whose axes are no rotation, or no closed form.
            TypeError: arguments that are not numbers.
        """

    def solve_all(self, targets: numpy.typing.ArrayLike, near: numpy.typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.intp], numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.float64]]:
        """
        The same for many targets, or for one target and many positions of the locked joint.

        Args:
            targets: poses in rows (m or 1, 16), as solve takes them, translation in [m].
            near: positions (m or 1, n) [rad, m].

        Returns:
            Positions (total, n) [rad, m] of all, one target after the other; how many rows each has (m,); whether each is
            reached (m,); errors (total, 2), angular [rad] and linear [m].

        Raises:
            ValueError, TypeError: as for solve.
        """

class LimitedArm:
    """
    Solutions of a closed form within the limits of its joints, the best first.
    """

    def __init__(self, form: ClosedForm, lower: numpy.typing.ArrayLike, upper: numpy.typing.ArrayLike, turns: Sequence[bool], places: Sequence[int]) -> None:
        """
        Limits (1, n) [rad, m], which of the joints turn (n,), and the places of their dofs (n,) in a skeleton.
        """

    def solve(self, target: numpy.typing.ArrayLike, base: numpy.typing.ArrayLike | None, positions: numpy.typing.ArrayLike, ranked: bool) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint8]]:
        """
        All solutions for one target.

        Args:
            target: pose (4, 4) in the world, translation in [m].
            base: from world coordinates to those of the form (4, 4) [m]; None: they are the same.
            positions: present ones of all dofs of the skeleton (num_dofs,) [rad, m].
            ranked: whether the best come first.

        Returns:
            Positions (k, n) [rad, m], and what each violates (k,), as the flags of kido.ik.Validity.

        Raises:
            ValueError: wrong shapes, numbers that are not finite, a target whose axes are no rotation.
        """

    def answer(self, target: numpy.typing.ArrayLike, base: numpy.typing.ArrayLike | None, positions: numpy.typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], float, float, int]:
        """
        The best solution where it is valid or only out of reach, else what comes nearest within limits.

        Returns:
            Positions (n,) [rad, m], their errors [rad] and [m], and what the best solution violates.
        """

    def solve_batch(self, targets: numpy.typing.ArrayLike, base: numpy.typing.ArrayLike | None, starts: numpy.typing.ArrayLike, ranked: bool) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.intp]]:
        """
        What solve gives for each of many targets, in threads.

        Args:
            targets: poses in rows (m, 16) in the world, translation in [m].
            base: as for solve.
            starts: present positions of the chain's joints (m or 1, n) [rad, m].
            ranked: as for solve.

        Returns:
            Positions (total, n) [rad, m] and violations (total,), one target after the other; how many each has (m,).
        """

    def answer_batch(self, targets: numpy.typing.ArrayLike, base: numpy.typing.ArrayLike | None, starts: numpy.typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint8]]:
        """
        What answer gives for each of many targets, in threads.

        Returns:
            Positions (m, n) [rad, m], errors (m,) [rad], (m,) [m], violations (m,).
        """

class IKFastLibrary:
    """
    Native half of kido.ik.IKFastLibrary: a loaded library and calls of its solver.
    """

    def __init__(self, path: bytes) -> None:
        """
        Load a library. Raises ValueError where it is none, or misses what it needs.
        """

    @property
    def num_joints(self) -> int:
        """Joints of the arm, those that are free included."""

    @property
    def free_joints(self) -> list[int]:
        """Joints whose positions the caller gives."""

    @property
    def ik_type(self) -> int:
        """Number of what targets are."""

    @property
    def takes_poses(self) -> bool:
        """Whether a pose says what the solver wants."""

    @property
    def has_forward_kinematics(self) -> bool:
        """Whether `forward` answers."""

    @property
    def version(self) -> str:
        """Of the generator; empty where the library does not tell."""

    @property
    def kinematics_hash(self) -> str:
        """Of the arm; empty where the library does not tell."""

    def forward(self, positions: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Pose by the library's own forward kinematics.

        Args:
            positions: (n,) [rad, m].

        Returns:
            Pose (4, 4) in the base, translation in [m].

        Raises:
            ValueError: wrong shape, numbers that are not finite, no forward kinematics.
            TypeError: what are no numbers.
            RuntimeError: the library raised, or answered numbers that are not finite.
        """

    def solve(self, target: numpy.typing.ArrayLike, free: numpy.typing.ArrayLike, near: numpy.typing.ArrayLike | None) -> numpy.typing.NDArray[numpy.float64]:
        """
        All solutions for one target.

        Args:
            target: pose (4, 4), translation in [m].
            free: positions of the free joints (f,) [rad, m].
            near: positions (n,) [rad, m], of joints that a solution leaves open; None: zeros.

        Returns:
            Positions (k, n) [rad, m].

        Raises:
            ValueError: wrong shapes, numbers that are not finite, a target whose axes are no rotation.
            TypeError: what are no numbers.
            RuntimeError: the library raised, or added what is no solution.
        """

class LcpProblem:
    """A complementarity problem for native solvers; kido.lcp checks it."""

    def __init__(self, A: numpy.typing.NDArray[numpy.float64], b: numpy.typing.NDArray[numpy.float64], lower: numpy.typing.NDArray[numpy.float64], upper: numpy.typing.NDArray[numpy.float64], friction_index: numpy.typing.NDArray[numpy.intc], cone_rows: numpy.typing.NDArray[numpy.intc], cone_friction: numpy.typing.NDArray[numpy.float64]) -> None: ...

def solve_lcps(problems: list[LcpProblem], starts: list[numpy.typing.NDArray[numpy.float64] | None], method: str, tolerance: float, max_iterations: int, relaxation: float, time_budget: float) -> list[tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], float, int, str, str]]:
    """
    Solves complementarity problems, several at a time on threads; kido.lcp prepares the arguments.

    Returns for each: x (n,), w (n,), the relative residual [-], iterations, status, message.
    """

def lcp_bounds_fit(lower: numpy.typing.NDArray[numpy.float64], upper: numpy.typing.NDArray[numpy.float64], friction_index: numpy.typing.NDArray[numpy.intc]) -> bool:
    """
    Whether bounds (n,) are in order, and those of friction finite and of rows with constant bounds, 0 or above.
    """

def lcp_is_symmetric(A: numpy.typing.NDArray[numpy.float64], tolerance: float) -> bool:
    """
    Whether A (n, n) is symmetric within a tolerance [-], relative to the roots of its diagonal.
    """

def lcp_residual(problem: LcpProblem, x: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], float]:
    """
    w (n,) = A x + b, the natural residual of each row (n,), and the relative one of all [-], at x (n,).
    """

def solve_quadratic_programs(H: numpy.typing.NDArray[numpy.float64], g: numpy.typing.NDArray[numpy.float64], A: numpy.typing.NDArray[numpy.float64], row_lower: numpy.typing.NDArray[numpy.float64], row_upper: numpy.typing.NDArray[numpy.float64], lower: numpy.typing.NDArray[numpy.float64], upper: numpy.typing.NDArray[numpy.float64], start: numpy.typing.NDArray[numpy.float64] | None, count: int, unknowns: int, rows: int, max_iterations: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.intc], numpy.typing.NDArray[numpy.intc], numpy.typing.NDArray[numpy.float64]]:
    """
    Solves quadratic programs, several at a time in lanes and on threads; kido.optimize prepares the arguments.

    Each argument has one row for each program, or one for all. Returns for each: x (n,), multipliers (n + m,) of bounds and
    rows, at which bounds they are (n + m,), a status, iterations, and the relative residual [-].
    """

def position_rates(tree: Tree, q: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """N (n, n) with dq/dt = N v, at positions q (n,)."""

class ScaledStep:
    """
    Velocities in a given direction, within limits; kido.ik prepares the arguments.
    """

    def __init__(self, *, time_step: float, positions: int, velocities: int, nominal: numpy.typing.NDArray[numpy.float64], gain: numpy.typing.NDArray[numpy.float64] | None, position: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None, velocity: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None, acceleration: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None, flags: numpy.typing.NDArray[numpy.float64], angular_speed: float, linear: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]], G: numpy.typing.NDArray[numpy.float64], rows: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]], unknowns: list[int], factors: list[float]) -> None: ...

    def solve(self, q: numpy.typing.NDArray[numpy.float64], v: numpy.typing.NDArray[numpy.float64], V: numpy.typing.NDArray[numpy.float64], J: numpy.typing.NDArray[numpy.float64], N: numpy.typing.NDArray[numpy.float64] | None, N_inverse: numpy.typing.NDArray[numpy.float64] | None) -> tuple[int, numpy.typing.NDArray[numpy.float64], float, tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None]:
        """
        Velocities (n,) for a Jacobian J (k, n) and a velocity V (k,).

        Returns a place among the members of QuadraticStatus, velocities, the scaling, and at which limits of positions, velocities, accelerations and rows
        they are, or None.
        """

    def solve_frame(self, frame: Frame, relative_to: Frame | None, robot: Frame, target: numpy.typing.ArrayLike, is_pose: bool) -> tuple[int, numpy.typing.NDArray[numpy.float64], float, tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None] | None:
        """
        The same of a frame, as another one sees it, where the state of a body's robot is: a twist (6,) or a pose (4, 4).

        None where the robot moves neither.
        """

    def solve_frames(self, frames: list[tuple[Frame, Frame | None, numpy.typing.ArrayLike, bool]], robot: Frame) -> tuple[int, numpy.typing.NDArray[numpy.float64], float, tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None] | None:
        """
        The same of several: frame, relative_to, target and whether it is a pose, of each.
        """

def write_pose(target: numpy.typing.NDArray[numpy.float64], T: numpy.typing.ArrayLike) -> None:
    """
    Writes a rigid transform (4, 4) into the numbers (12,) of a task, origin and axes by columns; raises where it is none.
    """

class VelocityStep:
    """
    Steps of differential inverse kinematics; kido.ik prepares the arguments.
    """

    def __init__(self, tree: Tree, dofs: list[tuple[int, float]], robot: Frame) -> None:
        """
        Of each dof the unknown that it moves with, -1: none, and its velocity for one of the unknown; a body of the robot.
        """

    @property
    def unknowns(self) -> int:
        """How many unknowns there are."""

    def forget(self) -> None:
        """The next step begins without the active constraints of the last."""

    def add_task(self, kind: str, level: int, rows: int, is_velocity: bool, frame: Frame | None, relative_to: Frame | None, numbers: numpy.typing.NDArray[numpy.float64], weight: numpy.typing.NDArray[numpy.float64], target: numpy.typing.NDArray[numpy.float64]) -> None:
        """
        A task, whose numbers are read where they stand, at every step.

        Level -1: an equation. Numbers: gain, damping, axis (3,), share; weight (rows,). Target: of a frame its origin and axes by columns (12,), or a
        twist (6,); of a posture positions (n,); of rows J (rows, n), J v (rows,) and errors (rows,); else (3,).
        """

    def set_limits(self, position_lower: numpy.typing.NDArray[numpy.float64] | None, position_upper: numpy.typing.NDArray[numpy.float64] | None, position_gain: float, velocity_lower: numpy.typing.NDArray[numpy.float64] | None, velocity_upper: numpy.typing.NDArray[numpy.float64] | None, acceleration: numpy.typing.NDArray[numpy.float64] | None) -> None:
        """
        Limits (n,) of all dofs, read where they stand, at every step; None where there are none.
        """

    def solve_state(self, limits: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None, time_step: float, damping: float, warm: bool) -> tuple[numpy.typing.NDArray[numpy.float64], int, int, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], bool] | None:
        """
        A step from where the robot stands; limits: G (1, m, n) and bounds (1, m) of G v.

        Returns velocities (n,), a place among the members of QuadraticStatus, iterations, errors of the tasks, at which limits the unknowns and
        G v are, and whether limits G were widened. None where the robot is another one now.
        """

    def solve_one(self, q: numpy.typing.NDArray[numpy.float64], v: numpy.typing.NDArray[numpy.float64], users: numpy.typing.NDArray[numpy.float64] | None, limits: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None, time_step: float, damping: float, warm: bool, equation_share: float) -> tuple[numpy.typing.NDArray[numpy.float64], int, int, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], bool]:
        """
        The same from positions and velocities (n,); equations have to hold for a share of what they ask for, in (0, 1].
        """

    def solve_states(self, q: numpy.typing.NDArray[numpy.float64], v: numpy.typing.NDArray[numpy.float64], users: numpy.typing.NDArray[numpy.float64] | None, limits: tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None, targets: list[numpy.typing.NDArray[numpy.float64] | None], time_step: float, damping: float) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.intc], numpy.typing.NDArray[numpy.intc], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.bool_]] | None:
        """
        The same from states (count, n); targets (count or 1, numbers) of tasks, None: their own.
        """

class PostureProgram:
    """Postures of trees under constraints; kido.ik prepares the arguments."""

    def __init__(self, trees: list[Tree], unknown: numpy.typing.NDArray[numpy.float64], factor: numpy.typing.NDArray[numpy.float64], offset: numpy.typing.NDArray[numpy.float64], leader: numpy.typing.NDArray[numpy.float64], lower: numpy.typing.NDArray[numpy.float64], upper: numpy.typing.NDArray[numpy.float64], fixed: numpy.typing.NDArray[numpy.float64], extra_lower: numpy.typing.NDArray[numpy.float64], extra_upper: numpy.typing.NDArray[numpy.float64], scale: numpy.typing.NDArray[numpy.float64]) -> None:
        """
        Of each dof of all trees: its unknown (-1: it stands still), its position factor * leader + offset, limits.

        fixed (trees, 4): mass and its first moment of bodies fixed to the world. scale: of each unknown and further number, a step of size 1.
        """

    @property
    def rows(self) -> int:
        """Rows of all constraints."""

    @property
    def unknowns(self) -> int:
        """Unknowns of dofs."""

    def add_term(self, kind: str, is_cost: bool, rows: int, frame: tuple[int, int, numpy.typing.NDArray[numpy.float64]], base: tuple[int, int, numpy.typing.NDArray[numpy.float64]], points: numpy.typing.NDArray[numpy.float64], matrix: numpy.typing.NDArray[numpy.float64], axis: numpy.typing.NDArray[numpy.float64], across: numpy.typing.NDArray[numpy.float64], target: numpy.typing.NDArray[numpy.float64], desired: numpy.typing.NDArray[numpy.float64], least: float, most: float, influence: float, lower: numpy.typing.NDArray[numpy.float64] | None, upper: numpy.typing.NDArray[numpy.float64] | None, weight: numpy.typing.NDArray[numpy.float64] | None, pairs: list[tuple[CollisionShape, tuple[int, int, numpy.typing.NDArray[numpy.float64]], CollisionShape, tuple[int, int, numpy.typing.NDArray[numpy.float64]]]], tree: int, extra: list[int], places: list[tuple[int, int, numpy.typing.NDArray[numpy.float64]]], custom: int) -> None:
        """
        A constraint or cost; posture_problem.hpp says what the numbers mean. Matrices are given row after row.
        """

    def solve(self, q: numpy.typing.NDArray[numpy.float64], extra: numpy.typing.NDArray[numpy.float64], max_iterations: int, max_escapes: int, tolerance: float, optimality: float, time_left: float, parts: object | None) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], float, float, float, float, int, int, str]:
        """
        One attempt from positions (dofs,) and further numbers.

        `parts` computes what native code does not know: users(tree, q) and custom(which, q, extra). Returns positions, further numbers, values
        of the rows, their multipliers, those of limits, cost, largest violation of rows, that of what users see, what is left of the gradient of
        the Lagrangian, iterations, evaluations, and the outcome as PostureStatus names it.
        """

    def look(self, q: numpy.typing.NDArray[numpy.float64], extra: numpy.typing.NDArray[numpy.float64], parts: object | None) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        At positions (dofs,) and further numbers: values of the rows, their derivatives by unknowns, bounds, costs of the terms, and
        the gradient of their sum.
        """

class Loop:
    """A chain of joints that is to close; kido.ik prepares it."""

    def __init__(self, tree: Tree, couplings: numpy.typing.ArrayLike) -> None:
        """
        An empty chain; couplings (num_dofs, 3): of each dof the variable that it follows, factor and offset [rad, m]. The rotation of
        a ball or free joint is Rz Ry Rx of the variables of its three dofs.
        """

    def fixed(self, transform: numpy.typing.ArrayLike) -> None:
        """Append a transform (4, 4) [m]."""

    def path(self, from_body: int, to_body: int) -> None:
        """
        Append the joints between two bodies, -1 being the world. Raises TypeError for joints that do not turn or slide.
        """

    def turn(self, axis: int, variable: int, scale: float) -> None:
        """Append a turn about an axis."""

    def slide(self, axis: int, variable: int, scale: float) -> None:
        """Append a translation along an axis."""

class LoopProver:
    """
    Whether loops can close within limits, by branch and bound; kido.ik prepares it.
    """

    def __init__(self, lower: numpy.typing.NDArray[numpy.float64], upper: numpy.typing.NDArray[numpy.float64], lever: float) -> None:
        """
        A problem without loops over variables with limits (n,) [rad, m]; a rotation of 1 rad counts as `lever` [m].
        """

    def add_loop(self, loop: Loop, closes_position: bool, closes_orientation: bool, radius: float, angle: float) -> None:
        """Add a chain that is to close within a radius [m] and an angle [rad]."""

    def add_row(self, variables: list[int], coefficients: numpy.typing.NDArray[numpy.float64], bound: float) -> None:
        """Add an upper bound of a sum of variables times coefficients."""

    def add_angle(self, variables: list[int], angle: float) -> None:
        """
        Add an upper bound [rad] of the rotation Rz(a) Ry(b) Rx(c) of three variables.
        """

    @property
    def used(self) -> list[int]:
        """Variables that move something."""

    def solve(self, *, start: numpy.typing.ArrayLike | None, time_budget: float, most_nodes: int, resolution: float, most_leaves: int, starts: int, seed: int, all_regions: bool) -> tuple[int, numpy.typing.NDArray[numpy.float64], float, int, numpy.typing.NDArray[numpy.float64]]:
        """
        Search for a posture, then prove that there is none.

        Returns the verdict (0 found, 1 infeasible, 2 undecided, 3 out of time, 4 out of nodes), the used variables at the posture that came
        nearest, the distance that it leaves [m], how many boxes were tested, and those that remain (m, 2 k), lower and upper limit of each.
        """

def binary_stl_points(data: bytes, count: int, scale: tuple[float, float, float]) -> tuple[numpy.typing.NDArray[numpy.float64], int]:
    """
    Corners (3 count, 3) of the first triangles of a binary STL file, times `scale` for each axis, and how many of them are not finite before that.
    """

def largest_magnitude(arg: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], /) -> float: ...

def first_bad_rotation(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu', writable=False)], tolerance: float) -> int: ...

def first_bad_transform(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], tolerance: float) -> int: ...

def rotation_defect(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 1), order='C', device='cpu')]) -> None: ...

def transform_defect(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 1), order='C', device='cpu')]) -> None: ...

def so3_exp(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu')]) -> None: ...

def so3_log(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu')]) -> None: ...

def so3_left_jacobian(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu')]) -> None: ...

def so3_right_jacobian(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu')]) -> None: ...

def so3_left_jacobian_inverse(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu')]) -> None: ...

def so3_right_jacobian_inverse(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu')]) -> None: ...

def se3_exp(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu')]) -> None: ...

def se3_log(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu')]) -> None: ...

def se3_left_jacobian(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def se3_right_jacobian(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def se3_left_jacobian_inverse(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def se3_right_jacobian_inverse(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def inverse_transform(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu')]) -> None: ...

def quaternion_to_matrix(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 4), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu')]) -> None: ...

def matrix_to_quaternion(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 4), order='C', device='cpu')]) -> None: ...

def euler_to_matrix(first: int, second: int, last: int, arg3: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu')]) -> None: ...

def matrix_to_euler(first: int, second: int, last: int, arg3: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu')]) -> None: ...

def hat(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu')]) -> None: ...

def vee(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu')]) -> None: ...

def adjoint(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def coadjoint(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def transform_motion(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu')]) -> None: ...

def transform_force(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu')]) -> None: ...

def motion_cross(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu')]) -> None: ...

def force_cross(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu')]) -> None: ...

def motion_cross_matrix(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def force_cross_matrix(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def spatial_inertia(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 1), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.float64], dict(shape=(None, 9), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...

def transform_inertia(arg0: Annotated[NDArray[numpy.float64], dict(shape=(None, 16), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, 36), order='C', device='cpu')]) -> None: ...
