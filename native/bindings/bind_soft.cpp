
#include <algorithm>

#include "kept_array.hpp"
#include "kido/tree/joint.hpp"
#include "result_arrays.hpp"
#include "soft_dynamics.hpp"
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

void set_springs(SoftState& s, nb::object vertex_stiffness, nb::object edge_stiffness, nb::object damping, nb::object frozen, bool weighs,
                 double bulk_modulus, double yield, bool along_edges) {
    const npy_intp n = s.size(), edges = static_cast<npy_intp>(s.points.edges.size() / 2);
    SoftPoints points = s.points;
    points.vertex_stiffness = kept_row("vertex_stiffness", vertex_stiffness, n);
    points.edge_stiffness = kept_row("edge_stiffness", edge_stiffness, edges);
    points.damping = kept_row("damping", damping, n);
    const auto* still = static_cast<const unsigned char*>(kept_array("frozen", frozen, NPY_UINT8, n, kNoColumns));
    points.frozen.assign(still, still + n);
    points.weighs = weighs;
    points.bulk_modulus = bulk_modulus;
    points.yield = yield;
    points.along_edges = along_edges;
    s.points = std::move(points);
    ++s.material;
}

SoftState make(nb::object mass, nb::object rest, nb::object edges, nb::object faces) {
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
    s.points.vertex_stiffness.assign(n, 0.0);
    s.points.damping.assign(n, 0.0);
    s.points.edge_stiffness.assign(count, 0.0);
    s.points.frozen.assign(n, 1);
    for (auto* numbers : {&s.displacements, &s.velocities, &s.accelerations, &s.forces, &s.yielded, &s.targets, &s.target_velocities, &s.pin_forces,
                          &s.began_displacements, &s.began_velocities, &s.began_yielded}) numbers->assign(3 * n, 0.0);
    return s;
}

Vec3<double> vector_of(const char* name, const nb::object& value) {
    return vec3(static_cast<const double*>(kept_array(name, value, NPY_DOUBLE, 3, kNoColumns)));
}

nb::object eliminate(SoftState& s, double step, nb::object spin, nb::object gravity, bool forces) {
    SoftLoad load;
    if (!SoftDynamics::of(s).eliminate(s, step, vector_of("spin", spin), vector_of("gravity", gravity), forces, load)) return nb::none();
    nb::object out = row_of(16);
    double* x = numbers_of(out);
    const Sym3<double>& I = load.second;
    const double second[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
    x[0] = load.mass;
    write3(x + 1, load.first);
    std::copy(second, second + 6, x + 4);
    write3(x + 10, load.torque);
    write3(x + 13, load.force);
    return out;
}

// Of points that were eliminated before.
SoftDynamics& eliminated(SoftState& s) {
    if (!SoftDynamics::of(s).knows(s)) throw nb::value_error("eliminate the points before");
    return *s.dynamics;
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
          [](SoftState* s, nb::object mass, nb::object rest, nb::object edges, nb::object faces) {
              new (s) SoftState(make(mass, rest, edges, faces));
          },
          "mass"_a, "rest"_a, "edges"_a, "faces"_a,
          nb::sig("def __init__(self, mass: " FLOATS ", rest: " FLOATS ", edges: " INTEGERS ", faces: " INTEGERS ") -> None"),
          "At rest and frozen, without springs: see `set_springs`.")
        .def("set_springs", &set_springs, "vertex_stiffness"_a, "edge_stiffness"_a, "damping"_a, "frozen"_a, "weighs"_a,
             "bulk_modulus"_a, "yielding"_a, "along_edges"_a,
             nb::sig("def set_springs(self, vertex_stiffness: " FLOATS ", edge_stiffness: " FLOATS ", damping: " FLOATS ", frozen: " FLAGS
                     ", weighs: bool, bulk_modulus: float, yielding: float, along_edges: bool) -> None"),
             "Springs of the points (n,) and edges (k,), which points stand still, whether they have weight; of the gas within the faces [Pa], "
             "0: none; how far points go before their places of rest follow [m]; whether springs of edges pull along them.")
        .def("set_pinned",
             [](SoftState& s, nb::object pinned) {
                 const auto* held = static_cast<const unsigned char*>(kept_array("pinned", pinned, NPY_UINT8, s.size(), kNoColumns));
                 const bool any = std::any_of(held, held + s.size(), [](unsigned char p) { return p != 0; });
                 std::vector<char> led(held, any ? held + s.size() : held);
                 if (led == s.points.pinned) return;
                 s.points.pinned = std::move(led);
                 ++s.material;
             },
             "pinned"_a, nb::sig("def set_pinned(self, pinned: " FLAGS ") -> None"), "Which points (n,) are led to `targets` by worlds.")
        .def("eliminate", &eliminate, "step"_a, "spin"_a, "gravity"_a, "forces"_a,
             nb::sig("def eliminate(self, step: float, spin: " FLOATS ", gravity: " FLOATS ", forces: bool) -> " FLOATS " | None"),
             "What the points leave at the body (16,) in a step [s], implicit in it: mass, first and second moment of an inertia, torque and "
             "force on it, about the body's origin in its axes; None where nothing holds them. `spin`: its angular velocity (3,); `gravity` (3,) on the points; `forces`: "
             "whether `forces` act.")
        .def("accelerate",
             [](SoftState& s, nb::object angular, nb::object linear, nb::object spin) {
                 eliminated(s).accelerate(s, vector_of("angular", angular), vector_of("linear", linear), vector_of("spin", spin));
             },
             "angular"_a, "linear"_a, "spin"_a,
             nb::sig("def accelerate(self, angular: " FLOATS ", linear: " FLOATS ", spin: " FLOATS ") -> None"),
             "After `eliminate`: write the points' accelerations under those of the body, whose linear one is of its origin, less gravity.")
        .def("follow",
             [](SoftState& s, nb::object angular, nb::object linear) {
                 eliminated(s).follow(s, vector_of("angular", angular), vector_of("linear", linear));
             },
             "angular"_a, "linear"_a, nb::sig("def follow(self, angular: " FLOATS ", linear: " FLOATS ") -> None"),
             "After `eliminate`: change the points' velocities by what changes of the body's make of them.")
        .def_ro("material_version", &SoftState::material, "Another number whenever springs, pins, or what is frozen changed.")
        .def_ro("motion_version", &SoftState::motion, "Another number whenever points moved.")
        .def_prop_ro("version", &SoftState::version,
                     "Another number whenever points moved, or springs changed.");
    KIDO_NUMBERS(displacements, "From where the points rest (n, 3), in the body's axes [m].");
    KIDO_NUMBERS(velocities, "Of the points beside the body (n, 3), in its axes [m/s].");
    KIDO_NUMBERS(accelerations, "Of the points beside the body (n, 3), in its axes [m/s^2].");
    KIDO_NUMBERS(yielded, "How far places of rest have moved (n, 3), in the body's axes [m].");
    KIDO_NUMBERS(targets, "Where points that are pinned are led (n, 3), in the world's axes [m].");
    KIDO_NUMBERS(target_velocities, "How fast that moves (n, 3) [m/s].");
    KIDO_NUMBERS(pin_forces, "On points that are pinned, in the last step (n, 3), in the world's axes [N].");
    KIDO_NUMBERS(began_displacements, "Where the last step of a world began, as `displacements`.");
    KIDO_NUMBERS(began_velocities, "Where the last step of a world began, as `velocities`.");
    KIDO_NUMBERS(began_yielded, "Where the last step of a world began, as `yielded`.");
    KIDO_NUMBERS(forces, "On the points from outside (n, 3), in the body's axes [N].");
}

}  // namespace kido
