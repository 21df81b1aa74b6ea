#pragma once

#include <initializer_list>
#include <string>

#include "bound_tree.hpp"
#include "evaluate.hpp"
#include "kido/algorithm/problem_of.hpp"
#include "message.hpp"

namespace kido {

namespace nb = nanobind;

// One call from Python, of any algorithm: reads the arguments, broadcasts their leading axes, makes or checks the
// results, runs the kernels. Wrong arguments raise before anything is written.
class AnyCall {
public:
    AnyCall(const AnyCall&) = delete;
    AnyCall& operator=(const AnyCall&) = delete;

    // A required array with the trailing axes `shape`.
    void input(const char* name, nb::handle value, std::initializer_list<int> shape, const char* unit);
    // The same, or None: then the kernel takes zeros.
    void optional(const char* name, nb::handle value, std::initializer_list<int> shape, const char* unit);
    void output(std::initializer_list<int> shape);
    // The kernel works on numbers of dofs alone: functions of user joints need not be asked.
    void without_motion() { moves_ = false; }
    // In place of a kernel: a Python function of the arguments, as they were read, that gives what `run` does.
    void compute_by(nb::object function) { function_ = std::move(function); }
    // One result: the array; several: a tuple. `out` is None, an array, or a tuple of arrays.
    nb::object run(nb::handle out);

protected:
    AnyCall(const BoundTree& tree, Problem& problem);
    ~AnyCall();

private:
    static constexpr int kMaxAxes = 32;
    struct Input {
        const char* name;
        PyArrayObject* array;  // owned, or null where the argument is None
        int trailing;          // axes of one sample
        std::size_t size;      // numbers of one sample
    };
    struct Output {
        int axes;
        npy_intp shape[3];
        std::size_t size;
    };

    void broadcast();
    void align(Input& input, int index);
    void ask_users();
    void call_function(const nb::object* results) const;
    void refuse_infinite(const Input& input) const;
    PyArrayObject* result(const Output& output, nb::handle out, const std::string& name) const;
    void separate(PyArrayObject* result);

    const BoundTree& tree_;
    Problem& problem_;
    Input inputs_[Problem::max_inputs];
    Output outputs_[Problem::max_outputs];
    int input_count_ = 0, output_count_ = 0;
    Input users_{};  // numbers of the links of kind user
    bool moves_ = true;
    nb::object function_;
    int leading_ = 0;
    npy_intp shape_[kMaxAxes];
};

// A call of one algorithm, with its options where it has any.
template <class A>
class Call : ProblemOf<A>, public AnyCall {
public:
    explicit Call(const BoundTree& tree) : ProblemOf<A>(tree.model()), AnyCall(tree, *this) {}
    Call(const BoundTree& tree, const OptionsOf<A>& options)
        : ProblemOf<A>(tree.model(), options), AnyCall(tree, *this) {}
};

}  // namespace kido
