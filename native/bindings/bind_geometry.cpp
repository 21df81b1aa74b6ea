#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
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

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct ManifoldArrays {
    std::int64_t *count, *feature;
    double *normal, *on_first, *on_second, *gap;

    void write(std::size_t k, const ContactManifold& manifold) const {
        count[k] = manifold.count;
        std::copy(manifold.normal, manifold.normal + 3, normal + 3 * k);
        for (int i = 0; i < kManifoldPoints; ++i) {
            const ContactPoint& point = manifold.points[i];
            const bool used = i < manifold.count;
            const std::size_t row = kManifoldPoints * k + i;
            gap[row] = used ? point.gap : kNone;
            feature[row] = used ? point.feature : 0;
            for (int j = 0; j < 3; ++j) {
                on_first[3 * row + j] = used ? point.on_first[j] : kNone;
                on_second[3 * row + j] = used ? point.on_second[j] : kNone;
            }
        }
    }
};

nb::tuple collide(const BoundShape& first, nb::handle T_first, const BoundShape& second, nb::handle T_second, double margin,
                  PairMemory* memory) {
    if (std::isnan(margin) || margin < 0.0) throw nb::value_error("margin: expected a number >= 0 [m]");
    LeadingAxes leading;
    const PoseArgument a("T_first", T_first, leading), b("T_second", T_second, leading);
    if (memory && leading.count() != 1) throw nb::value_error("memory: expected a single pair of poses with it");
    void *count, *normal, *on_first, *on_second, *gap, *feature;
    const nb::tuple out = nb::make_tuple(
        leading.results(NPY_INT64, {}, count), leading.results(NPY_DOUBLE, {3}, normal),
        leading.results(NPY_DOUBLE, {kManifoldPoints, 3}, on_first), leading.results(NPY_DOUBLE, {kManifoldPoints, 3}, on_second),
        leading.results(NPY_DOUBLE, {kManifoldPoints}, gap), leading.results(NPY_INT64, {kManifoldPoints}, feature));
    const ManifoldArrays arrays = {static_cast<std::int64_t*>(count),   static_cast<std::int64_t*>(feature),
                                   static_cast<double*>(normal),        static_cast<double*>(on_first),
                                   static_cast<double*>(on_second),     static_cast<double*>(gap)};
    const auto kernel = active_kernels().geometry.collide;
    std::atomic<bool> supported = true;
    for_ranges(leading.count(), [&](const SampleRange&, std::size_t k) {
        double pose_a[12], pose_b[12];
        a.read(k, pose_a);
        b.read(k, pose_b);
        PairMemory fresh{};
        ContactManifold manifold{{kNone, kNone, kNone}, 0, 0, {}};
        const int found = kernel(first.shape(), pose_a, second.shape(), pose_b, margin, memory ? *memory : fresh, &manifold, 1);
        if (found == kUnsupportedPair) supported = false;
        if (found <= 0) manifold = {{kNone, kNone, kNone}, 0, 0, {}};
        arrays.write(k, manifold);
    });
    if (!supported) raise_unsupported(first.shape(), second.shape());
    return out;
}

nb::tuple distance(const BoundShape& first, nb::handle T_first, const BoundShape& second, nb::handle T_second) {
    LeadingAxes leading;
    const PoseArgument a("T_first", T_first, leading), b("T_second", T_second, leading);
    void *distances, *normals, *on_first, *on_second;
    const nb::tuple out = nb::make_tuple(leading.results(NPY_DOUBLE, {}, distances), leading.results(NPY_DOUBLE, {3}, normals),
                                         leading.results(NPY_DOUBLE, {3}, on_first), leading.results(NPY_DOUBLE, {3}, on_second));
    const auto kernel = active_kernels().geometry.distance;
    std::atomic<bool> supported = true;
    for_ranges(leading.count(), [&](const SampleRange&, std::size_t k) {
        double pose_a[12], pose_b[12];
        a.read(k, pose_a);
        b.read(k, pose_b);
        ShapeDistance found{};
        if (kernel(first.shape(), pose_a, second.shape(), pose_b, found) != 0) supported = false;
        static_cast<double*>(distances)[k] = found.distance;
        std::copy(found.normal, found.normal + 3, static_cast<double*>(normals) + 3 * k);
        std::copy(found.on_first, found.on_first + 3, static_cast<double*>(on_first) + 3 * k);
        std::copy(found.on_second, found.on_second + 3, static_cast<double*>(on_second) + 3 * k);
    });
    if (!supported) raise_unsupported(first.shape(), second.shape());
    return out;
}

Ray ray_from(const double* origin, const double* direction, double length) {
    Ray ray{};
    // In two steps, so that directions of any length give one of length 1.
    const double largest = std::max({std::fabs(direction[0]), std::fabs(direction[1]), std::fabs(direction[2])});
    const double d[3] = {direction[0] / largest, direction[1] / largest, direction[2] / largest};
    const double size = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int i = 0; i < 3; ++i) {
        ray.origin[i] = origin[i];
        ray.direction[i] = d[i] / size;
    }
    ray.length = length;
    return ray;
}

nb::tuple ray_cast(const BoundShape& shape, nb::handle T_shape, nb::handle origin, nb::handle direction, double length) {
    if (std::isnan(length) || length < 0.0) throw nb::value_error("length: expected a number >= 0 [m]");
    LeadingAxes leading;
    const PoseArgument pose("T_shape", T_shape, leading);
    const VectorArgument origins("origin", origin, "m", leading), directions("direction", direction, "-", leading);
    if (!directions.all([](const double* d) { return d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0; })) {
        throw nb::value_error("direction: expected vectors other than zero");
    }
    void *distances, *normals;
    const nb::tuple out = nb::make_tuple(leading.results(NPY_DOUBLE, {}, distances), leading.results(NPY_DOUBLE, {3}, normals));
    const auto kernel = active_kernels().geometry.ray_cast;
    for_ranges(leading.count(), [&](const SampleRange&, std::size_t k) {
        double numbers[12];
        pose.read(k, numbers);
        RayHit hit{};
        const bool met = kernel(shape.shape(), numbers, ray_from(origins.at(k), directions.at(k), length), hit) == 1;
        static_cast<double*>(distances)[k] = met ? hit.distance : std::numeric_limits<double>::infinity();
        for (int i = 0; i < 3; ++i) static_cast<double*>(normals)[3 * k + i] = met ? hit.normal[i] : kNone;
    });
    return out;
}

}  // namespace

void bind_geometry(nb::module_& m) {
    nb::class_<PairMemory>(m, "PairMemory", "What a pair of shapes remembers from one test to the next.")
        .def("__init__", [](PairMemory* self) { new (self) PairMemory{}; })
        .def_prop_ro("axis", [](const PairMemory& p) { return nb::make_tuple(p.axis[0], p.axis[1], p.axis[2]); },
                     nb::sig("def axis(self) -> tuple[float, float, float]"),
                     "Last direction of separation or contact, from the second shape to the first, in world axes.")
        .def_prop_ro("gap", [](const PairMemory& p) { return p.gap; }, "Lower bound of the distance where there was no contact [m].");
    m.def("collide", &collide, "first"_a, "T_first"_a, "second"_a, "T_second"_a, "margin"_a, "memory"_a.none() = nb::none(),
          nb::sig("def collide(first: CollisionShape, T_first: " ARRAY ", second: CollisionShape, T_second: " ARRAY
                  ", margin: float, memory: PairMemory | None = None) -> tuple[" INTEGERS ", " FLOATS ", " FLOATS ", " FLOATS
                  ", " FLOATS ", " INTEGERS "]"),
          R"(Contacts of two shapes in each of many poses.

Args:
    first, second: the shapes.
    T_first, T_second: their poses (..., 4, 4) in the world [m].
    margin: distance up to which they are in contact [m].
    memory: of this pair, with a single pair of poses.

Returns:
    Number of points (...), 0 where the shapes are farther apart; normals (..., 3) from the second shape to the first; points on
    the first and on the second (..., 4, 3) [m]; gaps between them along the normal (..., 4) [m], negative where the shapes
    overlap; numbers of the features that meet (..., 4). NaN where there is no point.

Raises:
    UnsupportedShapeError: two planes, two height fields.
    ValueError: wrong shapes of arrays, what are no rigid transforms, a negative margin.
    TypeError: what are no numbers.)");
    m.def("distance", &distance, "first"_a, "T_first"_a, "second"_a, "T_second"_a,
          nb::sig("def distance(first: CollisionShape, T_first: " ARRAY ", second: CollisionShape, T_second: " ARRAY
                  ") -> tuple[" FLOATS ", " FLOATS ", " FLOATS ", " FLOATS "]"),
          R"(Signed distance of two shapes in each of many poses.

Args:
    first, second: the shapes.
    T_first, T_second: their poses (..., 4, 4) in the world [m].

Returns:
    Distances (...) [m], negative where the shapes overlap: minus the length of the shortest way apart; normals (..., 3) from the
    second shape to the first; nearest points on the first and on the second (..., 3) [m].

Raises:
    UnsupportedShapeError: two planes, two surfaces of triangles (meshes, height fields).
    ValueError: wrong shapes of arrays, what are no rigid transforms.
    TypeError: what are no numbers.)");
    m.def("ray_cast", &ray_cast, "shape"_a, "T_shape"_a, "origin"_a, "direction"_a, "length"_a,
          nb::sig("def ray_cast(shape: CollisionShape, T_shape: " ARRAY ", origin: " ARRAY ", direction: " ARRAY
                  ", length: float) -> tuple[" FLOATS ", " FLOATS "]"),
          R"(Where rays meet a shape first. A ray that begins inside meets it at once, with a normal against the ray.

Args:
    shape: the shape.
    T_shape: its poses (..., 4, 4) in the world [m].
    origin, direction: of the rays (..., 3) [m], [-]; directions of any length but zero.
    length: of the rays [m].

Returns:
    Distances along the rays (...) [m], infinite where a ray meets nothing; outward normals there (..., 3), NaN where not.

Raises:
    ValueError: wrong shapes of arrays, what are no rigid transforms, a direction of zero.
    TypeError: what are no numbers.)");
}

}  // namespace kido
