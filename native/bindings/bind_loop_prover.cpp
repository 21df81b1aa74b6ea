#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "bound_tree.hpp"
#include "call.hpp"
#include "long_call.hpp"
#include "loop_prover.hpp"
#include "number_table.hpp"
#include "search_parts.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

LoopTransform read_transform(nb::handle value) {
    double T[16];
    read_numbers("transform", value, 4, 4, "m", T);
    LoopTransform out;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) out.R[3 * i + j] = T[4 * i + j];
        out.p[i] = T[4 * i + 3];
    }
    return out;
}

LoopTransform by_columns(const double* R, const double* p) {
    LoopTransform out;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) out.R[3 * i + j] = R[3 * j + i];
        out.p[i] = p[i];
    }
    return out;
}

// Turns z into another axis.
LoopTransform z_to(int axis) {
    LoopTransform T;
    if (axis == 2) return T;
    std::fill(T.R, T.R + 9, 0.0);
    // Columns: the axis comes last, and the others follow it in their order.
    for (int k = 0; k < 3; ++k) T.R[3 * ((axis + 1 + k) % 3) + k] = 1.0;
    return T;
}

// A chain of joints that is to close, put together from its beginning.
class BoundLoop {
public:
    BoundLoop(nb::object tree, nb::handle couplings) : tree_(std::move(tree)) {
        const Table rows = table("couplings", couplings, 3);
        if (rows.rows != model().num_dofs) throw nb::value_error("couplings: expected one row for each dof");
        couplings_.assign(rows.data, rows.data + 3 * rows.rows);
        for (npy_intp i = 0; i < rows.rows; ++i) {
            if (!(couplings_[3 * i] >= 0.0)) throw nb::index_error("couplings: no such variable");
        }
    }

    void fixed(nb::handle transform) { rest_ = rest_ * read_transform(transform); }

    void turn(int axis, int variable, double scale) { joint(axis, false, variable, scale); }
    void slide(int axis, int variable, double scale) { joint(axis, true, variable, scale); }

    // From the frame of one body to that of another; -1 is the world.
    void path(int from, int to) {
        const std::vector<int> up = links_to(from), down = links_to(to);
        std::size_t common = 0;
        while (common < up.size() && common < down.size() && up[common] == down[common]) ++common;
        rest_ = rest_ * inverse(in_link(from));
        for (std::size_t i = up.size(); i-- > common;) {
            add_link(up[i], -1.0);
            rest_ = rest_ * inverse(placement(up[i]));
        }
        for (std::size_t i = common; i < down.size(); ++i) {
            rest_ = rest_ * placement(down[i]);
            add_link(down[i], 1.0);
        }
        rest_ = rest_ * in_link(to);
    }

    Loop closed(bool position, bool orientation, double radius, double angle) const {
        Loop loop = loop_;
        loop.tool = rest_;
        loop.tool_inverse = inverse(rest_);
        loop.closes_position = position;
        loop.closes_orientation = orientation;
        loop.radius = radius;
        loop.angle = angle;
        return loop;
    }

private:
    const Model& model() const { return nb::cast<const BoundTree&>(tree_).model(); }

    std::vector<int> links_to(int body) const {
        const Model& m = model();
        if (body < -1 || body >= m.num_bodies) throw nb::index_error("body: expected one of the tree's, or -1");
        std::vector<int> links;
        for (int link = body < 0 ? -1 : m.bodies[body].link; link >= 0; link = m.links[link].parent) links.push_back(link);
        std::reverse(links.begin(), links.end());
        return links;
    }

    LoopTransform placement(int link) const { return by_columns(model().links[link].R, model().links[link].p); }

    LoopTransform in_link(int body) const {
        if (body < 0) return {};
        constexpr double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
        double R[9], p[3];
        place_in_link(model().bodies[body], identity, R, p);
        return by_columns(R, p);
    }

    void add_link(int index, double sign) {
        const Link& link = model().links[index];
        if (link.dof_count == 0) return;
        if (link.kind == JointKind::ball || link.kind == JointKind::free) return add_rotation(link, sign);
        const double* c = couplings_.data() + 3 * link.dof;
        const int variable = static_cast<int>(c[0]);
        const auto move = [&](bool prismatic, double gain) {
            LoopTransform shift;
            const double offset = sign * gain * c[2];
            if (prismatic) {
                shift.p[2] = offset;
            } else {
                shift.R[0] = shift.R[4] = std::cos(offset);
                shift.R[3] = std::sin(offset);
                shift.R[1] = -shift.R[3];
            }
            rest_ = rest_ * shift;
            joint(2, prismatic, variable, sign * gain * c[1]);
        };
        switch (link.kind) {
            case JointKind::revolute: move(false, 1.0); break;
            case JointKind::prismatic: move(true, 1.0); break;
            case JointKind::screw:
                move(false, 1.0);
                move(true, link.pitch);
                break;
            default: throw nb::type_error("path: expected joints that turn or slide");
        }
    }

    // Three translations, and the rotation as Rz Ry Rx of the variables of its dofs.
    void add_rotation(const Link& link, double sign) {
        const auto variable = [&](int dof) { return static_cast<int>(couplings_[3 * (link.dof + dof)]); };
        const auto turns = [&](int k) { joint(2 - k, false, variable(k), sign); };
        const auto slides = [&](int k) {
            if (link.kind == JointKind::free) joint(k, true, variable(3 + k), sign);
        };
        const bool forward = sign > 0.0;
        if (forward) for (int k = 0; k < 3; ++k) slides(k);
        for (int k = 0; k < 3; ++k) turns(forward ? k : 2 - k);
        if (!forward) for (int k = 0; k < 3; ++k) slides(k);
    }

    void joint(int axis, bool prismatic, int variable, double scale) {
        if (axis < 0 || axis > 2) throw nb::index_error("axis: expected 0, 1 or 2");
        if (scale == 0.0) return;
        if (loop_.joints.size() >= kMostLoopJoints) {
            throw nb::value_error(("joints: expected at most " + std::to_string(kMostLoopJoints) + " in a loop").c_str());
        }
        const LoopTransform turned = z_to(axis), before = rest_ * turned;
        loop_.joints.push_back({prismatic, variable, scale, before, inverse(before)});
        rest_ = inverse(turned);
    }

    nb::object tree_;
    std::vector<double> couplings_;  // of each dof: the one that it follows, factor, offset
    Loop loop_;
    LoopTransform rest_;
};

nb::object row(const std::vector<double>& numbers) {
    void* data;
    nb::object array = empty(NPY_DOUBLE, {static_cast<npy_intp>(numbers.size())}, data);
    std::copy(numbers.begin(), numbers.end(), static_cast<double*>(data));
    return array;
}

// A problem of loops over variables, of which only those that move something are searched.
class BoundProver {
public:
    BoundProver(nb::handle lower, nb::handle upper, double lever) {
        lower_ = read(lower);
        upper_ = read(upper);
        if (lower_.size() != upper_.size()) throw nb::value_error("lower, upper: sizes differ");
        problem_.lever = lever;
        place_.assign(lower_.size(), -1);
    }

    void add_loop(const BoundLoop& chain, bool position, bool orientation, double radius, double angle) {
        Loop loop = chain.closed(position, orientation, radius, angle);
        if (loop.joints.empty()) throw nb::value_error("loop: expected joints, got none");
        for (LoopJoint& joint : loop.joints) joint.variable = place(joint.variable);
        problem_.loops.push_back(std::move(loop));
    }

    void add_row(const std::vector<int>& variables, nb::handle coefficients, double bound) {
        LinearRow row{variables, read(coefficients), bound};
        if (row.coefficients.size() != variables.size()) throw nb::value_error("coefficients: expected one for each variable");
        for (int& v : row.variables) v = place(v);
        problem_.rows.push_back(std::move(row));
    }

    void add_angle(const std::vector<int>& variables, double angle) {
        if (variables.size() != 3) throw nb::value_error("variables: expected three");
        problem_.angles.push_back({{place(variables[0]), place(variables[1]), place(variables[2])}, angle});
    }

    nb::tuple solve(nb::handle start, double time_budget, std::size_t most_nodes, double resolution, std::size_t most_leaves, int starts,
                    std::uint64_t seed, bool all_regions) const {
        LoopProblem problem = problem_;
        const std::size_t n = used_.size();
        for (const int v : used_) {
            problem.lower.push_back(lower_[v]);
            problem.upper.push_back(upper_[v]);
        }
        prepare(problem);
        std::vector<double> from;
        if (!start.is_none()) {
            const std::vector<double> given = read(start);
            if (given.size() != lower_.size()) throw nb::value_error("start: expected one number for each variable");
            for (const int v : used_) from.push_back(given[v]);
        }
        const ProverSettings settings{time_budget, most_nodes, resolution, most_leaves, starts, seed, all_regions};
        ProverResult result;
        without_lock([&](StopSignal* stop) { result = prove(problem, settings, from.empty() ? nullptr : from.data(), stop); });
        void* data;
        const std::size_t row_size = 2 * std::max<std::size_t>(n, 1);
        nb::object leaves = empty(NPY_DOUBLE, {static_cast<npy_intp>(result.leaves.size() / row_size), static_cast<npy_intp>(2 * n)}, data);
        std::copy(result.leaves.begin(), result.leaves.end(), static_cast<double*>(data));
        return nb::make_tuple(static_cast<int>(result.verdict), row(result.posture), result.distance, result.nodes, leaves);
    }

    const std::vector<int>& used() const { return used_; }

private:
    static std::vector<double> read(nb::handle value) {
        const nb::object owner = doubles(value);
        auto* array = reinterpret_cast<PyArrayObject*>(owner.ptr());
        const auto* data = static_cast<const double*>(PyArray_DATA(array));
        return {data, data + PyArray_SIZE(array)};
    }

    int place(int variable) {
        if (variable < 0 || variable >= static_cast<int>(lower_.size())) throw nb::index_error("variable: no such one");
        int& at = place_[variable];
        if (at >= 0) return at;
        if (used_.size() >= kMostVariables) {
            throw nb::value_error(("variables: expected at most " + std::to_string(kMostVariables) + " that move something").c_str());
        }
        at = static_cast<int>(used_.size());
        used_.push_back(variable);
        return at;
    }

    LoopProblem problem_;
    std::vector<double> lower_, upper_;
    std::vector<int> place_, used_;
};

}  // namespace

void bind_loop_prover(nb::module_& m) {
    nb::class_<BoundLoop>(m, "Loop", "A chain of joints that is to close; kido.ik prepares it.")
        .def(nb::init<nb::object, nb::handle>(), "tree"_a, "couplings"_a,
             nb::sig("def __init__(self, tree: Tree, couplings: " ARRAY ") -> None"),
             "An empty chain; couplings (num_dofs, 3): of each dof the variable that it follows, factor and offset [rad, m]. The rotation of\n"
             "a ball or free joint is Rz Ry Rx of the variables of its three dofs.")
        .def("fixed", &BoundLoop::fixed, "transform"_a, nb::sig("def fixed(self, transform: " ARRAY ") -> None"),
             "Append a transform (4, 4) [m].")
        .def("path", &BoundLoop::path, "from_body"_a, "to_body"_a, nb::sig("def path(self, from_body: int, to_body: int) -> None"),
             "Append the joints between two bodies, -1 being the world. Raises TypeError for joints that do not turn or slide.")
        .def("turn", &BoundLoop::turn, "axis"_a, "variable"_a, "scale"_a,
             nb::sig("def turn(self, axis: int, variable: int, scale: float) -> None"), "Append a turn about an axis.")
        .def("slide", &BoundLoop::slide, "axis"_a, "variable"_a, "scale"_a,
             nb::sig("def slide(self, axis: int, variable: int, scale: float) -> None"), "Append a translation along an axis.");
    nb::class_<BoundProver>(m, "LoopProver", "Whether loops can close within limits, by branch and bound; kido.ik prepares it.")
        .def(nb::init<nb::handle, nb::handle, double>(), "lower"_a, "upper"_a, "lever"_a,
             nb::sig("def __init__(self, lower: " FLOATS ", upper: " FLOATS ", lever: float) -> None"),
             "A problem without loops over variables with limits (n,) [rad, m]; a rotation of 1 rad counts as `lever` [m].")
        .def("add_loop", &BoundProver::add_loop, "loop"_a, "closes_position"_a, "closes_orientation"_a, "radius"_a, "angle"_a,
             nb::sig("def add_loop(self, loop: Loop, closes_position: bool, closes_orientation: bool, radius: float, angle: float) -> None"),
             "Add a chain that is to close within a radius [m] and an angle [rad].")
        .def("add_row", &BoundProver::add_row, "variables"_a, "coefficients"_a, "bound"_a,
             nb::sig("def add_row(self, variables: list[int], coefficients: " FLOATS ", bound: float) -> None"),
             "Add an upper bound of a sum of variables times coefficients.")
        .def("add_angle", &BoundProver::add_angle, "variables"_a, "angle"_a,
             nb::sig("def add_angle(self, variables: list[int], angle: float) -> None"),
             "Add an upper bound [rad] of the rotation Rz(a) Ry(b) Rx(c) of three variables.")
        .def_prop_ro("used", &BoundProver::used, nb::sig("def used(self) -> list[int]"), "Variables that move something.")
        .def("solve", &BoundProver::solve, nb::kw_only(), "start"_a.none(), "time_budget"_a, "most_nodes"_a, "resolution"_a, "most_leaves"_a,
             "starts"_a, "seed"_a, "all_regions"_a,
             nb::sig("def solve(self, *, start: " ARRAY " | None, time_budget: float, most_nodes: int, resolution: float, most_leaves: int, "
                     "starts: int, seed: int, all_regions: bool) -> tuple[int, " FLOATS ", float, int, " FLOATS "]"),
             R"(Search for a posture, then prove that there is none.

Returns the verdict (0 found, 1 infeasible, 2 undecided, 3 out of time, 4 out of nodes), the used variables at the posture that came
nearest, the distance that it leaves [m], how many boxes were tested, and those that remain (m, 2 k), lower and upper limit of each.)");
}

}  // namespace kido
