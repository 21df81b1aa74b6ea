#pragma once

#include <cstddef>
#include <type_traits>

#include "kido/tree/model.hpp"

// One call of an algorithm, for any number of samples: what the bindings fill in and its kernel reads. An algorithm is
//   struct Name {
//     using Options = NameOptions;        // if it has any
//     static constexpr int inputs, outputs;
//     static std::size_t input_size(const P&, int), output_size(const P&, int);               // numbers per sample
//     template <class T> struct Memory { Memory(const Problem&, Scratch&); ... };             // what it works in
//     template <class T> static bool run(const P&, const Memory<T>&, const T* const* in, T* const* out);
//   };
// P is ProblemWith<Options>, or Problem where it has no options. Those are what its caller chooses once for all
// samples, in a plain struct of the algorithm's header, before KIDO_BEGIN: kernels of every instruction set read the
// same type.
// in[Problem::users] of `run` are the numbers of the links of kind user, null where there are none. run returns false
// where the mass matrix is not positive definite.

namespace kido {

enum class Algorithm : int;

// What every algorithm needs. A problem is always a ProblemOf (problem_of.hpp), which holds the options of its
// algorithm; copied as a mere Problem it would lose them.
struct Problem {
    static constexpr int max_inputs = 5, max_outputs = 4;
    static constexpr int users = max_inputs;  // the input behind all: numbers of the links of kind user, or null

    const Algorithm algorithm;
    const Model* model;
    const double* in[max_inputs + 1]{};
    std::ptrdiff_t stride[max_inputs + 1]{};  // from one sample to the next; 0 repeats the same
    double* out[max_outputs]{};
    std::size_t samples = 1;
    bool out_given = false;  // by the caller, so that its memory is not new

protected:
    Problem(Algorithm algorithm, const Model& model) : algorithm(algorithm), model(&model) {}
    Problem(const Problem&) = default;
    ~Problem() = default;
};

template <class Options>
struct ProblemWith : Problem {
    static_assert(std::is_trivially_copyable_v<Options>);

    Options options;

protected:
    ProblemWith(Algorithm algorithm, const Model& model, const Options& options)
        : Problem(algorithm, model), options(options) {}
    ProblemWith(const ProblemWith&) = default;
    ~ProblemWith() = default;
};

struct NoOptions {};

template <class A>
struct OptionsIn {
    static_assert(sizeof(A) > 0, "the header of the algorithm tells whether it has options");
    using Type = NoOptions;
};
template <class A>
    requires requires { typename A::Options; }
struct OptionsIn<A> {
    using Type = typename A::Options;
};
template <class A>
using OptionsOf = typename OptionsIn<A>::Type;

}  // namespace kido
