#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "bound_frame.hpp"
#include "bound_tree.hpp"
#include "kido/ik/search_settings.hpp"
#include "kido/tree/joint.hpp"
#include "search_parts.hpp"
#include "topics.hpp"

#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

using Indices = std::vector<int>;

void make_settings(SearchSettings* self, double angular_tolerance, double linear_tolerance, double largest_step,
                   double damping, double least_damping, int iterations, int mirrors, int starts, std::uint64_t seed,
                   bool nearest, double time_budget) {
    new (self) SearchSettings{angular_tolerance, linear_tolerance, largest_step, damping, least_damping, iterations,
                              mirrors,           starts,           seed,         nearest, time_budget};
}

void read_six(const char* name, nb::handle value, double* out) {
    const std::vector<double> row = read_row(name, value, 6);
    std::copy(row.begin(), row.end(), out);
}

void make_pose(PoseRegion* self, nb::handle weights) {
    PoseRegion region{};
    read_six("weights", weights, region.weight);
    new (self) PoseRegion(region);
}

// Axes, the columns of a matrix (3, 3), one after the other.
void read_axes(nb::handle axes, double* out) {
    double R[9];
    read_numbers("axes", axes, 3, 3, "-", R);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) out[3 * column + row] = R[3 * row + column];
    }
}

PoseRegion make_bounds(nb::handle weights, nb::handle axes, bool in_target, nb::handle lower, nb::handle upper,
                       bool from_center) {
    PoseRegion region{};
    read_six("weights", weights, region.weight);
    read_six("lower", lower, region.low);  // may be infinite, as the highest
    read_six("upper", upper, region.high);
    read_axes(axes, region.axes);
    region.in_target = in_target;
    region.bounded = true;
    region.from_center = from_center;
    return region;
}

SearchTask some_task(TaskKind kind, int rows, int level, nb::handle moves, bool wished, bool own_step,
                     double damping, double clamp) {
    SearchTask made{};
    made.task.kind = kind;
    made.task.level = level;
    made.task.rows = rows;
    made.task.link = -1;
    made.task.wished = wished;
    made.task.own_step = own_step;
    made.task.damping = damping;
    made.task.clamp = clamp;
    made.moves = read_flags("moves", moves, -1);
    return made;
}

void put_on(SearchTask& made, const BoundTree& tree, int body, nb::handle point) {
    const Model& m = tree.model();
    if (body < 0 || body >= m.num_bodies) throw nb::index_error("body: expected one of the tree's");
    double T[16];
    read_numbers("point", point, 4, 4, "m", T);
    made.task.link = m.bodies[body].link;
    place_in_link(m.bodies[body], T, made.task.R, made.task.p);
}

SearchTask make_pose_task(const BoundTree& tree, int body, nb::handle point, const PoseRegion& region, int level,
                          nb::handle moves, bool wished, bool own_step,
                     double damping, double clamp) {
    SearchTask made = some_task(TaskKind::pose, 6, level, moves, wished, own_step, damping, clamp);
    put_on(made, tree, body, point);
    made.task.region = region;
    return made;
}

SearchTask make_gaze_task(const BoundTree& tree, int body, nb::handle point, nb::handle axis, double half_angle,
                          double weight, int level, nb::handle moves, bool wished, bool own_step,
                     double damping, double clamp) {
    SearchTask made = some_task(TaskKind::gaze, 3, level, moves, wished, own_step, damping, clamp);
    put_on(made, tree, body, point);
    const std::vector<double> direction = read_row("axis", axis, 3);
    write3(made.task.axis, mat3(made.task.R) * vec3(direction.data()));
    made.task.half_angle = half_angle;
    made.task.region.weight[0] = weight;
    return made;
}

SearchTask make_mass_task(nb::handle axes, bool in_target, nb::handle weights, double share, nb::handle fixed, int level,
                          nb::handle moves, bool wished, bool own_step, double damping, double clamp) {
    SearchTask made = some_task(TaskKind::center_of_mass, 3, level, moves, wished, own_step, damping, clamp);
    read_axes(axes, made.task.region.axes);
    made.task.region.in_target = in_target;
    const std::vector<double> three = read_row("weights", weights, 3);
    std::copy(three.begin(), three.end(), made.task.region.weight + 3);
    made.task.share = share;
    const std::vector<double> part = read_row("fixed", fixed, 3);
    std::copy(part.begin(), part.end(), made.task.fixed);
    return made;
}

SearchTask make_posture_task(std::vector<int> dofs, nb::handle positions, nb::handle weights, int level, nb::handle moves,
                             bool wished, bool own_step,
                     double damping, double clamp) {
    const npy_intp rows = static_cast<npy_intp>(dofs.size());
    SearchTask made = some_task(TaskKind::posture, static_cast<int>(rows), level, moves, wished, own_step, damping, clamp);
    made.dof = std::move(dofs);
    made.desired = read_row("positions", positions, rows);
    made.weight = read_row("weights", weights, rows);
    return made;
}

SearchTask make_custom_task(const BoundTree& tree, int body, nb::handle point, int rows, int level, nb::handle moves,
                            bool wished, bool own_step, double damping, double clamp, bool bounded) {
    if (rows < 0) throw nb::value_error("rows: expected 0 or more");
    SearchTask made = some_task(TaskKind::custom, rows, level, moves, wished, own_step, damping, clamp);
    made.task.region.bounded = bounded;
    put_on(made, tree, body, point);
    return made;
}

}  // namespace

#define TASK \
    nb::kw_only(), "level"_a, "moves"_a, "wished"_a = false, "own_step"_a = false, "damping"_a = -1.0, \
        "clamp"_a = std::numeric_limits<double>::infinity()
#define TASK_TYPES \
    "*, level: int, moves: " ARRAY ", wished: bool = False, own_step: bool = False, " \
    "damping: float = -1.0, clamp: float = ...) -> SearchTask"

void bind_search_parts(nb::module_& m) {
    nb::class_<SearchSettings>(m, "SearchSettings", "Settings of a native search; kido.ik.SearchSettings says what they mean.")
        .def("__init__", make_settings, nb::kw_only(), "angular_tolerance"_a, "linear_tolerance"_a, "largest_step"_a,
             "damping"_a, "least_damping"_a, "iterations"_a, "mirrors"_a, "starts"_a, "seed"_a, "nearest"_a,
             "time_budget"_a);
    nb::class_<PoseRegion>(m, "PoseRegion", "Poses that a native search wants: a target's, or those within bounds of it.")
        .def("__init__", make_pose, "weights"_a, nb::sig("def __init__(self, weights: " ARRAY ") -> None"),
             "The target's pose; weights (6,) of the error's components, the first three equal, and the last three.")
        .def_static("within", make_bounds, nb::kw_only(), "weights"_a, "axes"_a, "in_target"_a, "lower"_a, "upper"_a,
                    "from_center"_a,
                    nb::sig("def within(*, weights: " ARRAY ", axes: " ARRAY ", in_target: bool, lower: " ARRAY ", upper: " ARRAY
                            ", from_center: bool) -> PoseRegion"),
                    R"(Displacements between bounds (6,), angles first [rad, m], taken along axes, the columns of (3, 3).

in_target: whether the axes are in the target's coordinates, else in the world's; from_center: whether errors are taken from the middle of the bounds.)");
    nb::class_<SearchRanges>(m, "SearchRanges", "How far dofs may move, and where starts of a search are drawn from.")
        .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle>(), nb::kw_only(), "lower"_a, "upper"_a,
             "low_seed"_a, "high_seed"_a, "cyclic"_a,
             nb::sig("def __init__(self, *, lower: " ARRAY ", upper: " ARRAY ", low_seed: " ARRAY ", high_seed: " ARRAY
                     ", cyclic: " ARRAY ") -> None"),
             R"(Of k dofs: lowest and highest positions (k,) [rad, m], the range of further starts, and whether a whole
turn leads back.)");
    nb::class_<QuadraticPart>(m, "QuadraticObjective", "A quadratic function of the positions of some dofs.")
        .def(nb::init<Indices, nb::handle, nb::handle, nb::handle>(), "dofs"_a, "curvature"_a, "slope"_a, "center"_a,
             nb::sig("def __init__(self, dofs: list[int], curvature: " ARRAY ", slope: " ARRAY ", center: " ARRAY ") -> None"),
             R"(d.Hd / 2 + g.d at positions x, where d = x - center; curvature H (n, n), slope g (n,), center (n,).)");
    nb::class_<SearchTask>(m, "SearchTask",
                           R"(What a search in levels lowers.

level: its rank, 0 the first; moves (num_dofs,): whether a dof may move for it; wished: what remains of its error is no
failure; own_step: whether its gradient method has a step of its own, which `parts` of the search computes; damping: of an
error of 1 or more, below 0 that of the settings; clamp: most that a dof may move in one step [rad, m].)")
        .def_static("pose", make_pose_task, "tree"_a, "body"_a, "point"_a, "region"_a, TASK,
                    nb::sig("def pose(tree: Tree, body: int, point: " ARRAY ", region: PoseRegion, " TASK_TYPES),
                    "The frame at `point` (4, 4) [m] of a body comes into a region about its target.")
        .def_static("gaze", make_gaze_task, "tree"_a, "body"_a, "point"_a, "axis"_a, "half_angle"_a,
                    "weight"_a, TASK,
                    nb::sig("def gaze(tree: Tree, body: int, point: " ARRAY ", axis: " ARRAY
                            ", half_angle: float, weight: float, " TASK_TYPES),
                    R"(An axis (3,) of the frame at `point` (4, 4) [m] of a body aims at the target's origin, within half_angle
[rad].)")
        .def_static("center_of_mass", make_mass_task, "axes"_a, "in_target"_a, "weights"_a, "share"_a, "fixed"_a, TASK,
                    nb::sig("def center_of_mass(axes: " ARRAY ", in_target: bool, weights: " ARRAY ", share: float, fixed: " ARRAY ", " TASK_TYPES),
                    R"(The robot's center of mass comes to the target's origin, along axes, the columns of (3, 3), that have a
weight (3,) [-]; `in_target`: in the target's coordinates, else in the world's. It is that of the links times their `share` of all mass, plus the part (3,) of bodies that are fixed to
the world [m].)")
        .def_static("posture", make_posture_task, "dofs"_a, "positions"_a, "weights"_a, TASK,
                    nb::sig("def posture(dofs: list[int], positions: " ARRAY ", weights: " ARRAY ", " TASK_TYPES),
                    R"(Dofs come to positions (m,) [rad, m], each with its weight (m,) [-]. The angles of a rotation stand together,
in order.)")
        .def_static("custom", make_custom_task, "tree"_a, "body"_a, "point"_a, "rows"_a, TASK, "bounded"_a = false,
                    nb::sig("def custom(tree: Tree, body: int, point: " ARRAY ", rows: int, *, level: int, moves: " ARRAY
                            ", wished: bool = False, own_step: bool = False, damping: float = -1.0, clamp: float = ..., "
                            "bounded: bool = False) -> SearchTask"),
                    R"(What `parts` of the search computes, with so many rows; the frame at `point` (4, 4) [m] of a body tells how
large the robot is. bounded: whether `parts` knows bounds of what is measured, in place of an error that shall vanish.)");
}

}  // namespace kido
