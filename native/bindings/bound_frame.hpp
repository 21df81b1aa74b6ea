#pragma once

#include <memory>

#include "frame_query.hpp"
#include "numpy_api.hpp"

namespace kido {

namespace nb = nanobind;

// A Frame that Python derives from: bodies and frames of the user are bound and asked there.
class BoundFrame : public Frame {
public:
    using Frame::Frame;

    // The motion of a moving frame. Raises TypeError for other kinds.
    RelativeMotion<double>& stored() const;

protected:
    // Raises where the body was removed, or its skeleton changed meanwhile.
    std::shared_ptr<State> bind() const override;
    RelativeMotion<double> ask(Order order) const override;
    std::shared_ptr<const void> hold() const override;
};

// A frame given as an argument; null for None and for the world. Raises TypeError.
const BoundFrame* frame_argument(const char* name, nb::handle value);

// The axes that an answer is wanted in, `by_default` for None. Raises TypeError.
Axes axes_argument(nb::handle in_coordinates_of, Axes::Of by_default);

// Three numbers given as an argument, zeros for None. Raises TypeError or ValueError.
Vec3<double> offset_argument(nb::handle value);

// `count` finite numbers of `shape`, or of what `owner` says gave them. Raises TypeError or ValueError.
void read_numbers(const char* name, nb::handle value, int rows, int columns, const char* unit, double* out);

// A rigid transform (4, 4). Raises TypeError or ValueError.
void read_transform(const char* name, nb::handle value, double (&out)[16]);

// A fresh array; `data` is where its numbers go.
nb::object new_array(std::initializer_list<npy_intp> shape, double*& data);

// An array that nobody may write to: to write into what a property or a result gives would change nothing else.
nb::object read_only(nb::object array);

}  // namespace kido
