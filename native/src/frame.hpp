#pragma once

#include <memory>

#include "kido/spatial/frame_motion.hpp"
#include "state.hpp"

namespace kido {

// Motion of a body of a state, in world axes.
FrameMotion<double> body_motion(State& state, int body, Order order);

// A frame: where it stands and how it moves. Frames that are no bodies keep nothing but what was set, so that an answer
// is never stale: a question walks up their parents.
class Frame {
public:
    enum class Kind : int {
        user,    // asked how it moves relative to its parent
        world,
        moving,  // relative motion is stored
        body     // a body of a State
    };

    explicit Frame(Kind kind) : kind_(kind) {
        if (kind == Kind::moving) relative = std::make_unique<RelativeMotion<double>>(still());
    }
    virtual ~Frame() = default;
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    Kind kind() const { return kind_; }
    bool is_world() const { return kind_ == Kind::world; }
    // Motion in world axes.
    FrameMotion<double> motion(Order order) const;
    // The nearest body among this frame and its ancestors; null where there is none.
    const Frame* carrier() const;
    // The state of a body, bound first if need be: then this frame may be gone afterwards, but not what is returned.
    std::shared_ptr<State> ready() const { return is_ready() ? state : bind(); }
    bool is_ready() const { return state && !state->waits_for_users(); }

    static RelativeMotion<double> still();

    const Frame* parent = nullptr;                     // null: the world
    std::unique_ptr<RelativeMotion<double>> relative;  // of moving frames
    std::shared_ptr<State> state;                      // of bodies; null until they are bound
    int body = -1;

protected:
    // Sets `state` and `body` of a body, and places its user joints; returns the state.
    virtual std::shared_ptr<State> bind() const;
    // How a user's frame moves relative to its parent.
    virtual RelativeMotion<double> ask(Order order) const;
    // Keeps this frame alive while one is bound or asked, which may part frames and let go of them.
    virtual std::shared_ptr<const void> hold() const { return nullptr; }

private:
    FrameMotion<double> motion_along_parents(Order order) const;

    Kind kind_;
};

}  // namespace kido
