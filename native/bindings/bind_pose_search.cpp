#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "bound_tree.hpp"
#include "call.hpp"
#include "kido/tree/joint.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "pose_search.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

using Indices = std::vector<int>;

// A search for the poses of one point, and all that does not change from one target to the next.
class PoseSearch {
public:
    PoseSearch(nb::object tree, int body, nb::handle point, nb::handle ranges, nb::handle region, nb::handle settings,
               int iterations, int mirrors, int attempts, std::uint64_t seed, bool nearest, Indices dofs)
        : tree_(std::move(tree)), dofs_(std::move(dofs)) {
        const Model& m = nb::cast<const BoundTree&>(tree_).model();
        const Body& b = m.bodies[body];
        double T[16], numbers[6];
        read_numbers("point", point, 4, 4, "m", T);
        std::copy_n(number_row("settings", settings, 6).data, 6, numbers);
        const Mat3<double> R = mat3(b.R) * Mat3<double>{{T[0], T[4], T[8]}, {T[1], T[5], T[9]}, {T[2], T[6], T[10]}};
        write3(problem_.R, R.x);
        write3(problem_.R + 3, R.y);
        write3(problem_.R + 6, R.z);
        write3(problem_.p, vec3(b.p) + mat3(b.R) * Vec3<double>{T[3], T[7], T[11]});
        problem_.model = &m;
        problem_.link = b.link;
        problem_.angular_tolerance = numbers[0];
        problem_.linear_tolerance = numbers[1];
        problem_.largest_step = numbers[2];
        problem_.damping = numbers[3];
        problem_.least_damping = numbers[4];
        problem_.iterations = iterations;
        problem_.mirrors = mirrors;
        problem_.starts = attempts;
        problem_.seed = seed;
        problem_.nearest = nearest;
        problem_.time_budget = numbers[5];
        read_region(number_row("region", region, region_numbers).data, problem_.region);
        find_path(m);
        read_ranges(ranges);
    }
    PoseSearch(const PoseSearch&) = delete;

    const Indices& path() const { return path_dofs_; }

    // Starts (1 or n, path): positions of the path's dofs.
    nb::tuple solve(nb::handle targets, nb::handle starts, std::optional<double> refined) const {
        const Table goals = table("targets", targets, -1, PoseProblem::target_numbers);
        const Table from = table("starts", starts, -1, problem_.dofs);
        if (from.rows != 1 && from.rows != goals.rows) throw nb::value_error("starts: expected 1 row, or one a target");
        PoseProblem p = problem_;
        p.targets = goals.rows;
        p.target = goals.data;
        p.start = from.data;
        p.start_stride = from.rows == 1 ? 0 : p.dofs;
        if (refined) {
            p.damping = *refined;
            p.starts = 1;
            p.mirrors = 0;
            p.nearest = false;
        }
        void* data[7];
        nb::object results[7] = {
            empty(NPY_DOUBLE, {goals.rows, p.dofs}, data[0]), empty(NPY_DOUBLE, {goals.rows}, data[1]),
            empty(NPY_DOUBLE, {goals.rows}, data[2]),         empty(NPY_BOOL, {goals.rows}, data[3]),
            empty(NPY_INT, {goals.rows}, data[4]),            empty(NPY_INT, {goals.rows}, data[5]),
            empty(NPY_DOUBLE, {goals.rows}, data[6])};
        const PoseResults out = {static_cast<double*>(data[0]), static_cast<double*>(data[1]),
                                 static_cast<double*>(data[2]), static_cast<unsigned char*>(data[3]),
                                 static_cast<int*>(data[4]),    static_cast<int*>(data[5]),
                                 static_cast<double*>(data[6])};
        without_lock([&](StopSignal* stop) { search_poses(p, out, stop); });
        return nb::make_tuple(results[0], results[1], results[2], results[3], results[4], results[5], results[6]);
    }

    // One target (4, 4) from positions of all dofs: positions of the dofs that were asked for, or None.
    nb::object solve_one(nb::handle target, nb::handle positions) const {
        const Table given = number_row("positions", positions, problem_.model->num_dofs);
        double T[16], pose[12], angular, linear, squared;
        unsigned char reached;
        int start, iterations;
        read_numbers("target", target, 4, 4, "m", T);
        for (int column = 0; column < 4; ++column) {
            for (int row = 0; row < 3; ++row) pose[3 * column + row] = T[4 * row + column];
        }
        std::vector<double> from, found(problem_.dofs);
        for (int dof : path_dofs_) from.push_back(given.data[dof]);
        PoseProblem p = problem_;
        p.targets = 1;
        p.target = pose;
        p.start = from.data();
        p.start_stride = 0;
        const PoseResults out = {found.data(), &angular, &linear, &reached, &start, &iterations, &squared};
        without_lock([&](StopSignal* stop) { search_poses(p, out, stop); });
        if (!reached) return nb::none();
        void* data;
        nb::object q = empty(NPY_DOUBLE, {static_cast<npy_intp>(dofs_.size())}, data);
        for (std::size_t i = 0; i < dofs_.size(); ++i) {
            static_cast<double*>(data)[i] = places_[i] < 0 ? given.data[dofs_[i]] : found[places_[i]];
        }
        return nb::make_tuple(q, angular, linear, start, iterations);
    }

private:
    void find_path(const Model& m) {
        for (int link = problem_.link; link >= 0; link = m.links[link].parent) links_.insert(links_.begin(), link);
        for (int link : links_) {
            for (int k = 0; k < m.links[link].dof_count; ++k) path_dofs_.push_back(m.links[link].dof + k);
        }
        for (int dof : dofs_) {
            const auto at = std::find(path_dofs_.begin(), path_dofs_.end(), dof);
            places_.push_back(at == path_dofs_.end() ? -1 : static_cast<int>(at - path_dofs_.begin()));
        }
        problem_.path = links_.data();
        problem_.path_links = static_cast<int>(links_.size());
        problem_.dofs = static_cast<int>(path_dofs_.size());
        if (problem_.dofs == 0) throw nb::value_error("body: no dof moves it");
    }

    void read_ranges(nb::handle ranges) {
        const Table bounds = table("ranges", ranges, 5, static_cast<npy_intp>(dofs_.size()));
        const int n = problem_.dofs;
        const double infinity = std::numeric_limits<double>::infinity();
        ranges_.assign(4 * n, 0.0);
        std::fill_n(ranges_.begin(), n, -infinity);
        std::fill_n(ranges_.begin() + n, n, infinity);
        moves_.assign(n, 0);
        cyclic_.assign(n, 0);
        for (std::size_t i = 0; i < dofs_.size(); ++i) {
            if (places_[i] < 0) continue;
            moves_[places_[i]] = 1;
            cyclic_[places_[i]] = bounds.data[4 * dofs_.size() + i] != 0.0;
            for (int row = 0; row < 4; ++row) ranges_[row * n + places_[i]] = bounds.data[row * dofs_.size() + i];
        }
        problem_.moves = moves_.data();
        problem_.cyclic = cyclic_.data();
        problem_.lower = ranges_.data();
        problem_.upper = ranges_.data() + n;
        problem_.low_seed = ranges_.data() + 2 * n;
        problem_.high_seed = ranges_.data() + 3 * n;
    }

    nb::object tree_;
    PoseProblem problem_{};
    Indices dofs_, links_, path_dofs_, places_;  // places: of the dofs in the path, -1 where they are not on it
    std::vector<unsigned char> moves_, cyclic_;
    std::vector<double> ranges_;
};

}  // namespace

void bind_pose_search(nb::module_& m) {
    nb::class_<PoseSearch>(m, "PoseSearch", "Inverse kinematics of one point of a body; kido.ik prepares the arguments.")
        .def(nb::init<nb::object, int, nb::handle, nb::handle, nb::handle, nb::handle, int, int, int, std::uint64_t, bool, Indices>(),
             "tree"_a, "body"_a, "point"_a, "ranges"_a, "region"_a, "settings"_a, "iterations"_a, "mirrors"_a,
             "attempts"_a, "seed"_a, "nearest"_a, "dofs"_a,
             nb::sig("def __init__(self, tree: Tree, body: int, point: " ARRAY ", ranges: " ARRAY ", region: " ARRAY
                     ", settings: " ARRAY ", iterations: int, mirrors: int, attempts: int, seed: int, nearest: bool, dofs: list[int]) -> None"),
             R"(A search that moves `dofs`, k of them.

Ranges (5, k): lowest and highest position, the range that further starts are drawn from, and whether a whole turn of the dof
leads back. `nearest`: all starts are made, and what is nearest to the given positions is the answer. Region (29,): weights of the
error's components, whether it has bounds (else the pose is wanted), whether errors are taken from their middle, axes by
columns, lowest and highest displacement. Settings (6,): angular and linear tolerance, largest step, damping, least
damping, time budget [s].)")
        .def_prop_ro("path", &PoseSearch::path, nb::sig("def path(self) -> list[int]"),
                     "Dofs that move the body, root first.")
        .def("solve", &PoseSearch::solve, "targets"_a, "starts"_a, "refined"_a = nb::none(),
             nb::sig("def solve(self, targets: " ARRAY ", starts: " ARRAY
                     ", refined: float | None = None) -> tuple[" FLOATS ", " FLOATS ", " FLOATS
                     ", numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.int32]"
                     ", numpy.typing.NDArray[numpy.int32], " FLOATS "]"),
             R"(Positions for many targets (n, 12): rotation by columns, position; from starts (1 or n, p) of the path. `refined`:
another damping, for one start that is not mirrored.

Returns positions (n, p) of the path, angular errors [rad], linear errors [m], whether reached, which start, its iterations,
and the squared weighted errors (n,).)")
        .def("solve_one", &PoseSearch::solve_one, "target"_a, "positions"_a,
             nb::sig("def solve_one(self, target: " ARRAY ", positions: " ARRAY
                     ") -> tuple[" FLOATS ", float, float, int, int] | None"),
             R"(Positions (k,) of the dofs for one target (4, 4) from positions (num_dofs,) of the skeleton.

Returns positions, angular error [rad], linear error [m], which start, its iterations; None where it is not reached.)");
}

}  // namespace kido
