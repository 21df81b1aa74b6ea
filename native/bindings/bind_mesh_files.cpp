#include "result_arrays.hpp"
#include "stl.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"

namespace kido {

using namespace nb::literals;

namespace {

nb::tuple binary_stl_points(nb::bytes data, std::size_t count, nb::tuple scale) {
    if (nb::len(scale) != 3) throw nb::value_error("scale: expected 3 numbers");
    const double factors[] = {nb::cast<double>(scale[0]), nb::cast<double>(scale[1]), nb::cast<double>(scale[2])};
    if (data.size() < kStlHeader || (data.size() - kStlHeader) / kStlTriangle < count) {
        throw nb::value_error("data: shorter than its triangles");
    }
    const nb::object points = floats(static_cast<npy_intp>(3 * count), 3);
    const auto* triangles = reinterpret_cast<const unsigned char*>(data.c_str()) + kStlHeader;
    double* out = numbers_of(points);
    std::size_t wrong;
    {
        nb::gil_scoped_release released;
        wrong = stl_points(triangles, count, factors, out);
    }
    return nb::make_tuple(points, wrong);
}

}  // namespace

void bind_mesh_files(nb::module_& m) {
    m.def("binary_stl_points", &binary_stl_points, "data"_a, "count"_a, "scale"_a,
          nb::sig("def binary_stl_points(data: bytes, count: int, scale: tuple[float, float, float]) "
                  "-> tuple[" FLOATS ", int]"),
          "Corners (3 count, 3) of the first triangles of a binary STL file, times `scale` for each axis, and how many of "
          "them are not finite before that.");
}

}  // namespace kido
