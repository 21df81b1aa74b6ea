#include <nanobind/stl/vector.h>

#include <vector>

#include "bound_tree.hpp"
#include "hierarchy_search.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

HierarchyTask read_task(const Model& m, int body, int level, const double* point, const double* target,
                        const double* region) {
    const Body& b = m.bodies[body];
    HierarchyTask task{};
    task.link = b.link;
    task.level = level;
    const double* T = point;
    const Mat3<double> R = mat3(b.R) * Mat3<double>{{T[0], T[4], T[8]}, {T[1], T[5], T[9]}, {T[2], T[6], T[10]}};
    write3(task.R, R.x);
    write3(task.R + 3, R.y);
    write3(task.R + 6, R.z);
    write3(task.p, vec3(b.p) + mat3(b.R) * Vec3<double>{T[3], T[7], T[11]});
    std::copy_n(target, 12, task.target);
    read_region(region, task.region);
    return task;
}

}  // namespace

void bind_hierarchy_search(nb::module_& m) {
    m.def(
        "solve_hierarchy",
        [](const BoundTree& tree, const std::vector<int>& bodies, const std::vector<int>& levels, nb::handle points,
           nb::handle targets, nb::handle regions, nb::handle movable, nb::handle start, nb::handle ranges, nb::handle settings,
           int iterations, int attempts, std::uint64_t seed, bool nearest) {
            const Model& model = tree.model();
            const npy_intp count = static_cast<npy_intp>(bodies.size()), n = model.num_dofs;
            const Table places = table("points", points, count, 16), goals = table("targets", targets, count, 12);
            const Table wanted = table("regions", regions, count, region_numbers), from = table("start", start, 1, n);
            const Table bounds = table("ranges", ranges, 4, n), numbers = table("settings", settings, 1, 6);
            const Table each = table("moves", movable, count, n);
            std::vector<unsigned char> moves(n, 0), own;
            for (npy_intp i = 0; i < count * n; ++i) own.push_back(each.data[i] != 0.0);
            std::vector<HierarchyTask> tasks;
            for (npy_intp i = 0; i < count; ++i) {
                tasks.push_back(read_task(model, bodies[i], levels[i], places.data + 16 * i, goals.data + 12 * i,
                                          wanted.data + region_numbers * i));
                tasks.back().moves = own.data() + i * n;
                for (npy_intp j = 0; j < n; ++j) moves[j] = moves[j] || tasks.back().moves[j];
            }
            HierarchyProblem p{};
            p.model = &model;
            p.tasks = tasks.data();
            p.num_tasks = static_cast<int>(count);
            p.num_levels = levels.empty() ? 0 : levels.back() + 1;
            p.moves = moves.data();
            p.lower = bounds.data;
            p.upper = bounds.data + n;
            p.low_seed = bounds.data + 2 * n;
            p.high_seed = bounds.data + 3 * n;
            p.start = from.data;
            p.angular_tolerance = numbers.data[0];
            p.linear_tolerance = numbers.data[1];
            p.largest_step = numbers.data[2];
            p.damping = numbers.data[3];
            p.least_damping = numbers.data[4];
            p.iterations = iterations;
            p.starts = attempts;
            p.seed = seed;
            p.nearest = nearest;
            p.time_budget = numbers.data[5];
            void* data[4];
            nb::object q = empty(NPY_DOUBLE, {n}, data[0]), angular = empty(NPY_DOUBLE, {count}, data[1]),
                       linear = empty(NPY_DOUBLE, {count}, data[2]), reached = empty(NPY_BOOL, {count}, data[3]);
            HierarchyResult result = {static_cast<double*>(data[0]), static_cast<double*>(data[1]),
                                      static_cast<double*>(data[2]), static_cast<unsigned char*>(data[3]), 0, 0};
            without_lock([&](StopSignal* stop) { search_hierarchy(p, result, stop); });
            return nb::make_tuple(q, angular, linear, reached, result.start, result.iterations);
        },
        "tree"_a, "bodies"_a, "levels"_a, "points"_a, "targets"_a, "regions"_a, "moves"_a, "start"_a, "ranges"_a, "settings"_a,
        "iterations"_a, "attempts"_a, "seed"_a, "nearest"_a,
        nb::sig("def solve_hierarchy(tree: Tree, bodies: list[int], levels: list[int], points: " ARRAY ", targets: " ARRAY
                ", regions: " ARRAY ", moves: " ARRAY ", start: " ARRAY ", ranges: " ARRAY ", settings: " ARRAY
                ", iterations: int, attempts: int, seed: int, nearest: bool) -> tuple[" FLOATS ", " FLOATS ", " FLOATS
                ", numpy.typing.NDArray[numpy.bool_], int, int]"),
        R"(Inverse kinematics of several points in levels of priority; kido.ik prepares the arguments.

One row a task, sorted by level, levels without gaps from 0: points (t, 16), targets (t, 12): rotation by columns, position,
regions (t, 29) as in solve_poses, moves (t, n): whether a dof may move for it. Start (1, n); ranges (4, n): lowest and highest position, range of further starts (where its
ends are equal, those keep the given position). Settings (1, 6): angular and linear tolerance,
largest step, damping, least damping, time budget [s].

Returns positions (n,), angular errors [rad], linear errors [m], whether reached (t,), which start, its iterations.)");
}

}  // namespace kido
