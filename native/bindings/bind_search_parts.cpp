#include <nanobind/stl/string.h>

#include <algorithm>

#include "bound_frame.hpp"
#include "kido/ik/search_settings.hpp"
#include "search_parts.hpp"
#include "topics.hpp"

#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

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

PoseRegion make_bounds(nb::handle weights, nb::handle axes, nb::handle lower, nb::handle upper, bool from_center) {
    PoseRegion region{};
    double R[9];
    read_six("weights", weights, region.weight);
    read_six("lower", lower, region.low);  // may be infinite, as the highest
    read_six("upper", upper, region.high);
    read_numbers("axes", axes, 3, 3, "-", R);
    region.bounded = true;
    region.from_center = from_center;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) region.axes[3 * column + row] = R[3 * row + column];
    }
    return region;
}

}  // namespace

void bind_search_parts(nb::module_& m) {
    nb::class_<SearchSettings>(m, "SearchSettings", "Settings of a native search; kido.ik.SearchSettings says what they mean.")
        .def("__init__", make_settings, nb::kw_only(), "angular_tolerance"_a, "linear_tolerance"_a, "largest_step"_a,
             "damping"_a, "least_damping"_a, "iterations"_a, "mirrors"_a, "starts"_a, "seed"_a, "nearest"_a,
             "time_budget"_a);
    nb::class_<PoseRegion>(m, "PoseRegion", "Poses that a native search wants: a target's, or those within bounds of it.")
        .def("__init__", make_pose, "weights"_a, nb::sig("def __init__(self, weights: " ARRAY ") -> None"),
             "The target's pose; weights (6,) of the error's components, the first three equal, and the last three.")
        .def_static("within", make_bounds, nb::kw_only(), "weights"_a, "axes"_a, "lower"_a, "upper"_a, "from_center"_a,
                    nb::sig("def within(*, weights: " ARRAY ", axes: " ARRAY ", lower: " ARRAY ", upper: " ARRAY
                            ", from_center: bool) -> PoseRegion"),
                    R"(Displacements between bounds (6,), angles first [rad, m], taken along axes, the columns of (3, 3).

from_center: whether errors are taken from the middle of the bounds.)");
    nb::class_<SearchRanges>(m, "SearchRanges", "How far dofs may move, and where starts of a search are drawn from.")
        .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle>(), nb::kw_only(), "lower"_a, "upper"_a,
             "low_seed"_a, "high_seed"_a, "cyclic"_a,
             nb::sig("def __init__(self, *, lower: " ARRAY ", upper: " ARRAY ", low_seed: " ARRAY ", high_seed: " ARRAY
                     ", cyclic: " ARRAY ") -> None"),
             R"(Of k dofs: lowest and highest positions (k,) [rad, m], the range of further starts, and whether a whole
turn leads back.)");
    nb::class_<SearchTask>(m, "SearchTask", "A frame of a body that a search in levels puts into a region.")
        .def(nb::init<int, int, nb::handle, const PoseRegion&, nb::handle>(), nb::kw_only(), "body"_a, "level"_a,
             "point"_a, "region"_a, "moves"_a,
             nb::sig("def __init__(self, *, body: int, level: int, point: " ARRAY ", region: PoseRegion, moves: " ARRAY
                     ") -> None"),
             R"(The frame is at `point` (4, 4) [m] of the body; moves (num_dofs,): whether a dof may move for it.)");
}

}  // namespace kido
