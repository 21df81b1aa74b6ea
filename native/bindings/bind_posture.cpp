#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "bound_shape.hpp"
#include "bound_tree.hpp"
#include "instruction_set.hpp"
#include "kido/ik/posture_problem.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "result_arrays.hpp"
#include "search_parts.hpp"
#include "topics.hpp"
#include "working_block.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define PLACE "tuple[int, int, " FLOATS "]"

namespace kido {

using namespace nb::literals;

namespace {

using Place = std::tuple<int, int, nb::object>;  // tree, body (-1: the world), pose (4, 4) in it
using Pair = std::tuple<const BoundShape*, Place, const BoundShape*, Place>;

constexpr const char* kKinds[] = {"points", "orientation", "turn", "direction", "sight", "chord", "sight_chord", "distance",
                                  "center_of_mass", "positions", "posture", "shapes", "nearest", "balance", "friction", "force", "torque", "custom"};

constexpr const char* kOutcomes[] = {"solved", "infeasible", "stalled", "max_iterations", "time_out", "failed", "stopped"};  // as PostureStatus

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class HeldCall : public StopSignal {
private:
    bool ask() override { return PyErr_CheckSignals() != 0; }
};

// Functions and joints that users write. What they raise ends the call.
class AskedParts : public PostureParts {
public:
    AskedParts(nb::handle parts, const PostureProgram& program) : p_(program), users_(parts.attr("users")), custom_(parts.attr("custom")) {}

    void rethrow() const {
        if (raised_) std::rethrow_exception(raised_);
    }
    bool users(int tree, const double* q, double* numbers) override {
        const Model& m = *p_.trees[tree].model;
        return tried([&] { read(users_(tree, array(m.num_dofs, q)), static_cast<npy_intp>(user_numbers(m)), numbers); });
    }
    bool custom(int which, const double* q, const double* extra, double* values, double* slopes) override {
        int rows = 1;
        for (int t = 0; t < p_.num_terms; ++t) {
            if (p_.terms[t].kind == PostureTermKind::custom && p_.terms[t].custom == which) rows = p_.terms[t].rows;
        }
        return tried([&] {
            const nb::tuple got = nb::cast<nb::tuple>(custom_(which, array(p_.dofs, q), array(p_.extras, extra)));
            if (got.size() != 2) throw nb::value_error("parts: expected values and derivatives");
            read(got[0], rows, values);
            read(got[1], static_cast<npy_intp>(rows) * (p_.dofs + p_.extras), slopes);
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
    static nb::object array(npy_intp count, const double* numbers) {
        nb::object made = row_of(count);
        std::copy_n(numbers, count, numbers_of(made));
        return made;
    }
    static void read(nb::handle given, npy_intp count, double* to) {
        const nb::object owner = doubles(given);
        auto* numbers = reinterpret_cast<PyArrayObject*>(owner.ptr());
        if (PyArray_SIZE(numbers) != count) throw nb::value_error("parts: expected as many numbers as the function has");
        std::copy_n(static_cast<const double*>(PyArray_DATA(numbers)), count, to);
    }

    const PostureProgram& p_;
    const nb::object users_, custom_;
    std::exception_ptr raised_;
};

// A problem as Python has prepared it. Terms and trees do not change once they are added; several threads may solve it.
class BoundPosture {
public:
    BoundPosture(const nb::list& trees, nb::handle unknown, nb::handle factor, nb::handle offset, nb::handle leader, nb::handle lower,
                 nb::handle upper, nb::handle fixed, nb::handle extra_lower, nb::handle extra_upper, nb::handle scale)
        : owners_(trees) {
        const Table moments = table("fixed", fixed, 4);
        if (moments.rows != static_cast<npy_intp>(nb::len(trees))) throw nb::value_error("fixed: expected one row for each tree");
        int dofs = 0;
        for (std::size_t t = 0; t < nb::len(trees); ++t) {
            const Model& m = nb::cast<const BoundTree&>(trees[t]).model();
            const double* row = moments.data + 4 * t;
            trees_.push_back({&m, dofs, row[0], {row[1], row[2], row[3]}});
            dofs += m.num_dofs;
        }
        factor_ = read_row("factor", factor, dofs);
        offset_ = read_row("offset", offset, dofs);
        lower_ = read_row("lower", lower, dofs);
        upper_ = read_row("upper", upper, dofs);
        unknown_ = integers("unknown", unknown, dofs);
        leader_ = integers("leader", leader, dofs);
        int unknowns = 0;
        for (const int u : unknown_) unknowns = std::max(unknowns, u + 1);
        for (const int d : leader_) require_index("leader", d, dofs);
        extra_lower_ = read_row("extra_lower", extra_lower, -1);
        const auto extras = static_cast<npy_intp>(extra_lower_.size());
        extra_upper_ = read_row("extra_upper", extra_upper, extras);
        scale_ = read_row("scale", scale, unknowns + extras);
        p_.num_trees = static_cast<int>(trees_.size());
        p_.dofs = dofs;
        p_.unknowns = unknowns;
        p_.extras = static_cast<int>(extras);
    }

    void add_term(const std::string& kind, bool is_cost, int rows, const Place& frame, const Place& base, nb::handle points, nb::handle matrix,
                  nb::handle axis, nb::handle across, nb::handle target, nb::handle desired, double least, double most, double influence,
                  nb::handle lower, nb::handle upper, nb::handle weight, const std::vector<Pair>& pairs, int tree,
                  const std::vector<int>& extra, const std::vector<Place>& places, int custom) {
        PostureTerm t{};
        const auto* found = std::find(std::begin(kKinds), std::end(kKinds), kind);
        if (found == std::end(kKinds)) throw nb::value_error(("kind: unknown one " + kind).c_str());
        t.kind = static_cast<PostureTermKind>(found - std::begin(kKinds));
        const bool has_places = t.kind == PostureTermKind::balance || t.kind == PostureTermKind::torque;
        if (has_places && tree < 0) throw nb::value_error("tree: expected one");
        if (tree >= 0) require_index("tree", tree, trees_.size());
        t.tree = tree;
        t.is_cost = is_cost;
        t.rows = rows;
        t.frame = place(frame);
        t.base = place(base);
        const std::vector<double>& numbers = keep("points", points, -1);
        t.num_points = static_cast<int>(numbers.size() / 3);
        t.point = numbers.data();
        t.matrix = keep("matrix", matrix, matrix_size(t)).data();
        std::copy_n(keep("axis", axis, 3).data(), 3, t.axis);
        std::copy_n(keep("across", across, 6).data(), 6, t.across);
        std::copy_n(keep("target", target, 3).data(), 3, t.target);
        t.desired = keep("desired", desired, t.kind == PostureTermKind::posture ? p_.dofs : 0).data();
        t.least = least;
        t.most = most;
        t.influence = influence;
        t.lower = optional("lower", lower, rows);
        t.upper = optional("upper", upper, rows);
        set_weight(t, weight);
        set_pairs(t, pairs);
        for (const int e : extra) require_index("extra", e + 2, extra_lower_.size());
        if ((t.kind == PostureTermKind::friction || t.kind == PostureTermKind::force) && extra.size() != 1) throw nb::value_error("extra: expected one");
        if (has_places && extra.size() != places.size()) throw nb::value_error("places: expected one for each force");
        if (has_places) t.num_points = static_cast<int>(places.size());
        extras_.push_back(extra);
        t.extra = extras_.back().data();
        places_.emplace_back();
        for (const Place& one : places) places_.back().push_back(place(one));
        t.places = places_.back().data();
        t.custom = custom;
        t.first_row = is_cost ? p_.cost_rows : p_.rows;
        (is_cost ? p_.cost_rows : p_.rows) += rows;
        terms_.push_back(t);
    }

    int rows() const { return p_.rows; }

    nb::tuple solve(nb::handle q, nb::handle extra, int max_iterations, int max_escapes, double tolerance, double optimality, double time_left, nb::handle parts) {
        const PostureProgram p = program();
        const nb::object positions = row_copy("q", q, p.dofs), forces = row_copy("extra", extra, p.extras);
        const nb::object values = row_of(p.rows), multipliers = row_of(p.rows), bounds = row_of(p.all());
        PostureAttempt attempt{};
        attempt.q = numbers_of(positions);
        attempt.extra = numbers_of(forces);
        attempt.values = numbers_of(values);
        attempt.multipliers = numbers_of(multipliers);
        attempt.bound_multipliers = numbers_of(bounds);
        const PostureSettings settings = {max_iterations, max_escapes, tolerance, optimality, seconds() + time_left, &seconds};
        run(p, parts, [&](const PostureProgram& own, StopSignal* stop, void* memory) {
            active_kernels().posture.solve(own, attempt, settings, stop, memory);
        });
        return nb::make_tuple(positions, forces, values, multipliers, bounds, attempt.cost, attempt.violation, attempt.shown,
                              attempt.stationarity, attempt.iterations, attempt.evaluations, kOutcomes[static_cast<int>(attempt.status)]);
    }

    nb::tuple look(nb::handle q, nb::handle extra, nb::handle parts) {
        const PostureProgram p = program();
        const nb::object positions = row_copy("q", q, p.dofs), forces = row_copy("extra", extra, p.extras);
        const nb::object values = row_of(p.rows), lower = row_of(p.rows), upper = row_of(p.rows), gradient = row_of(p.all());
        const nb::object slopes = floats(p.rows, p.all()), cost = row_of(p.num_terms);
        const PostureValues out = {numbers_of(values), numbers_of(slopes), numbers_of(lower),
                                   numbers_of(upper), numbers_of(cost),   numbers_of(gradient)};
        run(p, parts, [&](const PostureProgram& own, StopSignal*, void* memory) {
            active_kernels().posture.look(own, numbers_of(positions), numbers_of(forces), out, memory);
        });
        return nb::make_tuple(values, slopes, lower, upper, cost, gradient);
    }

    int unknowns() const { return p_.unknowns; }

private:
    template <class Work>
    void run(const PostureProgram& p, nb::handle parts, const Work& work) {
        WorkingBlock memory;
        void* block = memory.at_least(active_kernels().posture.bytes(p));
        if (parts.is_none()) {
            without_lock([&](StopSignal* stop) { work(p, stop, block); });
            return;
        }
        AskedParts own(parts, p);
        PostureProgram with_parts = p;
        with_parts.parts = &own;
        HeldCall call;
        work(with_parts, &call, block);
        own.rethrow();
        if (call.is_set()) throw nb::python_error();
    }

    PostureProgram program() const {
        PostureProgram p = p_;
        p.trees = trees_.data();
        p.unknown = unknown_.data();
        p.leader = leader_.data();
        p.factor = factor_.data();
        p.offset = offset_.data();
        p.lower = lower_.data();
        p.upper = upper_.data();
        p.extra_lower = extra_lower_.data();
        p.extra_upper = extra_upper_.data();
        p.scale = scale_.data();
        p.terms = terms_.data();
        p.num_terms = static_cast<int>(terms_.size());
        p.parts = nullptr;
        p.distance = active_kernels().geometry.distance;
        return p;
    }

    npy_intp matrix_size(const PostureTerm& t) const {
        switch (t.kind) {
            case PostureTermKind::points: return 3 * static_cast<npy_intp>(t.rows) * t.num_points;
            case PostureTermKind::distance: return 3 * static_cast<npy_intp>(t.is_cost ? t.rows : t.rows - 1);
            case PostureTermKind::center_of_mass: return 3 * static_cast<npy_intp>(t.rows);
            case PostureTermKind::positions: return static_cast<npy_intp>(t.rows) * p_.dofs;
            case PostureTermKind::torque: return static_cast<npy_intp>(t.rows) * (2 * trees_[t.tree].model->num_dofs + 1);
            default: return 0;
        }
    }

    PosturePlace place(const Place& given) const {
        const auto& [tree, body, T] = given;
        PosturePlace out{tree, -1, {}, {}};
        const Body world{-1, Offset::none, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
        const std::vector<double> pose = matrix(T);
        if (body < 0) {
            place_in_link(world, pose.data(), out.R, out.p);
            return out;
        }
        require_index("tree", tree, trees_.size());
        const Model& m = *trees_[tree].model;
        require_index("body", body, m.num_bodies);
        out.link = m.bodies[body].link;
        place_in_link(m.bodies[body], pose.data(), out.R, out.p);
        return out;
    }

    static std::vector<double> matrix(nb::handle T) {
        const Table rows = table("pose", T, 4);
        if (rows.rows != 4) throw nb::value_error("pose: expected shape (4, 4)");
        return {rows.data, rows.data + 16};
    }

    static std::vector<int> integers(const char* name, nb::handle given, npy_intp count) {
        std::vector<int> out;
        for (const double x : read_row(name, given, count)) out.push_back(static_cast<int>(x));
        return out;
    }

    const std::vector<double>& keep(const char* name, nb::handle given, npy_intp count) {
        numbers_.push_back(read_row(name, given, count));
        return numbers_.back();
    }
    const double* optional(const char* name, nb::handle given, npy_intp count) {
        return given.is_none() ? nullptr : keep(name, given, count).data();
    }
    void set_weight(PostureTerm& t, nb::handle weight) {
        if (weight.is_none()) return;
        const std::vector<double>& w = keep("weight", weight, -1);
        const auto rows = static_cast<std::size_t>(t.rows);
        if (w.size() != rows && w.size() != rows * rows) throw nb::value_error("weight: expected one for each row, or a matrix");
        t.diagonal = w.size() == rows;
        t.weight = w.data();
    }
    void set_pairs(PostureTerm& t, const std::vector<Pair>& pairs) {
        if (t.kind == PostureTermKind::shapes && pairs.size() != static_cast<std::size_t>(t.rows)) throw nb::value_error("pairs: expected one for each row");
        pairs_.emplace_back();
        for (const auto& [first, first_place, second, second_place] : pairs) {
            storage_.push_back(first->storage());
            storage_.push_back(second->storage());
            pairs_.back().push_back({&first->shape(), &second->shape(), place(first_place), place(second_place)});
        }
        t.pairs = pairs_.back().data();
        t.num_pairs = static_cast<int>(pairs.size());
    }

    static nb::object row_copy(const char* name, nb::handle given, npy_intp count) {
        const std::vector<double> numbers = read_row(name, given, count);
        nb::object out = row_of(count);
        std::copy(numbers.begin(), numbers.end(), numbers_of(out));
        return out;
    }

    nb::list owners_;
    std::vector<PostureTree> trees_;
    std::vector<double> factor_, offset_, lower_, upper_, extra_lower_, extra_upper_, scale_;
    std::vector<int> unknown_, leader_;
    std::deque<std::vector<double>> numbers_;
    std::deque<std::vector<int>> extras_;
    std::deque<std::vector<PosturePlace>> places_;
    std::deque<std::vector<PostureShapePair>> pairs_;
    std::vector<std::shared_ptr<const ShapeStorage>> storage_;
    std::vector<PostureTerm> terms_;
    PostureProgram p_{};
};

}  // namespace

void bind_posture(nb::module_& m) {
    nb::class_<BoundPosture>(m, "PostureProgram", "Postures of trees under constraints; kido.ik prepares the arguments.")
        .def(nb::init<const nb::list&, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                      nb::handle>(),
             "trees"_a, "unknown"_a, "factor"_a, "offset"_a, "leader"_a, "lower"_a, "upper"_a, "fixed"_a, "extra_lower"_a, "extra_upper"_a,
             "scale"_a,
             nb::sig("def __init__(self, trees: list[Tree], unknown: " FLOATS ", factor: " FLOATS ", offset: " FLOATS ", leader: " FLOATS
                     ", lower: " FLOATS ", upper: " FLOATS ", fixed: " FLOATS ", extra_lower: " FLOATS ", extra_upper: " FLOATS
                     ", scale: " FLOATS ") -> None"),
             R"(Of each dof of all trees: its unknown (-1: it stands still), its position factor * leader + offset, limits.

fixed (trees, 4): mass and its first moment of bodies fixed to the world. scale: of each unknown and further number, a step of size 1.)")
        .def_prop_ro("rows", &BoundPosture::rows, nb::sig("def rows(self) -> int"), "Rows of all constraints.")
        .def_prop_ro("unknowns", &BoundPosture::unknowns, nb::sig("def unknowns(self) -> int"), "Unknowns of dofs.")
        .def("add_term", &BoundPosture::add_term, "kind"_a, "is_cost"_a, "rows"_a, "frame"_a, "base"_a, "points"_a, "matrix"_a, "axis"_a,
             "across"_a, "target"_a, "desired"_a, "least"_a, "most"_a, "influence"_a, "lower"_a.none(), "upper"_a.none(), "weight"_a.none(),
             "pairs"_a, "tree"_a, "extra"_a, "places"_a, "custom"_a,
             nb::sig("def add_term(self, kind: str, is_cost: bool, rows: int, frame: " PLACE ", base: " PLACE ", points: " FLOATS
                     ", matrix: " FLOATS ", axis: " FLOATS ", across: " FLOATS ", target: " FLOATS ", desired: " FLOATS
                     ", least: float, most: float, influence: float, lower: " FLOATS " | None, upper: " FLOATS " | None, weight: " FLOATS
                     " | None, pairs: list[tuple[CollisionShape, " PLACE ", CollisionShape, " PLACE "]], tree: int, extra: list[int], places: list[" PLACE
                     "], custom: int) -> None"),
             "A constraint or cost; posture_problem.hpp says what the numbers mean. Matrices are given row after row.")
        .def("solve", &BoundPosture::solve, "q"_a, "extra"_a, "max_iterations"_a, "max_escapes"_a, "tolerance"_a, "optimality"_a, "time_left"_a,
             "parts"_a.none(),
             nb::sig("def solve(self, q: " FLOATS ", extra: " FLOATS
                     ", max_iterations: int, max_escapes: int, tolerance: float, optimality: float, time_left: float, parts: object | None) -> tuple[" FLOATS
                     ", " FLOATS ", " FLOATS ", " FLOATS ", " FLOATS ", float, float, float, float, int, int, str]"),
             R"(One attempt from positions (dofs,) and further numbers.

`parts` computes what native code does not know: users(tree, q) and custom(which, q, extra). Returns positions, further numbers, values
of the rows, their multipliers, those of limits, cost, largest violation of rows, that of what users see, what is left of the gradient of
the Lagrangian, iterations, evaluations, and the outcome as PostureStatus names it.)")
        .def("look", &BoundPosture::look, "q"_a, "extra"_a, "parts"_a.none(),
             nb::sig("def look(self, q: " FLOATS ", extra: " FLOATS ", parts: object | None) -> tuple[" FLOATS ", " FLOATS ", " FLOATS
                     ", " FLOATS ", " FLOATS ", " FLOATS "]"),
             R"(At positions (dofs,) and further numbers: values of the rows, their derivatives by unknowns, bounds, costs of the terms, and
the gradient of their sum.)");
}

}  // namespace kido
