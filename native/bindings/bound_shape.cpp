#include "bound_shape.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "number_table.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"

namespace kido {

using namespace nb::literals;

namespace {

struct KindName {
    const char* name;
    int sizes;  // numbers that it has
};

constexpr KindName kKinds[] = {{"sphere", 1},    {"capsule", 2}, {"box", 3},   {"cylinder", 2}, {"cone", 2},
                               {"ellipsoid", 3}, {"plane", 0},   {"hull", -1}, {"mesh", -1},    {"height_field", -1}};

std::vector<double> numbers_of(nb::handle value) {
    const nb::object array = doubles(value);
    auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
    const double* data = static_cast<const double*>(PyArray_DATA(a));
    std::vector<double> out(data, data + PyArray_SIZE(a));
    if (!std::all_of(out.begin(), out.end(), [](double x) { return std::isfinite(x); })) {
        throw nb::value_error("expected finite numbers");
    }
    return out;
}

nb::object array_of(const std::vector<double>& numbers, npy_intp columns) {
    void* data;
    nb::object array = empty(NPY_DOUBLE, {static_cast<npy_intp>(numbers.size()) / columns, columns}, data);
    std::copy(numbers.begin(), numbers.end(), static_cast<double*>(data));
    return array;
}

BoundShape hull(nb::handle vertices, nb::handle planes, std::vector<int> first_corner, std::vector<int> corners,
                std::vector<int> edges, double inner_radius) {
    table("vertices", vertices, 3);
    table("planes", planes, 4);
    try {
        return BoundShape(HullTables{numbers_of(vertices), numbers_of(planes), std::move(first_corner), std::move(corners), std::move(edges), inner_radius});
    } catch (const std::invalid_argument& error) {
        throw nb::value_error(error.what());
    }
}

BoundShape mesh(nb::handle vertices, std::vector<int> corners) {
    table("vertices", vertices, 3);
    try {
        return BoundShape(MeshTables{numbers_of(vertices), std::move(corners)});
    } catch (const std::invalid_argument& error) {
        throw nb::value_error(error.what());
    }
}

BoundShape height_field(nb::handle heights, double spacing_x, double spacing_y) {
    const nb::object array = doubles(heights);
    auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
    if (PyArray_NDIM(a) != 2) throw nb::value_error("heights: expected shape (rows, columns) [m]");
    try {
        return BoundShape(FieldTables{numbers_of(array), static_cast<int>(PyArray_DIM(a, 0)), static_cast<int>(PyArray_DIM(a, 1)),
                                      {spacing_x, spacing_y}});
    } catch (const std::invalid_argument& error) {
        throw nb::value_error(error.what());
    }
}

nb::tuple sizes(const BoundShape& self) {
    const CollisionShape& shape = self.shape();
    switch (kKinds[static_cast<int>(shape.kind)].sizes) {
        case 1: return nb::make_tuple(shape.size[0]);
        case 2: return nb::make_tuple(shape.size[0], shape.size[1]);
        case 3: return nb::make_tuple(shape.size[0], shape.size[1], shape.size[2]);
        default: return nb::make_tuple();
    }
}

// Kind and sizes, or the tables of a hull, mesh or height field.
nb::tuple state_of(const BoundShape& self) {
    const HullTables& t = self.tables();
    if (self.shape().kind == ShapeKind::mesh) {
        const MeshTables& m = self.surface().mesh_tables();
        return nb::make_tuple("mesh", nb::make_tuple(array_of(m.vertices, 3), m.corners));
    }
    if (self.shape().kind == ShapeKind::height_field) {
        const FieldTables& f = self.surface().field_tables();
        return nb::make_tuple("height_field", nb::make_tuple(array_of(f.heights, f.columns), f.spacing[0], f.spacing[1]));
    }
    if (self.shape().kind != ShapeKind::hull) return nb::make_tuple(kind_name(self.shape().kind), sizes(self));
    return nb::make_tuple("hull", nb::make_tuple(array_of(t.vertices, 3), array_of(t.planes, 4), t.first_corner, t.corners, t.edges,
                                                 t.inner_radius));
}

BoundShape from_state(const nb::tuple& state) {
    if (state.size() != 2) throw nb::value_error("state: expected kind and sizes");
    const auto kind = nb::cast<std::string>(state[0]);
    const bool has_tables = kind == "hull" || kind == "mesh" || kind == "height_field";
    if (!has_tables) return BoundShape(kind, state[1]);
    const nb::tuple t = nb::cast<nb::tuple>(state[1]);
    if (t.size() != (kind == "hull" ? 6 : kind == "mesh" ? 2 : 3)) throw nb::value_error("state: expected the tables of the shape");
    if (kind == "mesh") return mesh(t[0], nb::cast<std::vector<int>>(t[1]));
    if (kind == "height_field") return height_field(t[0], nb::cast<double>(t[1]), nb::cast<double>(t[2]));
    return hull(t[0], t[1], nb::cast<std::vector<int>>(t[2]), nb::cast<std::vector<int>>(t[3]), nb::cast<std::vector<int>>(t[4]),
                nb::cast<double>(t[5]));
}

}  // namespace

const char* kind_name(ShapeKind kind) { return kKinds[static_cast<int>(kind)].name; }

void raise_unsupported(const CollisionShape& a, const CollisionShape& b) {
    const nb::object error = nb::module_::import_("kido.errors").attr("UnsupportedShapeError");
    const std::string pair = std::string(kind_name(a.kind)) + " and " + kind_name(b.kind);
    const nb::object instance = error(pair, "collision shapes", "the native detector");
    PyErr_SetObject(error.ptr(), instance.ptr());
    throw nb::python_error();
}

BoundShape::BoundShape(const std::string& kind, nb::handle size) {
    const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindName& k) { return kind == k.name; });
    if (found == std::end(kKinds) || found->sizes < 0) throw nb::value_error("kind: expected that of a shape that its sizes describe");
    const std::vector<double> given = numbers_of(size);
    if (static_cast<int>(given.size()) != found->sizes || !std::all_of(given.begin(), given.end(), [](double x) { return x > 0.0; })) {
        throw nb::value_error(("size: expected " + std::to_string(found->sizes) + " positive numbers [m]").c_str());
    }
    double numbers[3] = {};
    std::copy(given.begin(), given.end(), numbers);
    storage_ = std::make_shared<ShapeStorage>(static_cast<ShapeKind>(found - std::begin(kKinds)), numbers);
}

void bind_collision_shape(nb::module_& m) {
    nb::class_<BoundShape> type(m, "CollisionShape");
    type.doc() = "A shape as collision sees it, about the origin of its own frame. Immutable.";
    type.def(
        "__init__", [](BoundShape* self, const std::string& kind, nb::handle size) { new (self) BoundShape(kind, size); }, "kind"_a,
        "size"_a, nb::sig("def __init__(self, kind: str, size: " ARRAY ") -> None"),
        R"(Make a shape that its sizes describe.

Args:
    kind: "sphere" (radius), "capsule", "cylinder" or "cone" (radius, half of the length; along z), "box" (halves of the edges),
        "ellipsoid" (semi-axes), "plane" (none: all points with z <= 0).
    size: these numbers [m].

Raises:
    ValueError: another kind, another number of sizes, sizes that are not positive.)");
    type.def_static("hull", &hull, "vertices"_a, "planes"_a, "first_corner"_a, "corners"_a, "edges"_a, "inner_radius"_a,
                    nb::sig("def hull(vertices: " ARRAY ", planes: " ARRAY
                            ", first_corner: list[int], corners: list[int], edges: list[int], inner_radius: float) -> CollisionShape"),
                    R"(Make a convex polyhedron from tables, as kido.collision makes them.

Args:
    vertices: (n, 3) [m].
    planes: (k, 4): outward unit normals of the faces and their offsets along these [m].
    first_corner: (k + 1,): where each face's corners begin.
    corners: indices of vertices, face after face, counterclockwise seen from outside.
    edges: pairs of vertices, those of a triangulation of the faces.
    inner_radius: of a ball that fits into it [m].

Raises:
    ValueError: tables that do not fit together.)");
    type.def_static("mesh", &mesh, "vertices"_a, "corners"_a,
                    nb::sig("def mesh(vertices: " ARRAY ", corners: list[int]) -> CollisionShape"),
                    R"(Make a surface of triangles, solid on the side that their normals point away from.

Args:
    vertices: (n, 3) [m].
    corners: indices of vertices, three of each triangle, counterclockwise seen from outside.

Raises:
    ValueError: tables that do not fit together, triangles without an area.)");
    type.def_static("height_field", &height_field, "heights"_a, "spacing_x"_a, "spacing_y"_a,
                    nb::sig("def height_field(heights: " ARRAY ", spacing_x: float, spacing_y: float) -> CollisionShape"),
                    R"(Make ground of heights over a grid about the z axis.

Args:
    heights: (rows, columns) [m]; rows along y, columns along x.
    spacing_x, spacing_y: distances of grid lines [m].

Raises:
    ValueError: fewer than two rows or columns, distances that are not positive, numbers that are not finite.)");
    type.def_prop_ro("kind", [](const BoundShape& self) { return kind_name(self.shape().kind); }, nb::sig("def kind(self) -> str"),
                     "Kind of the shape.");
    type.def_prop_ro("size", &sizes, nb::sig("def size(self) -> tuple[float, ...]"), "Sizes as they were given [m]; none of a hull, mesh or height field.");
    type.def_prop_ro("radius", [](const BoundShape& self) { return self.shape().radius; },
                     "Radius of the ball about the origin that holds it [m]; infinite for a plane.");
    type.def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> tuple[str, tuple[object, ...]]"));
    type.def(
        "__setstate__", [](BoundShape& self, const nb::tuple& state) { new (&self) BoundShape(from_state(state)); },
        nb::sig("def __setstate__(self, state: tuple[str, tuple[object, ...]], /) -> None"));
}

}  // namespace kido
