#include "options.hpp"

#include <string>

#include "real_numbers.hpp"

namespace kido {

ReferenceFrame reference_frame(nb::handle name) {
    if (PyUnicode_Check(name.ptr())) {
        const auto is = [&](const char* text) { return PyUnicode_CompareWithASCIIString(name.ptr(), text) == 0; };
        if (is("world") || is("aligned")) return ReferenceFrame::world;
        if (is("body")) return ReferenceFrame::body;
        if (is("spatial")) return ReferenceFrame::spatial;
    }
    throw nb::value_error(("frame: expected 'world', 'body' or 'spatial', got " + brief(name)).c_str());
}

namespace {

void read_offset(nb::handle offset, double* out) {
    if (offset.is_none()) return;
    const std::string expected = "offset: expected shape (3,) [m], got ";
    nb::object owner = real_numbers(offset, [&] { return expected + brief(offset); });
    auto* a = reinterpret_cast<PyArrayObject*>(owner.ptr());
    if (PyArray_NDIM(a) != 1 || PyArray_DIM(a, 0) != 3) throw nb::value_error((expected + shape_text(a)).c_str());
    const double* data = static_cast<const double*>(PyArray_DATA(a));
    for (int i = 0; i < 3; ++i) {
        if (!(data[i] - data[i] == 0.0)) {
            throw nb::value_error(("offset: expected finite numbers [m], got " + std::to_string(data[i]) + " at [" +
                                   std::to_string(i) + "]")
                                      .c_str());
        }
        out[i] = data[i];
    }
}

}  // namespace

PointOptions point_options(const BoundTree& tree, nb::handle body, nb::handle offset, nb::handle frame) {
    PointOptions options{tree.body(body), reference_frame(frame), {0.0, 0.0, 0.0}};
    read_offset(offset, options.offset);
    return options;
}

nb::object of_motion(AnyCall& call, const BoundTree& tree, std::initializer_list<nb::handle> arguments,
                     nb::handle out) {
    static constexpr const char* names[] = {"q", "v", "a"};
    static constexpr const char* units[] = {kPositions, kVelocities, kAccelerations};
    int i = 0;
    for (nb::handle argument : arguments) {
        call.input(names[i], argument, {tree.model().num_dofs}, units[i]);
        ++i;
    }
    return call.run(out);
}

nb::object of_loads(AnyCall& call, const BoundTree& tree, nb::handle q, nb::handle v, const char* name,
                    nb::handle third, nb::handle wrenches, nb::handle out) {
    const int n = tree.model().num_dofs;
    call.input("q", q, {n}, kPositions);
    call.input("v", v, {n}, kVelocities);
    call.input(name, third, {n}, *name == 'a' ? kAccelerations : kForces);
    call.optional("wrenches", wrenches, {tree.model().num_bodies, 6}, kForces);
    return call.run(out);
}

void require_mass(const BoundTree& tree) {
    if (tree.model().total_mass > 0.0) return;
    throw nb::value_error("the robot has no centre of mass: no moving body has mass");
}

}  // namespace kido
