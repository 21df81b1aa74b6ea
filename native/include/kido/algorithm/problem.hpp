#pragma once

#include <cstddef>

#include "kido/tree/model.hpp"

// One call of an algorithm, for any number of samples: what the bindings fill in and every kernel reads. An algorithm is
//   struct Name {
//     static constexpr int inputs, outputs;
//     static std::size_t input_size(const Problem&, int), output_size(const Problem&, int);   // numbers per sample
//     template <class T> struct Memory { Memory(const Problem&, Scratch&); ... };             // what it works in
//     template <class T> static bool run(const Problem&, const Memory<T>&, const T* const* in, T* const* out);
//   };
// in[Problem::users] of `run` are the numbers of the links of kind user, null where there are none. run returns false
// where the mass matrix is not positive definite.

namespace kido {

// Axes and reference point of spatial quantities of a body.
enum class ReferenceFrame : int {
    body,    // body axes, about the body's point
    world,   // world axes, about the body's point
    spatial  // world axes, about the world origin
};

struct Problem {
    static constexpr int max_inputs = 5, max_outputs = 4;
    static constexpr int users = max_inputs;  // the input behind all: numbers of the links of kind user, or null

    const Model* model;
    const double* in[max_inputs + 1];
    std::ptrdiff_t stride[max_inputs + 1];  // from one sample to the next; 0 repeats the same
    double* out[max_outputs];
    std::size_t samples;
    bool out_given;  // by the caller, so that its memory is not new

    int body, parent_body;     // parent_body -1: the world
    int link_begin, link_end;  // of a joint
    ReferenceFrame frame;
    bool classic;
    double offset[3];  // of the body's point, body axes [m]
    double step;       // [s]
    // Of all dofs, the same for all samples.
    const unsigned char* prescribed;  // whether the acceleration is given
    const double* added;              // inertia on the diagonal, or null [kg m^2, kg]
    bool weightless;                  // without gravity
};

}  // namespace kido
