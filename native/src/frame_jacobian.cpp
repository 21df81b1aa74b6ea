#include "frame_jacobian.hpp"

#include <algorithm>

#include "kido/algorithm/jacobian.hpp"

namespace kido {

namespace {

// Links that carry a body, root first.
std::vector<int> path_to(const Model& m, int link) {
    std::vector<int> path;
    for (; link >= 0; link = m.links[link].parent) path.push_back(link);
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace

FrameJacobian::LinkMotion FrameJacobian::link_motion(State& state, int link, bool rates) {
    LinkMotion m{identity3<double>(), zero3<double>(), zero3<double>(), zero3<double>()};
    if (rates) {
        const double* V = state.velocity(link);
        m.angular = vec3(V);
        m.linear = vec3(V + 3);
    }
    const double* P = state.pose(link);
    m.R = mat3(P);
    m.p = vec3(P + 9);
    return m;
}

template <class Axis>
void FrameJacobian::add_column(Columns& columns, int dof, const Axis& axis, const LinkMotion& m, const Target& target,
                               bool rates) {
    const Vec3<double> arm = target.p - m.p;
    const Motion<double> column = axis_velocity(axis, arm);
    Motion<double> rate = {zero3<double>(), zero3<double>()};
    if (rates) rate = axis_velocity_rate(axis, m.angular, arm, target.linear - m.linear);
    columns.push_back({dof, column.angular, column.linear, rate.angular, rate.linear});
}

FrameJacobian::Columns FrameJacobian::columns_of(const Frame& carrier, const Target& target, bool rates) {
    const std::shared_ptr<State> bound = carrier.ready();
    State& state = *bound;
    const Model& m = state.model();
    const int link = m.bodies[carrier.body].link;
    Columns columns;
    if (link < 0) return columns;
    columns.reserve(m.links[link].dof + m.links[link].dof_count);
    rates ? state.velocity(link) : state.pose(link);
    for (int i : path_to(m, link)) {
        const LinkMotion motion = link_motion(state, i, rates);
        const int first = m.links[i].dof;
        visit(m.links[i], state.users(), [&](auto joint) {
            for_axes(joint, m.links[i], motion.R, [&](int k, const auto& axis) {
                add_column(columns, first + k, axis, motion, target, rates);
            });
        });
    }
    return columns;
}

// Turns columns of a motion in the world into those of the motion that an observer in `base` sees; both in world axes.
void FrameJacobian::see_from(const Frame& base, const FrameMotion<double>& observer, const Target& target,
                             State* whole) {
    const Frame* carrier = base.carrier();
    if (carrier && whole && carrier->ready().get() == whole) {
        for (const Column& c : columns_of(*carrier, target, rates_)) {
            auto same = std::find_if(columns_.begin(), columns_.end(), [&](const Column& x) { return x.dof == c.dof; });
            if (same == columns_.end()) {
                const Vec3<double> o = zero3<double>();
                columns_.push_back({c.dof, o, o, o, o});
                same = columns_.end() - 1;
            }
            same->angular -= c.angular;
            same->linear -= c.linear;
            same->angular_rate -= c.angular_rate;
            same->linear_rate -= c.linear_rate;
        }
    }
    if (!rates_) return;
    for (Column& c : columns_) {
        c.angular_rate -= cross(observer.angular, c.angular);
        c.linear_rate -= cross(observer.angular, c.linear);
    }
}

FrameJacobian::FrameJacobian(const Frame& frame, const JacobianRequest& request, State* whole)
    : rows_(request.rows),
      rates_(request.derivative != Derivative::none),
      by_dof_(whole),
      turned_(request.axes.of != Axes::Of::world) {
    const Order order = rates_ ? Order::velocity : Order::pose;
    const FrameMotion<double> self = frame.motion(order);
    const FrameMotion<double> point = at_point(self, request.offset, order);
    const Target target = {point.p, point.linear};
    const Frame* carrier = frame.carrier();
    if (carrier && (!whole || carrier->ready().get() == whole)) columns_ = columns_of(*carrier, target, rates_);
    Vec3<double> spin = self.angular;
    if (request.relative_to) {
        const FrameMotion<double> observer = request.relative_to->motion(order);
        see_from(*request.relative_to, observer, target, whole);
        spin -= observer.angular;
    }
    if (request.derivative == Derivative::spatial) {
        for (Column& c : columns_) {
            c.angular_rate -= cross(spin, c.angular);
            c.linear_rate -= cross(spin, c.linear);
        }
    }
    width_ = whole ? whole->num_dofs() : static_cast<int>(columns_.size());
    axes_ = request.axes.of == Axes::Of::frame ? request.axes.frame->motion(Order::pose).R : self.R;
}

void FrameJacobian::write(double* out) const {
    if (by_dof_) std::fill(out, out + rows() * width_, 0.0);
    int position = 0;
    for (const Column& c : columns_) {
        Vec3<double> angular = rates_ ? c.angular_rate : c.angular;
        Vec3<double> linear = rates_ ? c.linear_rate : c.linear;
        if (turned_) {
            angular = transposed_times(axes_, angular);
            linear = transposed_times(axes_, linear);
        }
        double* at = out + (by_dof_ ? c.dof : position++);
        if (rows_ != Rows::linear) {
            at[0] = angular.x, at[width_] = angular.y, at[2 * width_] = angular.z;
            at += 3 * width_;
        }
        if (rows_ != Rows::angular) at[0] = linear.x, at[width_] = linear.y, at[2 * width_] = linear.z;
    }
}

std::vector<int> dependent_dofs(const Frame& frame) {
    std::vector<int> dofs;
    const Frame* carrier = frame.carrier();
    if (!carrier) return dofs;
    const std::shared_ptr<State> state = carrier->ready();
    const Model& m = state->model();
    for (int link : path_to(m, m.bodies[carrier->body].link)) {
        for (int k = 0; k < m.links[link].dof_count; ++k) dofs.push_back(m.links[link].dof + k);
    }
    return dofs;
}

}  // namespace kido
