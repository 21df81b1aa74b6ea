#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "bound_tree.hpp"
#include "hierarchy_search.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "search_parts.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

// A task for the solver; `target` is its pose, rotation by columns and position.
HierarchyTask solver_task(const Model& m, const SearchTask& given, const double* target) {
    if (given.body < 0 || given.body >= m.num_bodies) throw nb::index_error("body: expected one of the tree's");
    if (given.moves.size() != static_cast<std::size_t>(m.num_dofs)) throw nb::value_error("moves: expected one for each dof");
    const Body& body = m.bodies[given.body];
    HierarchyTask task{};
    task.link = body.link;
    task.level = given.level;
    place_in_link(body, given.point, task.R, task.p);
    std::copy_n(target, 12, task.target);
    task.moves = given.moves.data();
    task.region = given.region;
    return task;
}

nb::tuple solve(const BoundTree& tree, const std::vector<const SearchTask*>& given, nb::handle targets, nb::handle start,
                const SearchRanges& ranges, const SearchSettings& settings) {
    const Model& model = tree.model();
    const npy_intp count = static_cast<npy_intp>(given.size()), n = model.num_dofs;
    const std::vector<double> poses = read_targets(targets), from = read_row("start", start, n);
    if (poses.size() != 12 * given.size()) throw nb::value_error("targets: expected one for each task");
    if (ranges.dofs() != static_cast<std::size_t>(n)) throw nb::value_error("ranges: expected one for each dof");
    std::vector<unsigned char> moves(n, 0);
    std::vector<HierarchyTask> tasks;
    for (npy_intp i = 0; i < count; ++i) {
        tasks.push_back(solver_task(model, *given[i], poses.data() + 12 * i));
        for (npy_intp j = 0; j < n; ++j) moves[j] = moves[j] || tasks.back().moves[j];
    }
    HierarchyProblem p{};
    static_cast<SearchSettings&>(p) = settings;
    p.model = &model;
    p.tasks = tasks.data();
    p.num_tasks = static_cast<int>(count);
    p.num_levels = tasks.empty() ? 0 : tasks.back().level + 1;
    p.moves = moves.data();
    p.lower = ranges.lower.data();
    p.upper = ranges.upper.data();
    p.low_seed = ranges.low_seed.data();
    p.high_seed = ranges.high_seed.data();
    p.start = from.data();
    void* data[4];
    nb::object q = empty(NPY_DOUBLE, {n}, data[0]), angular = empty(NPY_DOUBLE, {count}, data[1]),
               linear = empty(NPY_DOUBLE, {count}, data[2]), reached = empty(NPY_BOOL, {count}, data[3]);
    HierarchyResult result = {static_cast<double*>(data[0]), static_cast<double*>(data[1]),
                              static_cast<double*>(data[2]), static_cast<unsigned char*>(data[3]), 0, 0};
    without_lock([&](StopSignal* stop) { search_hierarchy(p, result, stop); });
    return nb::make_tuple(q, angular, linear, reached, result.start, result.iterations);
}

}  // namespace

void bind_hierarchy_search(nb::module_& m) {
    m.def("solve_hierarchy", solve, "tree"_a, nb::kw_only(), "tasks"_a, "targets"_a, "start"_a, "ranges"_a, "settings"_a,
          nb::sig("def solve_hierarchy(tree: Tree, *, tasks: list[SearchTask], targets: " ARRAY ", start: " ARRAY
                  ", ranges: SearchRanges, settings: SearchSettings) -> tuple[" FLOATS ", " FLOATS ", " FLOATS
                  ", numpy.typing.NDArray[numpy.bool_], int, int]"),
          R"(Inverse kinematics of several frames in levels of priority; kido.ik prepares the arguments.

Tasks stand sorted by level, levels without gaps from 0; targets (t, 4, 4) [m], one for each; start (n,). Ranges are of
all dofs of the tree; where the ends of a range of starts are equal, those keep the given position.

Returns positions (n,), angular errors [rad], linear errors [m], whether reached (t,), which start, its iterations.)");
}

}  // namespace kido
