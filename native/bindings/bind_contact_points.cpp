#include <nanobind/stl/string.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "bound_shape.hpp"
#include "instruction_set.hpp"
#include "number_table.hpp"
#include "pose_batch.hpp"
#include "sample_loop.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define INTEGERS "numpy.typing.NDArray[numpy.int64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

constexpr int kMostManifolds = 64;  // of a pair

struct Found {
    std::size_t sample;
    ContactManifold manifold;
};

double checked_length(const char* name, double length) {
    if (std::isnan(length) || length < 0.0) throw nb::value_error((std::string(name) + ": expected a number >= 0 [m]").c_str());
    return length;
}

// Rows of all points, one sample after the other.
nb::tuple rows_of(const std::vector<std::vector<Found>>& shares) {
    npy_intp points = 0;
    for (const auto& share : shares) {
        for (const Found& found : share) points += found.manifold.count;
    }
    void *indices, *numbers;
    const nb::object index_rows = empty(NPY_INT64, {points, 3}, indices), number_rows = empty(NPY_DOUBLE, {points, 10}, numbers);
    auto* index = static_cast<std::int64_t*>(indices);
    auto* x = static_cast<double*>(numbers);
    for (const auto& share : shares) {
        for (const Found& found : share) {
            for (int k = 0; k < found.manifold.count; ++k) {
                const ContactPoint& point = found.manifold.points[k];
                *index++ = static_cast<std::int64_t>(found.sample);
                *index++ = found.manifold.part;
                *index++ = point.feature;
                for (const double* v : {found.manifold.normal, point.on_first, point.on_second}) x = std::copy(v, v + 3, x);
                *x++ = point.gap;
            }
        }
    }
    return nb::make_tuple(index_rows, number_rows);
}

nb::tuple contact_points(const BoundShape& first, nb::handle T_first, const BoundShape& second, nb::handle T_second, double margin) {
    checked_length("margin", margin);
    LeadingAxes leading;
    const PoseArgument a("T_first", T_first, leading), b("T_second", T_second, leading);
    const auto kernel = active_kernels().geometry.collide;
    std::vector<std::vector<Found>> shares(sample_shares(leading.count()));
    std::atomic<bool> supported = true;
    for_ranges(leading.count(), [&](const SampleRange& range, std::size_t k) {
        double pose_a[12], pose_b[12];
        a.read(k, pose_a);
        b.read(k, pose_b);
        PairMemory memory{};
        ContactManifold manifolds[kMostManifolds];
        const int count = kernel(first.shape(), pose_a, second.shape(), pose_b, margin, memory, manifolds, kMostManifolds);
        if (count == kUnsupportedPair) supported = false;
        for (int i = 0; i < count; ++i) shares[range.share].push_back({k, manifolds[i]});
    });
    if (!supported) raise_unsupported(first.shape(), second.shape());
    return rows_of(shares);
}

nb::tuple sweep(const BoundShape& first, nb::handle start_first, nb::handle end_first, const BoundShape& second, nb::handle start_second,
                nb::handle end_second, double tolerance) {
    if (!(tolerance > 0.0)) throw nb::value_error("tolerance: expected a positive number [m]");
    LeadingAxes leading;
    const PoseArgument a("start_first", start_first, leading), a_end("end_first", end_first, leading);
    const PoseArgument b("start_second", start_second, leading), b_end("end_second", end_second, leading);
    void *times, *distances, *normals, *on_first, *on_second;
    const nb::tuple out = nb::make_tuple(leading.results(NPY_DOUBLE, {}, times), leading.results(NPY_DOUBLE, {}, distances),
                                         leading.results(NPY_DOUBLE, {3}, normals), leading.results(NPY_DOUBLE, {3}, on_first),
                                         leading.results(NPY_DOUBLE, {3}, on_second));
    const auto kernel = active_kernels().geometry.sweep;
    std::atomic<bool> supported = true;
    for_ranges(leading.count(), [&](const SampleRange&, std::size_t k) {
        double poses[4][12];
        a.read(k, poses[0]);
        a_end.read(k, poses[1]);
        b.read(k, poses[2]);
        b_end.read(k, poses[3]);
        SweepHit hit{};
        const int met = kernel(first.shape(), poses[0], poses[1], second.shape(), poses[2], poses[3], tolerance, hit);
        if (met < 0) supported = false;
        static_cast<double*>(times)[k] = met == 1 ? hit.time : HUGE_VAL;
        static_cast<double*>(distances)[k] = hit.at_hit.distance;
        std::copy_n(hit.at_hit.normal, 3, static_cast<double*>(normals) + 3 * k);
        std::copy_n(hit.at_hit.on_first, 3, static_cast<double*>(on_first) + 3 * k);
        std::copy_n(hit.at_hit.on_second, 3, static_cast<double*>(on_second) + 3 * k);
    });
    if (!supported) raise_unsupported(first.shape(), second.shape());
    return out;
}

}  // namespace

void bind_contact_points(nb::module_& m) {
    m.def("contact_points", &contact_points, "first"_a, "T_first"_a, "second"_a, "T_second"_a, "margin"_a,
          nb::sig("def contact_points(first: CollisionShape, T_first: " ARRAY ", second: CollisionShape, T_second: " ARRAY
                  ", margin: float) -> tuple[" INTEGERS ", " FLOATS "]"),
          R"(All points of contact of two shapes in each of many poses, on threads.

Args:
    first, second: the shapes.
    T_first, T_second: their poses (..., 4, 4) in the world [m].
    margin: distance up to which they are in contact [m].

Returns:
    Index of the pose, number of the manifold, number of the features (n, 3); normal from the second shape to the first, points on
    the first and on the second [m], gap between them along the normal [m] (n, 10).

Raises:
    UnsupportedShapeError: two planes, two height fields.
    ValueError: wrong shapes of arrays, what are no rigid transforms, a negative margin.
    TypeError: what are no numbers.)");
    m.def("sweep", &sweep, "first"_a, "start_first"_a, "end_first"_a, "second"_a, "start_second"_a, "end_second"_a, "tolerance"_a,
          nb::sig("def sweep(first: CollisionShape, start_first: " ARRAY ", end_first: " ARRAY ", second: CollisionShape, start_second: "
                  ARRAY ", end_second: " ARRAY ", tolerance: float) -> tuple[" FLOATS ", " FLOATS ", " FLOATS ", " FLOATS ", " FLOATS "]"),
          R"(When two shapes meet first on their ways from one pose to another, on threads.

Origins move along lines, axes turn about one axis by the shorter way, both at constant speeds.

Args:
    first, second: the shapes.
    start_first, end_first, start_second, end_second: their poses (..., 4, 4) in the world [m].
    tolerance: distance from which on they meet [m].

Returns:
    Times (...) as shares of the ways, 0 to 1, infinite where they do not meet; then (of those that do not meet: where the search
    ended) distances (...) [m], normals from the second shape to the first (..., 3), nearest points on both (..., 3) [m].

Raises:
    UnsupportedShapeError: two planes, two surfaces of triangles (meshes, height fields), a plane that turns.
    ValueError: wrong shapes of arrays, what are no rigid transforms, a tolerance that is not positive.
    TypeError: what are no numbers.)");
}

}  // namespace kido
