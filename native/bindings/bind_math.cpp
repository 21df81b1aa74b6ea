#include "bind_math.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "long_call.hpp"
#include "topics.hpp"

// The kernels of kido.math, each over many rows: an input has one row or as many as the output.

namespace nb = nanobind;
using namespace nb::literals;
using namespace kido;

namespace {

template <class Argument>
using RowOf = rows::Row<std::remove_cvref_t<Argument>>;
template <class Argument>
using Input = nb::ndarray<const double, nb::shape<-1, RowOf<Argument>::width>, nb::c_contig, nb::device::cpu>;
template <class Result>
using Output = nb::ndarray<double, nb::shape<-1, RowOf<Result>::width>, nb::c_contig, nb::device::cpu>;

template <class Argument>
struct Reader {
    const double* data;
    std::size_t step;

    Reader(const Input<Argument>& input, std::size_t count)
        : data(input.data()), step(RowOf<Argument>::width) {
        if (input.shape(0) == count) return;
        if (input.shape(0) != 1) throw nb::value_error("an input needs one row, or as many as the output");
        step = 0;
    }
    auto operator[](std::size_t i) const { return RowOf<Argument>::read(data + i * step); }
};

// Rows between two looks at the stop signal.
constexpr std::size_t kPiece = 1 << 12;

template <class Result, class F, class... Arguments>
void for_rows(const F& f, const Output<Result>& out, const Reader<Arguments>&... in) {
    const std::size_t count = out.shape(0);
    double* const rows = out.data();
    without_lock([&](StopSignal* stop) {
        std::size_t i = 0;
        do {
            const std::size_t end = std::min(count, i + kPiece);
            for (; i < end; ++i) RowOf<Result>::write(f(in[i]...), rows + i * RowOf<Result>::width);
        } while (i < count && !stop->poll());
    });
}

template <class Result, class... Arguments>
void bind_rows(nb::module_& m, const char* name, Result (*f)(Arguments...)) {
    m.def(
        name,
        [f](const Input<Arguments>&... in, const Output<Result>& out) {
            for_rows<Result>(f, out, Reader<Arguments>(in, out.shape(0))...);
        },
        ((void)sizeof(Arguments), nb::arg().noconvert())..., "out"_a.noconvert());
}

template <class Result, class Argument>
void bind_euler(nb::module_& m, const char* name, Result (*f)(const Argument&, EulerOrder)) {
    m.def(
        name,
        [f](int first, int second, int last, const Input<Argument>& in, const Output<Result>& out) {
            const auto axis = [](int i) { return i >= 0 && i < 3; };
            if (!axis(first) || !axis(second) || !axis(last) || first == second || second == last)
                throw nb::value_error("an order needs axes 0, 1 or 2 that differ from their neighbours");
            const EulerOrder order{first, second, last};
            for_rows<Result>([&](const Argument& a) { return f(a, order); }, out,
                             Reader<Argument>(in, out.shape(0)));
        },
        "first"_a, "second"_a, "last"_a, nb::arg().noconvert(), "out"_a.noconvert());
}

// The index of the first row whose defect is not within the tolerance, -1 if there is none.
template <class Argument>
std::ptrdiff_t first_bad(double (*defect)(const Argument&), const Input<Argument>& in, double tolerance) {
    const Reader<Argument> all(in, in.shape(0));
    for (std::size_t i = 0; i < in.shape(0); ++i)
        if (!(defect(all[i]) <= tolerance)) return static_cast<std::ptrdiff_t>(i);
    return -1;
}

double largest_magnitude(const nb::ndarray<const double, nb::c_contig, nb::device::cpu>& array) {
    return rows::largest_magnitude(array.data(), array.size());
}

void bind_checks(nb::module_& m) {
    using GilReleased = nb::call_guard<LongCall>;
    m.def("largest_magnitude", &largest_magnitude, nb::arg().noconvert(), GilReleased());
    m.def(
        "first_bad_rotation",
        [](const Input<Mat3<double>>& in, double tolerance) {
            return first_bad(rows::rotation_defect, in, tolerance);
        },
        nb::arg().noconvert(), "tolerance"_a, GilReleased());
    m.def(
        "first_bad_transform",
        [](const Input<rows::Matrix4>& in, double tolerance) {
            return first_bad(rows::transform_defect, in, tolerance);
        },
        nb::arg().noconvert(), "tolerance"_a, GilReleased());
    bind_rows(m, "rotation_defect", rows::rotation_defect);
    bind_rows(m, "transform_defect", rows::transform_defect);
}

void bind_groups(nb::module_& m) {
    bind_rows(m, "so3_exp", so3_exp<double>);
    bind_rows(m, "so3_log", so3_log<double>);
    bind_rows(m, "so3_left_jacobian", so3_left_jacobian<double>);
    bind_rows(m, "so3_right_jacobian", so3_right_jacobian<double>);
    bind_rows(m, "so3_left_jacobian_inverse", so3_left_jacobian_inverse<double>);
    bind_rows(m, "so3_right_jacobian_inverse", so3_right_jacobian_inverse<double>);
    bind_rows(m, "se3_exp", se3_exp<double>);
    bind_rows(m, "se3_log", se3_log<double>);
    bind_rows(m, "se3_left_jacobian", se3_left_jacobian<double>);
    bind_rows(m, "se3_right_jacobian", se3_right_jacobian<double>);
    bind_rows(m, "se3_left_jacobian_inverse", se3_left_jacobian_inverse<double>);
    bind_rows(m, "se3_right_jacobian_inverse", se3_right_jacobian_inverse<double>);
    bind_rows(m, "inverse_transform", +[](const Transform<double>& a) { return inverse(a); });
}

void bind_parametrizations(nb::module_& m) {
    bind_rows(
        m, "quaternion_to_matrix", +[](const Quaternion<double>& q) { return rotation(normalized(q)); });
    bind_rows(m, "matrix_to_quaternion", quaternion<double>);
    bind_euler(m, "euler_to_matrix", euler_rotation<double>);
    bind_euler(m, "matrix_to_euler", euler_angles<double>);
}

void bind_spatial(nb::module_& m) {
    using Moment = Mat3<double>;
    bind_rows(m, "hat", skew<double>);
    bind_rows(m, "vee", unskew<double>);
    bind_rows(m, "adjoint", adjoint<double>);
    bind_rows(m, "coadjoint", coadjoint<double>);
    bind_rows(
        m, "transform_motion", +[](const Transform<double>& a, const Motion<double>& v) { return a * v; });
    bind_rows(
        m, "transform_force", +[](const Transform<double>& a, const Force<double>& f) { return a * f; });
    bind_rows(m, "motion_cross", motion_cross<double>);
    bind_rows(m, "force_cross", force_cross<double>);
    bind_rows(m, "motion_cross_matrix", motion_cross_matrix<double>);
    bind_rows(m, "force_cross_matrix", force_cross_matrix<double>);
    bind_rows(
        m, "spatial_inertia", +[](double mass, const Vec3<double>& com, const Moment& moment) {
            return inertia(mass, com, rows::symmetric_part(moment));
        });
    bind_rows(
        m, "transform_inertia", +[](const Transform<double>& a, const Inertia<double>& b) { return a * b; });
}

}  // namespace

void kido::bind_math(nb::module_& m) {
    bind_checks(m);
    bind_groups(m);
    bind_parametrizations(m);
    bind_spatial(m);
}
