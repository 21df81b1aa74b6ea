#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bound_frame.hpp"
#include "bound_tree.hpp"
#include "call.hpp"
#include "kido/tree/joint.hpp"
#include "number_table.hpp"
#include "pose_search.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

// What a call keeps alive while it runs.
struct Search {
    PoseProblem problem{};
    std::vector<int> path;
    std::vector<unsigned char> moves;

    Search(const BoundTree& tree, int body, nb::handle point) {
        const Model& m = tree.model();
        const Body& b = m.bodies[body];
        double T[16];
        read_numbers("point", point, 4, 4, "m", T);
        const Mat3<double> R = mat3(b.R) * Mat3<double>{{T[0], T[4], T[8]}, {T[1], T[5], T[9]}, {T[2], T[6], T[10]}};
        const Vec3<double> p = vec3(b.p) + mat3(b.R) * Vec3<double>{T[3], T[7], T[11]};
        write3(problem.R, R.x);
        write3(problem.R + 3, R.y);
        write3(problem.R + 6, R.z);
        write3(problem.p, p);
        problem.model = &m;
        problem.link = b.link;
        for (int link = b.link; link >= 0; link = m.links[link].parent) path.insert(path.begin(), link);
        for (int link : path) problem.dofs += m.links[link].dof_count;
        problem.path = path.data();
        problem.path_links = static_cast<int>(path.size());
    }
};

}  // namespace

void bind_pose_search(nb::module_& m) {
    m.def(
        "solve_poses",
        [](const BoundTree& tree, int body, nb::handle point, nb::handle targets, nb::handle starts, nb::handle ranges,
           nb::handle region, nb::handle settings, int iterations, int attempts, std::uint64_t seed) {
            Search search(tree, body, point);
            PoseProblem& p = search.problem;
            if (p.path_links == 0) throw nb::value_error("body: no dof moves it");
            const Table goals = table("targets", targets, -1, PoseProblem::target_numbers);
            const Table from = table("starts", starts, -1, p.dofs);
            const Table bounds = table("ranges", ranges, 5, p.dofs);
            double numbers[5];
            read_numbers("settings", settings, 5, 0, "-", numbers);
            const Table wanted = table("region", region, 1, region_numbers);
            read_region(wanted.data, p.wanted);
            if (from.rows != 1 && from.rows != goals.rows) throw nb::value_error("starts: expected 1 row, or one a target");
            for (int j = 0; j < p.dofs; ++j) search.moves.push_back(bounds.data[4 * p.dofs + j] != 0.0);
            p.moves = search.moves.data();
            p.lower = bounds.data;
            p.upper = bounds.data + p.dofs;
            p.low_seed = bounds.data + 2 * p.dofs;
            p.high_seed = bounds.data + 3 * p.dofs;
            p.targets = goals.rows;
            p.target = goals.data;
            p.start = from.data;
            p.start_stride = from.rows == 1 ? 0 : p.dofs;
            p.angular_tolerance = numbers[0];
            p.linear_tolerance = numbers[1];
            p.largest_step = numbers[2];
            p.damping = numbers[3];
            p.least_damping = numbers[4];
            p.iterations = iterations;
            p.starts = attempts;
            p.seed = seed;
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
            {
                nb::gil_scoped_release release;
                search_poses(p, out);
            }
            return nb::make_tuple(results[0], results[1], results[2], results[3], results[4], results[5],
                                  results[6]);
        },
        "tree"_a, "body"_a, "point"_a, "targets"_a, "starts"_a, "ranges"_a, "region"_a, "settings"_a, "iterations"_a, "attempts"_a,
        "seed"_a,
        nb::sig("def solve_poses(tree: Tree, body: int, point: " ARRAY ", targets: " ARRAY ", starts: " ARRAY
                ", ranges: " ARRAY ", region: " ARRAY ", settings: " ARRAY ", iterations: int, attempts: int, seed: int) -> tuple[" FLOATS
                ", " FLOATS ", " FLOATS ", numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.int32]"
                ", numpy.typing.NDArray[numpy.int32], " FLOATS "]"),
        R"(Inverse kinematics of one body for many targets; kido.ik prepares the arguments.

Targets (n, 12): rotation by columns, position. Starts (1 or n, k) for the k dofs that move the body. Ranges (5, k): lowest and
highest position, the range that further starts are drawn from, and whether the dof may move. Region (1, 29): weights
of the error's components, whether it has bounds (else the pose is wanted), whether errors are taken from their middle, axes
by columns, lowest and highest displacement. Settings: angular and linear tolerance, largest step, damping, least damping.

Returns positions (n, k), angular errors [rad], linear errors [m], whether reached, which start, its iterations,
and the squared weighted errors (n,).)");
}

}  // namespace kido
