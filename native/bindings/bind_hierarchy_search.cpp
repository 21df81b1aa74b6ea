#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

#include "bound_tree.hpp"
#include "hierarchy_search.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "search_parts.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"
#define END "tuple[" FLOATS ", " FLOATS ", " FLOATS ", numpy.typing.NDArray[numpy.bool_], int, int, float]"

namespace kido {

using namespace nb::literals;

namespace {

// Parts that users write, asked through an object of Python. What it raises ends the search.
class PythonParts : public TaskParts {
public:
    PythonParts(nb::handle parts, const HierarchyProblem& p)
        : p_(p), place_(parts.attr("place")), error_(parts.attr("error")), jacobian_(parts.attr("jacobian")),
          bounds_(parts.attr("bounds")), step_(parts.attr("step")), objective_(parts.attr("objective")), is_length_(parts.attr("is_length")) {}

    void rethrow() const {
        if (raised_) std::rethrow_exception(raised_);
    }

    bool place(const double* positions) override {
        return tried([&] { place_(array({p_.model->num_dofs}, positions)); });
    }
    bool error(int task, double* error, double* angular, double* linear) override {
        return tried([&] {
            const nb::tuple got = nb::cast<nb::tuple>(error_(task));
            if (got.size() != 3) throw nb::value_error("parts: expected error, angle and distance");
            copy(got[0], p_.tasks[task].rows, error);
            *angular = nb::cast<double>(got[1]);
            *linear = nb::cast<double>(got[2]);
        });
    }
    bool jacobian(int task, double* rows) override {
        return tried([&] { copy(jacobian_(task), p_.tasks[task].rows * p_.model->num_dofs, rows); });
    }
    bool bounds(int task, double* rows, double* low, double* high) override {
        const int count = p_.tasks[task].rows;
        return tried([&] {
            const nb::tuple got = nb::cast<nb::tuple>(bounds_(task));
            if (got.size() != 3) throw nb::value_error("parts: expected derivative, lowest and highest change");
            copy(got[0], count * p_.model->num_dofs, rows);
            copy(got[1], count, low);
            copy(got[2], count, high);
        });
    }
    bool step(int task, const double* error, const double* jacobian, double* velocities) override {
        const npy_intp rows = p_.tasks[task].rows, n = p_.model->num_dofs;
        return tried([&] {
            if (error) {
                copy(step_(task, array({rows}, error), array({rows, n}, jacobian)), n, velocities);
            } else {
                copy(step_(task, nb::none(), nb::none()), n, velocities);
            }
        });
    }
    bool objective(double* value, double* gradient) override {
        return tried([&] {
            const nb::tuple got = nb::cast<nb::tuple>(objective_());
            if (got.size() != 2) throw nb::value_error("parts: expected value and gradient");
            *value = nb::cast<double>(got[0]);
            copy(got[1], p_.model->num_dofs, gradient);
        });
    }
    bool is_length(int task, unsigned char* rows) override {
        return tried([&] {
            const std::vector<unsigned char> flags = read_flags("is_length", is_length_(task), p_.tasks[task].rows);
            std::copy(flags.begin(), flags.end(), rows);
        });
    }

private:
    template <class Call>
    bool tried(const Call& call) noexcept {
        try {
            call();
            return true;
        } catch (...) {
            raised_ = std::current_exception();
            return false;
        }
    }

    static nb::object array(std::initializer_list<npy_intp> shape, const double* numbers) {
        void* data;
        nb::object made = empty(NPY_DOUBLE, shape, data);
        std::size_t count = 1;
        for (const npy_intp extent : shape) count *= static_cast<std::size_t>(extent);
        std::copy_n(numbers, count, static_cast<double*>(data));
        return made;
    }

    static void copy(nb::handle array, int count, double* out) {
        const nb::object owner = doubles(array);
        auto* numbers = reinterpret_cast<PyArrayObject*>(owner.ptr());
        if (PyArray_SIZE(numbers) != count) throw nb::value_error("parts: expected as many numbers as the task has");
        std::copy_n(static_cast<const double*>(PyArray_DATA(numbers)), count, out);
    }

    const HierarchyProblem& p_;
    const nb::object place_, error_, jacobian_, bounds_, step_, objective_, is_length_;
    std::exception_ptr raised_;
};

// Where a start ended, as arrays.
struct End {
    End(npy_intp dofs, npy_intp tasks)
        : positions(empty(NPY_DOUBLE, {dofs}, data[0])), angular(empty(NPY_DOUBLE, {tasks}, data[1])),
          linear(empty(NPY_DOUBLE, {tasks}, data[2])), reached(empty(NPY_BOOL, {tasks}, data[3])) {}

    HierarchyEnd places() const {
        return {static_cast<double*>(data[0]), static_cast<double*>(data[1]), static_cast<double*>(data[2]),
                static_cast<unsigned char*>(data[3]), 0, 0, 0.0};
    }
    nb::object tuple(const HierarchyEnd& end) const {
        return nb::make_tuple(positions, angular, linear, reached, end.start, end.iterations, end.stationarity);
    }

    void* data[4];
    nb::object positions, angular, linear, reached;
};

// A region whose errors are taken from its edges, which are a little within its own: what comes to rest on them has no error from
// the middle either.
void use_edges(PoseRegion& g) {
    constexpr double within = 1e-6;  // [rad, m]
    g.from_center = false;
    for (int k = 0; k < 6; ++k) {
        const double width = g.high[k] - g.low[k];
        if (!std::isfinite(width)) continue;
        g.low[k] += std::min(within, 0.25 * width);
        g.high[k] -= std::min(within, 0.25 * width);
    }
}

// Tasks for the solver, whose targets are rows of 12 numbers; `moves` becomes whether a dof may for some task. Where an objective is
// lowered, it decides where in a region to be, and errors from the middle would jump at the bounds.
std::vector<HierarchyTask> solver_tasks(const std::vector<const SearchTask*>& given, const double* targets, int links,
                                        bool lowers, std::vector<unsigned char>& moves) {
    std::vector<HierarchyTask> tasks;
    int row = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const SearchTask& made = *given[i];
        if (made.moves.size() != moves.size()) throw nb::value_error("moves: expected one for each dof");
        const int last = i == 0 ? -1 : given[i - 1]->task.level, level = made.task.level;
        if (level != last + 1 && (i == 0 || level != last)) throw nb::value_error("level: expected tasks sorted by level, from 0 and without gaps");
        if (made.task.kind != TaskKind::posture && made.task.link >= links) throw nb::index_error("body: expected one of the tree's");
        for (int dof : made.dof) {
            if (dof < 0 || dof >= static_cast<int>(moves.size())) throw nb::index_error("dofs: expected those of the tree");
        }
        HierarchyTask task = made.task;
        task.row = row;
        row += task.rows;
        std::copy_n(targets + 12 * i, 12, task.target);
        if (lowers && task.region.from_center) use_edges(task.region);
        task.moves = made.moves.data();
        task.dof = made.dof.data();
        task.desired = made.desired.data();
        task.weight = made.weight.data();
        for (std::size_t j = 0; j < moves.size(); ++j) moves[j] = moves[j] || task.moves[j];
        tasks.push_back(task);
    }
    return tasks;
}

// The limits of coordinates of ball and free joints that may move for an objective.
struct CoordinateLimits {
    std::vector<int> dofs;
    std::vector<unsigned char> moves;

    CoordinateLimits(const Model& model, const std::vector<unsigned char>& lowered, const SearchRanges& ranges)
        : moves(model.num_dofs, 0) {
        for (int j = 0; j < static_cast<int>(lowered.size()); ++j) {
            const JointKind kind = model.links[model.dof_link[j]].kind;
            const bool is_limited = std::isfinite(ranges.lower[j]) || std::isfinite(ranges.upper[j]);
            if (lowered[j] && is_limited && (kind == JointKind::ball || kind == JointKind::free)) dofs.push_back(j);
        }
    }

    HierarchyTask task_after(const HierarchyTask& last) const {
        HierarchyTask task{};
        task.kind = TaskKind::limits;
        task.level = last.level;
        task.row = last.row + last.rows;
        task.rows = static_cast<int>(dofs.size());
        task.link = -1;
        task.damping = -1.0;
        task.clamp = std::numeric_limits<double>::infinity();
        task.moves = moves.data();
        task.dof = dofs.data();
        return task;
    }
};

std::vector<QuadraticObjective> solver_objectives(const std::vector<const QuadraticPart*>& given, npy_intp dofs) {
    std::vector<QuadraticObjective> objectives;
    for (const QuadraticPart* part : given) {
        for (int dof : part->dof) {
            if (dof < 0 || dof >= dofs) throw nb::index_error("dofs: expected those of the tree");
        }
        objectives.push_back(part->objective());
    }
    return objectives;
}

// Runs while Python is held: the parts need it at every step.
class HeldCall : public StopSignal {
private:
    bool ask() override { return PyErr_CheckSignals() != 0; }
};

void search(const HierarchyProblem& p, HierarchyResult& result, nb::handle parts) {
    if (parts.is_none()) {
        without_lock([&](StopSignal* stop) { search_hierarchy(p, result, stop); });
        return;
    }
    PythonParts own(parts, p);
    HierarchyProblem with_parts = p;
    with_parts.parts = &own;
    HeldCall call;
    search_hierarchy(with_parts, result, &call);
    own.rethrow();
    if (call.is_set()) throw nb::python_error();
}

nb::tuple solve(const BoundTree& tree, const std::vector<const SearchTask*>& given, nb::handle targets, nb::handle start,
                const SearchRanges& ranges, const SearchSettings& settings, nb::handle parts, nb::handle lowers,
                bool asks_objective, const std::vector<const QuadraticPart*>& quadratics, nb::handle largest_change) {
    const Model& model = tree.model();
    const npy_intp count = static_cast<npy_intp>(given.size()), n = model.num_dofs;
    const std::vector<double> poses = read_targets(targets), from = read_row("start", start, n);
    if (poses.size() != 12 * given.size()) throw nb::value_error("targets: expected one for each task");
    if (ranges.dofs() != static_cast<std::size_t>(n)) throw nb::value_error("ranges: expected one for each dof");
    std::vector<unsigned char> moves(n, 0);
    std::vector<HierarchyTask> tasks = solver_tasks(given, poses.data(), model.num_links, !lowers.is_none(), moves);
    const std::vector<unsigned char> lowered =
        lowers.is_none() ? std::vector<unsigned char>() : read_flags("lowers", lowers, n);
    const CoordinateLimits limits(model, lowered, ranges);
    if (!limits.dofs.empty() && !tasks.empty()) tasks.push_back(limits.task_after(tasks.back()));
    const std::vector<QuadraticObjective> known = solver_objectives(quadratics, n);
    const bool asks = asks_objective || std::any_of(tasks.begin(), tasks.end(), [](const HierarchyTask& task) {
        return task.kind == TaskKind::custom || task.own_step;
    });
    if (asks && parts.is_none()) throw nb::value_error("parts: expected what computes custom tasks and steps");
    const std::vector<double> change =
        largest_change.is_none() ? std::vector<double>() : read_row("largest_change", largest_change, n);
    HierarchyProblem p{};
    static_cast<SearchSettings&>(p) = settings;
    p.model = &model;
    p.tasks = tasks.data();
    p.num_tasks = static_cast<int>(tasks.size());
    p.num_told = static_cast<int>(count);
    p.num_levels = tasks.empty() ? 0 : tasks.back().level + 1;
    p.num_rows = tasks.empty() ? 0 : tasks.back().row + tasks.back().rows;
    p.moves = moves.data();
    p.lower = ranges.lower.data();
    p.upper = ranges.upper.data();
    p.low_seed = ranges.low_seed.data();
    p.high_seed = ranges.high_seed.data();
    p.cyclic = ranges.cyclic.data();
    p.start = from.data();
    p.largest_change = change.empty() ? nullptr : change.data();
    p.has_objective = !lowers.is_none();
    p.asks_objective = asks_objective;
    p.quadratics = known.data();
    p.num_quadratics = static_cast<int>(known.size());
    p.lowers = lowered.data();
    p.native_motion = model.num_user_links == 0;
    const End best(n, count), connected(n, count);
    HierarchyResult result{best.places(), false, connected.places()};
    search(p, result, asks ? parts : nb::handle(nb::none()));
    return nb::make_tuple(best.tuple(result.best),
                          result.elsewhere ? connected.tuple(result.connected) : nb::object(nb::none()), result.timed_out);
}

}  // namespace

void bind_hierarchy_search(nb::module_& m) {
    m.def("solve_hierarchy", solve, "tree"_a, nb::kw_only(), "tasks"_a, "targets"_a, "start"_a, "ranges"_a, "settings"_a,
          "parts"_a.none() = nb::none(), "lowers"_a.none() = nb::none(), "asks_objective"_a = false,
          "quadratics"_a = std::vector<const QuadraticPart*>(), "largest_change"_a.none() = nb::none(),
          nb::sig("def solve_hierarchy(tree: Tree, *, tasks: list[SearchTask], targets: " ARRAY ", start: " ARRAY
                  ", ranges: SearchRanges, settings: SearchSettings, parts: object | None = None, lowers: " ARRAY
                  " | None = None, asks_objective: bool = False, quadratics: list[QuadraticObjective] = []"
                  ", largest_change: " ARRAY " | None = None) -> tuple[" END ", " END
                  " | None, bool]"),
          R"(Inverse kinematics of several tasks in levels of priority; kido.ik prepares the arguments.

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
way, where the best is another one, and whether the time budget ended the search.)");
}

}  // namespace kido
