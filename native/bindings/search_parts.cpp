#include "search_parts.hpp"

#include <algorithm>
#include <string>

#include "bound_frame.hpp"
#include "kido/tree/joint.hpp"
#include "number_table.hpp"

namespace kido {

std::vector<unsigned char> read_flags(const char* name, nb::handle value, npy_intp count) {
    std::vector<unsigned char> flags;
    for (const double x : read_row(name, value, count)) flags.push_back(x != 0.0);
    return flags;
}

SearchRanges::SearchRanges(nb::handle lower_limits, nb::handle upper_limits, nb::handle low, nb::handle high,
                           nb::handle turns)
    : lower(read_row("lower", lower_limits, -1)),
      upper(read_row("upper", upper_limits, static_cast<npy_intp>(lower.size()))),
      low_seed(read_row("low_seed", low, static_cast<npy_intp>(lower.size()))),
      high_seed(read_row("high_seed", high, static_cast<npy_intp>(lower.size()))),
      cyclic(read_flags("cyclic", turns, static_cast<npy_intp>(lower.size()))) {}

QuadraticPart::QuadraticPart(std::vector<int> dofs, nb::handle curvature, nb::handle slope, nb::handle middle)
    : dof(std::move(dofs)),
      H(dof.size() * dof.size()),
      g(read_row("slope", slope, static_cast<npy_intp>(dof.size()))),
      center(read_row("center", middle, static_cast<npy_intp>(dof.size()))) {
    const Table rows = table("curvature", curvature, static_cast<npy_intp>(dof.size()));
    if (rows.rows != static_cast<npy_intp>(dof.size())) throw nb::value_error("curvature: expected one row for each dof");
    std::copy_n(rows.data, H.size(), H.begin());
}

void place_in_link(const Body& body, const double* T, double* R, double* p) {
    const Mat3<double> in_body = {{T[0], T[4], T[8]}, {T[1], T[5], T[9]}, {T[2], T[6], T[10]}};
    const Mat3<double> in_link = mat3(body.R) * in_body;
    write3(R, in_link.x);
    write3(R + 3, in_link.y);
    write3(R + 6, in_link.z);
    write3(p, vec3(body.p) + mat3(body.R) * Vec3<double>{T[3], T[7], T[11]});
}

std::vector<double> read_targets(nb::handle targets) {
    const nb::object owner = doubles(targets);
    auto* array = reinterpret_cast<PyArrayObject*>(owner.ptr());
    if (PyArray_NDIM(array) != 3 || PyArray_DIM(array, 1) != 4 || PyArray_DIM(array, 2) != 4) {
        throw nb::value_error(("targets: expected shape (n, 4, 4) [m], got " + shape_text(array)).c_str());
    }
    const npy_intp count = PyArray_DIM(array, 0);
    const double* T = static_cast<const double*>(PyArray_DATA(array));
    std::vector<double> poses;
    poses.reserve(12 * count);
    for (npy_intp i = 0; i < count; ++i, T += 16) {
        for (int column = 0; column < 4; ++column) {
            for (int row = 0; row < 3; ++row) poses.push_back(T[4 * row + column]);
        }
    }
    return poses;
}

std::vector<double> read_row(const char* name, nb::handle value, npy_intp count) {
    const nb::object owner = doubles(value);
    auto* array = reinterpret_cast<PyArrayObject*>(owner.ptr());
    if (PyArray_NDIM(array) != 1 || (count >= 0 && PyArray_DIM(array, 0) != count)) {
        const std::string shape = count < 0 ? "(n,)" : "(" + std::to_string(count) + ",)";
        throw nb::value_error((std::string(name) + ": expected shape " + shape + ", got " + shape_text(array)).c_str());
    }
    const double* numbers = static_cast<const double*>(PyArray_DATA(array));
    return {numbers, numbers + PyArray_DIM(array, 0)};
}

}  // namespace kido
