#pragma once

#include <initializer_list>
#include <string>

#include "evaluate.hpp"
#include "message.hpp"

namespace kido {

namespace nb = nanobind;

class BoundTree;

// One call from Python: reads the arguments, broadcasts their leading axes, makes or checks the results, runs the
// kernels. Wrong arguments raise before anything is written.
class Call {
public:
    explicit Call(const BoundTree& tree);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // A required array with the trailing axes `shape`.
    void input(const char* name, nb::handle value, std::initializer_list<int> shape, const char* unit);
    // The same, or None: then the kernel takes zeros.
    void optional(const char* name, nb::handle value, std::initializer_list<int> shape, const char* unit);
    void output(std::initializer_list<int> shape);
    // One result: the array; several: a tuple. `out` is None, an array, or a tuple of arrays.
    nb::object run(Algorithm algorithm, nb::handle out);

    Problem problem{};

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
    void refuse_infinite(const Input& input) const;
    PyArrayObject* result(const Output& output, nb::handle out, const std::string& name) const;
    void separate(PyArrayObject* result);

    const BoundTree& tree_;
    Input inputs_[Problem::max_inputs];
    Output outputs_[Problem::max_outputs];
    int input_count_ = 0, output_count_ = 0;
    int leading_ = 0;
    npy_intp shape_[kMaxAxes];
};

}  // namespace kido
