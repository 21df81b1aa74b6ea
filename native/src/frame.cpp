#include "frame.hpp"

#include <stdexcept>
#include <vector>

#include "kido/tree/joint.hpp"

namespace kido {

FrameMotion<double> body_motion(State& state, int index, Order order) {
    const Body& body = state.model().bodies[index];
    FrameMotion<double> m = at_rest<double>();
    if (body.link < 0) {
        m.R = mat3(body.R);
        m.p = vec3(body.p);
        return m;
    }
    if (order != Order::pose) {
        const double* V = order == Order::acceleration ? (state.acceleration(body.link), state.velocity(body.link))
                                                       : state.velocity(body.link);
        m.angular = vec3(V);
        m.linear = vec3(V + 3);
    }
    if (order == Order::acceleration) {
        const double* A = state.acceleration(body.link);
        m.angular_acceleration = vec3(A);
        m.linear_acceleration = vec3(A + 3);
    }
    const double* P = state.pose(body.link);
    m.R = mat3(P);
    m.p = vec3(P + 9);
    if (body.offset == Offset::full) m = at_point(m, vec3(body.p), order);
    if (body.offset != Offset::none) m.R = m.R * mat3(body.R);
    return m;
}

RelativeMotion<double> Frame::still() {
    const Vec3<double> o = zero3<double>();
    return {identity3<double>(), o, o, o, o, o};
}

std::shared_ptr<State> Frame::bind() const { throw std::logic_error("a body that is not bound to a state"); }

RelativeMotion<double> Frame::ask(Order) const { throw std::logic_error("a user's frame that nobody can ask"); }

FrameMotion<double> Frame::motion(Order order) const {
    if (kind_ == Kind::body && is_ready()) return body_motion(*state, body, order);
    if (kind_ == Kind::moving && !parent) return compose(at_rest<double>(), *relative, order);
    if (kind_ == Kind::moving && parent->kind_ == Kind::body && parent->is_ready()) {
        return compose(parent->motion(order), *relative, order);
    }
    return motion_along_parents(order);
}

// From this frame up to a body or the world, and down again.
FrameMotion<double> Frame::motion_along_parents(Order order) const {
    std::vector<const Frame*> path;
    bool asks = false;
    const Frame* frame = this;
    for (; frame && (frame->kind_ == Kind::moving || frame->kind_ == Kind::user); frame = frame->parent) {
        path.push_back(frame);
        asks = asks || frame->kind_ == Kind::user;
    }
    const bool on_body = frame && frame->kind_ == Kind::body;
    std::vector<std::shared_ptr<const void>> held;
    if (asks || (on_body && !frame->is_ready())) {
        for (const Frame* each : path) held.push_back(each->hold());
        if (on_body) held.push_back(frame->hold());
    }
    FrameMotion<double> motion = at_rest<double>();
    if (on_body) {
        const std::shared_ptr<State> bound = frame->ready();  // binds `body` too
        motion = body_motion(*bound, frame->body, order);
    }
    for (std::size_t i = path.size(); i-- > 0;) {
        const Frame& each = *path[i];
        if (each.kind_ == Kind::user) {
            motion = compose(motion, each.ask(order), order);
        } else {
            motion = compose(motion, *each.relative, order);
        }
    }
    return motion;
}

const Frame* Frame::carrier() const {
    const Frame* frame = this;
    while (frame && frame->kind_ != Kind::body) frame = frame->parent;
    return frame;
}

}  // namespace kido
