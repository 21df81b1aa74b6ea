#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "bound_tree.hpp"
#include "call.hpp"
#include "kido/tree/joint.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "pose_search.hpp"
#include "search_parts.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"
#define ENDS "tuple[" FLOATS ", " FLOATS ", " FLOATS ", " FLOATS ", numpy.typing.NDArray[numpy.int32]]"
#define END "tuple[" FLOATS ", float, float, float, int]"

namespace kido {

using namespace nb::literals;

namespace {

using Indices = std::vector<int>;

// A search for the poses of one point, and all that does not change from one target to the next.
class PoseSearch {
public:
    PoseSearch(nb::object tree, int body, nb::handle point, const PoseRegion& region, Indices dofs,
               const SearchRanges& ranges, const SearchSettings& settings)
        : tree_(std::move(tree)), dofs_(std::move(dofs)) {
        static_cast<SearchSettings&>(problem_) = settings;
        const Model& m = nb::cast<const BoundTree&>(tree_).model();
        if (body < 0 || body >= m.num_bodies) throw nb::index_error("body: expected one of the tree's");
        for (const int dof : dofs_) {
            if (dof < 0 || dof >= m.num_dofs) throw nb::index_error("dofs: expected those of the tree");
        }
        if (ranges.dofs() != dofs_.size()) throw nb::value_error("ranges: expected one for each dof");
        double T[16];
        read_numbers("point", point, 4, 4, "m", T);
        place_in_link(m.bodies[body], T, problem_.R, problem_.p);
        problem_.model = &m;
        problem_.link = m.bodies[body].link;
        problem_.region = region;
        find_path(m);
        set_ranges(ranges);
    }
    PoseSearch(const PoseSearch&) = delete;

    const Indices& path() const { return path_dofs_; }

    // Starts (1 or n, path): positions of the path's dofs.
    nb::tuple solve(nb::handle targets, nb::handle starts) const {
        const std::vector<double> poses = read_targets(targets);
        const npy_intp count = static_cast<npy_intp>(poses.size()) / PoseProblem::target_numbers;
        const Table from = table("starts", starts, problem_.dofs);
        if (from.rows != 1 && from.rows != count) throw nb::value_error("starts: expected 1 row, or one a target");
        PoseProblem p = problem_;
        p.targets = count;
        p.target = poses.data();
        p.start = from.data;
        p.start_stride = from.rows == 1 ? 0 : p.dofs;
        Ends best(count, p.dofs), connected(count, p.dofs);
        void *reached, *start, *timed_out;
        const nb::object told = empty(NPY_BOOL, {count}, reached), which = empty(NPY_INT, {count}, start);
        const nb::object cut = empty(NPY_BOOL, {count}, timed_out);
        const PoseResults out = {best.places(), static_cast<unsigned char*>(reached), static_cast<unsigned char*>(timed_out),
                                 static_cast<int*>(start), connected.places()};
        without_lock([&](StopSignal* stop) { search_poses(p, out, stop); });
        return nb::make_tuple(best.arrays(), told, which, connected.arrays(), cut);
    }

    // One target (4, 4) from positions of all dofs: positions of the dofs that were asked for, or None.
    nb::object solve_one(nb::handle target, nb::handle positions) const {
        const std::vector<double> given = read_row("positions", positions, problem_.model->num_dofs);
        double T[16], pose[12], errors[2][3];
        unsigned char reached, timed_out;
        int start, iterations[2];
        read_numbers("target", target, 4, 4, "m", T);
        for (int column = 0; column < 4; ++column) {
            for (int row = 0; row < 3; ++row) pose[3 * column + row] = T[4 * row + column];
        }
        std::vector<double> from, found(2 * problem_.dofs);
        for (int dof : path_dofs_) from.push_back(given[dof]);
        PoseProblem p = problem_;
        p.targets = 1;
        p.target = pose;
        p.start = from.data();
        p.start_stride = 0;
        const auto ends = [&](int k) {
            double* x = errors[k];
            return PoseEnds{found.data() + k * problem_.dofs, x, x + 1, x + 2, iterations + k};
        };
        without_lock([&](StopSignal* stop) { search_poses(p, {ends(0), &reached, &timed_out, &start, ends(1)}, stop); });
        const auto told = [&](int k) {
            return nb::make_tuple(own(given, found.data() + k * problem_.dofs), errors[k][0], errors[k][1], errors[k][2],
                                  iterations[k]);
        };
        return nb::make_tuple(told(0), start, reached ? nb::object(nb::none()) : told(1), timed_out != 0);
    }

    // Targets (n, 4, 4) one after the other from positions of all dofs, each dof by at most its largest change (path).
    nb::tuple track(nb::handle targets, nb::handle start, nb::handle largest_change, double time_budget) const {
        const std::vector<double> poses = read_targets(targets), from = read_row("start", start, problem_.dofs);
        const std::vector<double> most = read_row("largest_change", largest_change, problem_.dofs);
        const npy_intp count = static_cast<npy_intp>(poses.size()) / PoseProblem::target_numbers;
        PoseProblem p = problem_;
        p.targets = count;
        p.target = poses.data();
        p.start = from.data();
        p.start_stride = 0;
        p.time_budget = time_budget;
        Ends ends(count, p.dofs);
        void *reached, *timed_out;
        const nb::object told = empty(NPY_BOOL, {count}, reached), cut = empty(NPY_BOOL, {count}, timed_out);
        without_lock([&](StopSignal* stop) {
            track_poses(p, most.data(), ends.places(), static_cast<unsigned char*>(reached),
                        static_cast<unsigned char*>(timed_out), stop);
        });
        return nb::make_tuple(ends.arrays(), told, cut);
    }

private:
    // Arrays for ends.
    class Ends {
    public:
        Ends(npy_intp count, npy_intp dofs)
            : arrays_{empty(NPY_DOUBLE, {count, dofs}, data_[0]), empty(NPY_DOUBLE, {count}, data_[1]),
                      empty(NPY_DOUBLE, {count}, data_[2]), empty(NPY_DOUBLE, {count}, data_[3]),
                      empty(NPY_INT, {count}, data_[4])} {}
        PoseEnds places() const {
            return {static_cast<double*>(data_[0]), static_cast<double*>(data_[1]), static_cast<double*>(data_[2]),
                    static_cast<double*>(data_[3]), static_cast<int*>(data_[4])};
        }
        nb::tuple arrays() const { return nb::make_tuple(arrays_[0], arrays_[1], arrays_[2], arrays_[3], arrays_[4]); }

    private:
        void* data_[5];
        nb::object arrays_[5];
    };

    // Positions of the dofs that were asked for, of those of the path.
    nb::object own(const std::vector<double>& given, const double* found) const {
        void* data;
        nb::object q = empty(NPY_DOUBLE, {static_cast<npy_intp>(dofs_.size())}, data);
        for (std::size_t i = 0; i < dofs_.size(); ++i) {
            static_cast<double*>(data)[i] = places_[i] < 0 ? given[dofs_[i]] : found[places_[i]];
        }
        return q;
    }

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

    // Of all dofs of the path, from those of the dofs that may move.
    void set_ranges(const SearchRanges& given) {
        const int n = problem_.dofs;
        const double infinity = std::numeric_limits<double>::infinity();
        lower_.assign(n, -infinity);
        upper_.assign(n, infinity);
        low_seed_.assign(n, 0.0);
        high_seed_.assign(n, 0.0);
        moves_.assign(n, 0);
        cyclic_.assign(n, 0);
        for (std::size_t i = 0; i < dofs_.size(); ++i) {
            const int at = places_[i];
            if (at < 0) continue;
            moves_[at] = 1;
            cyclic_[at] = given.cyclic[i];
            lower_[at] = given.lower[i];
            upper_[at] = given.upper[i];
            low_seed_[at] = given.low_seed[i];
            high_seed_[at] = given.high_seed[i];
        }
        problem_.moves = moves_.data();
        problem_.cyclic = cyclic_.data();
        problem_.lower = lower_.data();
        problem_.upper = upper_.data();
        problem_.low_seed = low_seed_.data();
        problem_.high_seed = high_seed_.data();
    }

    nb::object tree_;
    PoseProblem problem_{};
    Indices dofs_, links_, path_dofs_, places_;  // places: of the dofs in the path, -1 where they are not on it
    std::vector<unsigned char> moves_, cyclic_;
    std::vector<double> lower_, upper_, low_seed_, high_seed_;
};

}  // namespace

void bind_pose_search(nb::module_& m) {
    nb::class_<PoseSearch>(m, "PoseSearch", "Inverse kinematics of one point of a body; kido.ik prepares the arguments.")
        .def(nb::init<nb::object, int, nb::handle, const PoseRegion&, Indices, const SearchRanges&, const SearchSettings&>(),
             nb::kw_only(), "tree"_a, "body"_a, "point"_a, "region"_a, "dofs"_a, "ranges"_a, "settings"_a,
             nb::sig("def __init__(self, *, tree: Tree, body: int, point: " ARRAY ", region: PoseRegion, dofs: list[int]"
                     ", ranges: SearchRanges, settings: SearchSettings) -> None"),
             "A search that moves `dofs`, with a range for each, to put the frame at `point` (4, 4) [m] of a body into a region.")
        .def_prop_ro("path", &PoseSearch::path, nb::sig("def path(self) -> list[int]"),
                     "Dofs that move the body, root first.")
        .def("solve", &PoseSearch::solve, "targets"_a, "starts"_a,
             nb::sig("def solve(self, targets: " ARRAY ", starts: " ARRAY ") -> tuple[" ENDS
                     ", numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.int32], " ENDS ", numpy.typing.NDArray[numpy.bool_]]"),
             R"(Positions for many targets (n, 4, 4) [m]; from starts (1 or n, p) of the path.

Returns where the best starts ended, whether they reached their targets, which they are, where the first starts ended
before they were mirrored, and whether the time budget ended the searches. An end is positions (n, p) of the path, angular errors [rad], linear errors [m], squared weighted
errors and iterations (n,).)")
        .def("track", &PoseSearch::track, "targets"_a, "start"_a, "largest_change"_a, "time_budget"_a,
             nb::sig("def track(self, targets: " ARRAY ", start: " ARRAY ", largest_change: " ARRAY
                     ", time_budget: float) -> tuple[" ENDS ", numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.bool_]]"),
             R"(Positions for targets (n, 4, 4) [m] one after the other, from positions (p,) of the path: each from the last ones, at most
`largest_change` (p,) [rad, m] away from them, in `time_budget` [s].

Returns where each ended, as of `solve`, whether at its target, and whether the time budget ended it.)")
        .def("solve_one", &PoseSearch::solve_one, "target"_a, "positions"_a,
             nb::sig("def solve_one(self, target: " ARRAY ", positions: " ARRAY ") -> tuple[" END ", int, " END " | None, bool]"),
             R"(Positions (k,) of the dofs for one target (4, 4) from positions (num_dofs,) of the skeleton.

Returns where the best start ended, which it is, where the first start ended, or None where the target is
reached, and whether the time budget ended the search.)");
}

}  // namespace kido
