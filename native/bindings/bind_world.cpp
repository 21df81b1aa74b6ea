#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bound_world.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define BYTES "numpy.typing.NDArray[numpy.uint8]"
#define INTEGERS "numpy.typing.NDArray[numpy.int64]"

namespace kido {

using namespace nb::literals;

// A world as it stood at some time.
class WorldCopy {
public:
    explicit WorldCopy(BoundWorld& world) : world_(world.copy()) {}
    const NativeWorld& world() const { return *world_; }

private:
    std::shared_ptr<const NativeWorld> world_;
};

static int traverse_world(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<BoundWorld>(self)->surface_function());
    return 0;
}
static int clear_world(PyObject* self) {
    nb::inst_ptr<BoundWorld>(self)->forget_surfaces();
    return 0;
}
static PyType_Slot world_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_world)}, {Py_tp_clear, reinterpret_cast<void*>(clear_world)}, {0, nullptr}};

void bind_world(nb::module_& m) {
    nb::class_<WorldCopy>(m, "WorldCopy", "A world as it stood at some time.");
    nb::class_<BoundWorld>(m, "World", nb::type_slots(world_slots), "A world compiled to numbers: rigid bodies, skeletons, shapes.")
        .def(nb::init<>())
        .def("add_skeleton", &BoundWorld::add_skeleton, "tree"_a, "state"_a, "plain"_a, "whole"_a, "softs"_a = nb::list(),
             nb::keep_alive<1, 3>(),
             nb::sig("def add_skeleton(self, tree: Tree, state: State, plain: bool, whole: bool, softs: list[tuple[int, SoftState]] = []) -> int"),
             "Index of a skeleton; plain: nothing acts in its joints but forces; whole: its trees are simulated as one; softs: bodies and "
             "the point masses around them.")
        .def("set_loads", &BoundWorld::set_loads, "index"_a, "constants"_a, "actuators"_a, "wrenches"_a.none(), "limited"_a,
             nb::sig("def set_loads(self, index: int, constants: " FLOATS ", actuators: " BYTES ", wrenches: " FLOATS
                     " | None, limited: " BYTES ") -> None"),
             "What acts on a skeleton's dofs and bodies; the arrays are read at every step.")
        .def("set_couplings", &BoundWorld::set_couplings, "index"_a, "couplings"_a,
             nb::sig("def set_couplings(self, index: int, couplings: collections.abc.Sequence[tuple[int, int, float, float, bool]]) -> None"),
             "Dofs that follow others: follower, leader, ratio, offset, whether by a motor.")
        .def("add_collider", &BoundWorld::add_collider, "skeleton"_a, "body"_a, "shape"_a, "pose"_a, "surface"_a,
             "group"_a, "meets_own"_a, "parent"_a,
             nb::sig("def add_collider(self, skeleton: int, body: int, shape: CollisionShape, pose: " FLOATS
                     ", surface: " FLOATS ", group: int, meets_own: bool, parent: int) -> int"),
             "Index of a shape on a body (skeleton -1: on the world); pose (4, 4); surface (16,): friction, "
             "restitution, friction across, direction (3), slip, slip across, its velocity (3) and angular velocity (3) at the body's "
             "origin, rolling and torsional friction, in the body's axes; "
             "meets_own: whether it meets others of its group, but for those of body `parent` (-1: none).")
        .def("add_point_colliders", &BoundWorld::add_point_colliders, "skeleton"_a, "body"_a, "count"_a, "ball"_a, "surface"_a, "group"_a,
             "meets_own"_a, "with_faces"_a, "meets_itself"_a,
             nb::sig("def add_point_colliders(self, skeleton: int, body: int, count: int, ball: CollisionShape, surface: " FLOATS
                     ", group: int, meets_own: bool, with_faces: bool, meets_itself: bool) -> int"),
             "Index of the first of the balls around a body's points; behind them is its skin, if it is to have one and points have faces.")
        .def("set_surface_rules", &BoundWorld::set_surface_rules, "friction"_a, "restitution"_a, "rolling"_a,
             nb::sig("def set_surface_rules(self, friction: int, restitution: int, rolling: int) -> None"),
             "How surfaces of two shapes are combined: 0 minimum, 1 mean, 2 maximum, 3 product.")
        .def("set_surface_source", &BoundWorld::set_surface_source, "function"_a,
             nb::sig("def set_surface_source(self, function: collections.abc.Callable[[int, int], " FLOATS "]) -> None"),
             "A function of two colliders that begin to touch, which gives their combined surface (16,), in the axes of the first "
             "one's body.")
        .def("set_mask", &BoundWorld::set_mask, "collider"_a, "category"_a, "collides_with"_a,
             nb::sig("def set_mask(self, collider: int, category: int, collides_with: int) -> None"),
             "Bits of a shape; two shapes meet where each one's category has bits in common with what the other collides with.")
        .def("exclude", &BoundWorld::exclude, "first"_a, "second"_a, nb::sig("def exclude(self, first: int, second: int) -> None"),
             "Two shapes that never meet, before the first step.")
        .def("near_pairs", &BoundWorld::near_pairs, nb::sig("def near_pairs(self) -> tuple[" INTEGERS ", " FLOATS "]"),
             "Pairs to be tested for the next step, whose contacts are to be set before it: index of the pair, "
             "both colliders (n, 3); margin [m], poses (12,) of both (n, 25).")
        .def("set_contacts", &BoundWorld::set_contacts, "pair"_a, "points"_a, "size"_a, "single"_a,
             nb::sig("def set_contacts(self, pair: int, points: " FLOATS ", size: float, single: bool) -> None"),
             "What was found of a pair: normal, points on first and second, gap (n, 10); size of the smaller shape [m]; whether one point "
             "is kept.")
        .def("add_constraint", &BoundWorld::add_constraint, "first_skeleton"_a, "first_body"_a, "first_pose"_a,
             "second_skeleton"_a, "second_body"_a, "second_pose"_a, "held"_a, "length"_a.none(), "softness"_a,
             "pulls"_a, "pushes"_a,
             nb::sig("def add_constraint(self, first_skeleton: int, first_body: int, first_pose: " FLOATS
                     ", second_skeleton: int, second_body: int, second_pose: " FLOATS
                     ", held: tuple[bool, bool, bool, bool, bool, bool], length: float | None, softness: tuple[float, float, float, float]"
                     ", pulls: bool, pushes: bool) -> int"),
             "Index of a constraint between frames (12,) on two bodies; skeleton -1: the world.")
        .def("constraint_wrench", &BoundWorld::constraint_wrench, "index"_a,
             nb::sig("def constraint_wrench(self, index: int) -> " FLOATS),
             "Torque and force (6,) on the first body about its frame's origin in the last step, world axes.")
        .def("constraint_unmet", &BoundWorld::constraint_unmet, "index"_a, nb::sig("def constraint_unmet(self, index: int) -> bool"),
             "Whether a constraint could not be met for a while, and turned soft.")
        .def("constraint_error", &BoundWorld::constraint_error, "index"_a,
             nb::sig("def constraint_error(self, index: int) -> " FLOATS),
             "Errors (6,) at the present poses: linear, angular; of a distance: the first.")
        .def("add_gear", &BoundWorld::add_gear, "terms"_a, "offset"_a, "lower"_a, "upper"_a, "softness"_a,
             nb::sig("def add_gear(self, terms: list[tuple[int, int, float, bool]], offset: float, lower: float, upper: float, "
                     "softness: tuple[float, float, float, float]) -> int"),
             "Index of a sum of positions of dofs and an offset that vanishes; terms: skeleton, dof, factor, whether the force acts "
             "there; softness: stiffness, damping, frequency, damping ratio.")
        .def("add_rows", &BoundWorld::add_rows, "skeletons"_a, nb::sig("def add_rows(self, skeletons: list[int]) -> int"),
             "Index of a constraint whose rows are set before every step.")
        .def("set_rows", &BoundWorld::set_rows, "index"_a, "numbers"_a, "jacobians"_a, "softness"_a,
             nb::sig("def set_rows(self, index: int, numbers: " FLOATS ", jacobians: list[tuple[int, " FLOATS
                     "]], softness: tuple[float, float, float, float]) -> None"),
             "Rows of a constraint: error, speed, lower, upper, coupled row, coefficient (m, 6); Jacobians (m, num_dofs) of skeletons.")
        .def("row_numbers", &BoundWorld::row_numbers, "index"_a,
             nb::sig("def row_numbers(self, index: int) -> tuple[" FLOATS ", " FLOATS ", bool]"),
             "Forces and errors (m,) of rows in the last step; whether they could not be met.")
        .def("set_settings", &BoundWorld::set_settings, "step"_a, "gravity"_a, "longest_substep"_a, "sweeps"_a,
             "relaxing_sweeps"_a, "bounce_threshold"_a, "integrator"_a, "contact_frequency"_a, "contact_damping"_a, "push_speed"_a,
             nb::sig("def set_settings(self, step: float, gravity: " FLOATS
                     ", longest_substep: float, sweeps: int, relaxing_sweeps: int, bounce_threshold: float, integrator: int, contact_frequency: float, contact_damping: float"
                     ", push_speed: float) -> None"),
             "How steps are made, before the first.")
        .def("set_sleeping", &BoundWorld::set_sleeping, "after"_a, "linear"_a, "angular"_a,
             nb::sig("def set_sleeping(self, after: float, linear: float, angular: float) -> None"),
             "When islands fall asleep: once nothing in them was faster than this for a time [s, m/s, rad/s].")
        .def("is_asleep", &BoundWorld::is_asleep, "index"_a, "body"_a = -1,
             nb::sig("def is_asleep(self, index: int, body: int = -1) -> bool"),
             "Whether steps leave a skeleton, or the tree of one of its bodies, where it is, until something wakes it.")
        .def("wake", &BoundWorld::wake, "index"_a, "body"_a = -1, nb::sig("def wake(self, index: int, body: int = -1) -> None"),
             "Wake a skeleton, or the tree of one of its bodies, with its island.")
        .def("was_moved", &BoundWorld::was_moved, nb::sig("def was_moved(self) -> bool"),
             "Whether positions or velocities were set since the world took them.")
        .def("has_tree", &BoundWorld::has_tree, "index"_a, "tree"_a, nb::sig("def has_tree(self, index: int, tree: int) -> bool"),
             "Whether an articulation of the world is one of a skeleton's trees.")
        .def("moves_smoothly", &BoundWorld::moves_smoothly, "index"_a, nb::sig("def moves_smoothly(self, index: int) -> bool"),
             "Whether nothing touches, holds or drives a skeleton in the step that was prepared.")
        .def("accelerations", &BoundWorld::accelerations, "index"_a, "positions"_a, "velocities"_a,
             nb::sig("def accelerations(self, index: int, positions: " FLOATS ", velocities: " FLOATS ") -> " FLOATS),
             "Accelerations of a skeleton elsewhere (num_dofs,); NaN where an inertia is not positive.")
        .def("give_motion", &BoundWorld::give_motion, "index"_a, "positions"_a, "velocities"_a,
             nb::sig("def give_motion(self, index: int, positions: " FLOATS ", velocities: " FLOATS ") -> None"),
             "Where a skeleton that moves smoothly is at the end of the step.")
        .def("step_rows", &BoundWorld::step_rows, "share"_a, "push_speed"_a,
             nb::sig("def step_rows(self, share: float, push_speed: float) -> tuple[" INTEGERS ", " FLOATS ", int]"),
             "Rows of the step that was prepared: kind, first, second, part, normal, island, place (n, 7); lower, upper, correcting, "
             "keeping, softness, impulse (n, 6); how many islands.")
        .def("step_matrix", &BoundWorld::step_matrix, "island"_a, nb::sig("def step_matrix(self, island: int) -> " FLOATS),
             "How the rows of an island (n, n) answer impulses.")
        .def("give_impulses", &BoundWorld::give_impulses, "correcting"_a, "keeping"_a, "count"_a, "last"_a,
             nb::sig("def give_impulses(self, correcting: " FLOATS ", keeping: " FLOATS ", count: int, last: bool) -> bool"),
             "Impulses of all rows, instead of the stage solve; false where there are other rows now, which are to be solved.")
        .def("save", &BoundWorld::save, nb::sig("def save(self) -> bytes"), "All numbers that a step starts from.")
        .def("load", &BoundWorld::load, "numbers"_a, "moved"_a,
             nb::sig("def load(self, numbers: bytes, moved: list[int]) -> bool"),
             "Go to saved numbers of a world made alike, but for skeletons that were moved since; false where they do not fit.")
        .def("step", &BoundWorld::step, nb::sig("def step(self, count: int, /) -> bool"),
             "Make some steps; false where numbers were no longer finite.")
        .def("run_stages", &BoundWorld::run_stages, "first"_a, "last"_a,
             nb::sig("def run_stages(self, first: int, last: int) -> bool"),
             "Run stages of one step (0 detect, 1 accelerate, 2 prepare, 3 solve, 4 move), from `first` to `last`; false where "
             "numbers were no longer finite, and the step is cancelled.")
        .def("cancel_step", &BoundWorld::cancel_step, nb::sig("def cancel_step(self) -> None"),
             "End a step that was begun, before it moves.")
        .def("rollout", &BoundWorld::roll_out_commands, "commands"_a, "start"_a.none(), "threads"_a, "hold"_a, "every"_a,
             "accelerations"_a, "group_of_collider"_a, "groups"_a,
             nb::sig("def rollout(self, commands: " FLOATS ", start: " FLOATS
                     " | None, threads: int, hold: int, every: int, accelerations: bool, group_of_collider: list[int], groups: int) -> tuple["
                     FLOATS ", " FLOATS ", " FLOATS " | None, " FLOATS ", " INTEGERS ", " INTEGERS "]"),
             "Copies of the world under commands (samples, steps, dofs), from `start` (2, samples * dofs): positions, velocities, "
             "accelerations or None (samples, kept, dofs), wrenches of contacts on groups of colliders about the world's origin "
             "(samples, kept, groups, 6), counts of points (samples, kept, groups), steps done (samples,).")
        .def("contacts", &BoundWorld::contacts, "at_start"_a = false,
             nb::sig("def contacts(self, at_start: bool = False) -> tuple[" INTEGERS ", " FLOATS "]"),
             "Colliders (n, 2) that touch; points, normals, forces on the first, depths (n, 10); at_start: where the last "
             "step began.")
        .def("last_step", &BoundWorld::last_step, "index"_a,
             nb::sig("def last_step(self, index: int) -> tuple[" FLOATS ", " FLOATS ", " FLOATS "]"),
             "What acted on a skeleton: rows of its dofs (10, num_dofs), wrenches of contacts and constraints (num_bodies, 6), "
             "positions and velocities at the end (2, num_dofs).")
        .def_prop_ro("recorded", &BoundWorld::recorded, nb::sig("def recorded(self) -> float"),
                     "Duration of the last step [s]; 0 where there was none, or it failed.")
        .def("diverged", &BoundWorld::diverged, nb::sig("def diverged(self) -> tuple[int, int]"),
             "Skeleton and body whose numbers were not finite in the step that failed; -1: not known.")
        .def("counts", &BoundWorld::counts, nb::sig("def counts(self) -> dict[str, int]"), "What the solver has to do with.")
        .def("copy", [](BoundWorld& w) { return WorldCopy(w); }, nb::sig("def copy(self) -> WorldCopy"), "The present numbers.")
        .def("restore", [](BoundWorld& w, const WorldCopy& c) { w.restore(c.world()); }, "copy"_a,
             nb::sig("def restore(self, copy: WorldCopy) -> None"),
             "Go back to a copy, after the states of the skeletons were.")
        .def_prop_ro("steps", &BoundWorld::steps, "How many steps were made.");
}

}  // namespace kido
