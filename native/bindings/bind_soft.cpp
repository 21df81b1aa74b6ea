
#include <algorithm>

#include "kept_array.hpp"
#include "result_arrays.hpp"
#include "soft_state.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define INTEGERS "numpy.typing.NDArray[numpy.int64]"
#define FLAGS "numpy.typing.NDArray[numpy.uint8]"

namespace kido {

using namespace nb::literals;

namespace {

std::vector<double> kept_row(const char* name, const nb::object& value, npy_intp count) {
    const auto* x = static_cast<const double*>(kept_array(name, value, NPY_DOUBLE, count, kNoColumns));
    return {x, x + count};
}
std::vector<double> kept_rows(const char* name, const nb::object& value, npy_intp count) {
    const auto* x = static_cast<const double*>(kept_array(name, value, NPY_DOUBLE, count, 3));
    return {x, x + 3 * count};
}
npy_intp length_of(const char* name, const nb::object& value) {
    auto* array = reinterpret_cast<PyArrayObject*>(value.ptr());
    if (!PyArray_Check(value.ptr()) || PyArray_NDIM(array) < 1) throw nb::value_error((std::string(name) + ": expected an array").c_str());
    return PyArray_DIM(array, 0);
}

void set_springs(SoftState& s, nb::object vertex_stiffness, nb::object edge_stiffness, nb::object damping, nb::object frozen, bool weighs) {
    const npy_intp n = s.size(), edges = static_cast<npy_intp>(s.points.edges.size() / 2);
    SoftPoints points = s.points;
    points.vertex_stiffness = kept_row("vertex_stiffness", vertex_stiffness, n);
    points.edge_stiffness = kept_row("edge_stiffness", edge_stiffness, edges);
    points.damping = kept_row("damping", damping, n);
    const auto* still = static_cast<const unsigned char*>(kept_array("frozen", frozen, NPY_UINT8, n, kNoColumns));
    points.frozen.assign(still, still + n);
    points.weighs = weighs;
    s.points = std::move(points);
    ++s.material;
}

SoftState make(nb::object mass, nb::object rest, nb::object edges, nb::object faces, nb::object vertex_stiffness, nb::object edge_stiffness, nb::object damping,
               nb::object frozen, bool weighs) {
    SoftState s;
    const npy_intp n = length_of("mass", mass), count = length_of("edges", edges);
    s.points.mass = kept_row("mass", mass, n);
    s.points.rest = kept_rows("rest", rest, n);
    const auto* pairs = static_cast<const std::int64_t*>(kept_array("edges", edges, NPY_INT64, count, 2));
    for (npy_intp k = 0; k < 2 * count; ++k) {
        require_index("edges", static_cast<int>(pairs[k]), n);
        s.points.edges.push_back(static_cast<int>(pairs[k]));
    }
    const npy_intp triangles = length_of("faces", faces);
    const auto* corners = static_cast<const std::int64_t*>(kept_array("faces", faces, NPY_INT64, triangles, 3));
    for (npy_intp k = 0; k < 3 * triangles; ++k) {
        require_index("faces", static_cast<int>(corners[k]), n);
        s.points.faces.push_back(static_cast<int>(corners[k]));
    }
    set_springs(s, vertex_stiffness, edge_stiffness, damping, frozen, weighs);
    for (auto* numbers : {&s.displacements, &s.velocities, &s.accelerations, &s.forces}) numbers->assign(3 * n, 0.0);
    return s;
}

using Numbers = std::vector<double> SoftState::*;

nb::object read(const SoftState& s, Numbers numbers) {
    nb::object out = floats(s.size(), 3);
    std::copy((s.*numbers).begin(), (s.*numbers).end(), numbers_of(out));
    PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(out.ptr()), NPY_ARRAY_WRITEABLE);
    return out;
}
void write(SoftState& s, const char* name, Numbers numbers, const nb::object& values) {
    s.*numbers = kept_rows(name, values, s.size());
    ++s.motion;
}

#define KIDO_NUMBERS(name, text)                                                                      \
    c.def_prop_rw(                                                                                    \
        #name, [](const SoftState& s) { return read(s, &SoftState::name); },                          \
        [](SoftState& s, nb::object values) { write(s, #name, &SoftState::name, values); },           \
        nb::for_getter(nb::sig("def " #name "(self) -> " FLOATS)),                                    \
        nb::for_setter(nb::sig("def " #name "(self, values: " FLOATS ", /) -> None")), text)

}  // namespace

void bind_soft(nb::module_& m) {
    auto c = nb::class_<SoftState>(m, "SoftState", "Numbers of point masses around a body, which worlds read and write.");
    c.def("__init__",
          [](SoftState* s, nb::object mass, nb::object rest, nb::object edges, nb::object faces, nb::object vertex_stiffness,
             nb::object edge_stiffness, nb::object damping, nb::object frozen, bool weighs) {
              new (s) SoftState(make(mass, rest, edges, faces, vertex_stiffness, edge_stiffness, damping, frozen, weighs));
          },
          "mass"_a, "rest"_a, "edges"_a, "faces"_a, "vertex_stiffness"_a, "edge_stiffness"_a, "damping"_a, "frozen"_a, "weighs"_a,
          nb::sig("def __init__(self, mass: " FLOATS ", rest: " FLOATS ", edges: " INTEGERS ", faces: " INTEGERS ", vertex_stiffness: " FLOATS
                  ", edge_stiffness: " FLOATS ", damping: " FLOATS ", frozen: " FLAGS ", weighs: bool) -> None"),
          "At rest; springs as of `set_springs`.")
        .def("set_springs", &set_springs, "vertex_stiffness"_a, "edge_stiffness"_a, "damping"_a, "frozen"_a, "weighs"_a,
             nb::sig("def set_springs(self, vertex_stiffness: " FLOATS ", edge_stiffness: " FLOATS ", damping: " FLOATS ", frozen: " FLAGS
                     ", weighs: bool) -> None"),
             "Springs of the points (n,) and edges (k,), which points stand still, whether they have weight.")
        .def_ro("motion_version", &SoftState::motion, "Another number whenever points moved.");
    KIDO_NUMBERS(displacements, "From where the points rest (n, 3), in the body's axes [m].");
    KIDO_NUMBERS(velocities, "Of the points beside the body (n, 3), in its axes [m/s].");
    KIDO_NUMBERS(accelerations, "Of the points beside the body (n, 3), in its axes [m/s^2].");
    KIDO_NUMBERS(forces, "On the points from outside (n, 3), in the body's axes [N].");
}

}  // namespace kido
