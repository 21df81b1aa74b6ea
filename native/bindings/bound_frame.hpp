#pragma once

#include <memory>

#include "kido/spatial/frame_motion.hpp"
#include "numpy_api.hpp"
#include "state.hpp"

namespace kido {

namespace nb = nanobind;

// The native half of kido.Frame: where it stands and how it moves.
class BoundFrame {
public:
    enum class Kind : int {
        user,   // a Python object says how it moves relative to its parent
        world,
        moving,  // relative motion is stored
        body     // a body of a State
    };

    explicit BoundFrame(Kind kind) : kind_(kind) {
        if (kind == Kind::moving) relative = std::make_unique<RelativeMotion<double>>(still());
    }
    BoundFrame(const BoundFrame&) = delete;
    BoundFrame& operator=(const BoundFrame&) = delete;

    Kind kind() const { return kind_; }
    bool is_world() const { return kind_ == Kind::world; }
    // Motion in world axes. May call Python: for a user's frame, and for a body whose skeleton was edited.
    FrameMotion<double> motion(Order order) const;
    // The nearest body among this frame and its ancestors; null where there is none.
    const BoundFrame* carrier() const;
    // The state of a body, its tree compiled. May call Python, after which this frame may be gone, but not what is returned.
    // Raises where the body was removed, or its skeleton changed meanwhile.
    std::shared_ptr<State> ready() const;
    bool is_ready() const { return state && !state->waits_for_users(); }
    // The motion of a moving frame. Raises TypeError for other kinds.
    RelativeMotion<double>& stored() const;

    static RelativeMotion<double> still();

    const BoundFrame* parent = nullptr;  // null: the world. Python keeps it alive
    std::unique_ptr<RelativeMotion<double>> relative;  // of moving frames
    std::shared_ptr<State> state;        // of bodies; null until Python binds them
    int body = -1;

private:
    FrameMotion<double> motion_along_parents(Order order) const;
    RelativeMotion<double> ask_python(Order order) const;

    Kind kind_;
};

// A frame given as an argument; null for None and for the world. Raises TypeError.
const BoundFrame* frame_argument(const char* name, nb::handle value);

// Three numbers given as an argument, zeros for None. Raises TypeError or ValueError.
Vec3<double> offset_argument(nb::handle value);

// `count` finite numbers of `shape`, or of what `owner` says gave them. Raises TypeError or ValueError.
void read_numbers(const char* name, nb::handle value, int rows, int columns, const char* unit, double* out);

// A fresh array; `data` is where its numbers go.
nb::object new_array(std::initializer_list<npy_intp> shape, double*& data);

}  // namespace kido
