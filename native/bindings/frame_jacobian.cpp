#include "frame_jacobian.hpp"

#include <algorithm>

#include "kido/algorithm/jacobian.hpp"

namespace kido {

namespace {

// What a unit rate of one dof gives, in world axes: velocity of a point, or the classical rate of that velocity.
struct Column {
    int dof;
    Vec3<double> angular, linear;            // Jacobian
    Vec3<double> angular_rate, linear_rate;  // its derivative
};

struct LinkMotion {
    Mat3<double> R;
    Vec3<double> p, angular, linear;
};

LinkMotion link_motion(State& state, int link, bool rates) {
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

// A point that a body carries, and its velocity in the world.
struct Target {
    Vec3<double> p, linear;
};

template <class Axis>
void add_column(std::vector<Column>& columns, int dof, const Axis& axis, const LinkMotion& m, const Target& target,
                bool rates) {
    const Vec3<double> arm = target.p - m.p;
    const Motion<double> column = axis_velocity(axis, arm);
    Motion<double> rate = {zero3<double>(), zero3<double>()};
    if (rates) rate = axis_velocity_rate(axis, m.angular, arm, target.linear - m.linear);
    columns.push_back({dof, column.angular, column.linear, rate.angular, rate.linear});
}

// Links that carry a body, root first.
std::vector<int> path_to(const Model& m, int link) {
    std::vector<int> path;
    for (; link >= 0; link = m.links[link].parent) path.push_back(link);
    std::reverse(path.begin(), path.end());
    return path;
}

std::vector<Column> columns_of(const BoundFrame& carrier, const Target& target, bool rates) {
    const std::shared_ptr<State> bound = carrier.ready();
    State& state = *bound;
    const Model& m = state.model();
    const int link = m.bodies[carrier.body].link;
    std::vector<Column> columns;
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
void see_from(const BoundFrame& base, const FrameMotion<double>& observer, const Target& target, bool rates,
              State* state, std::vector<Column>& columns) {
    const BoundFrame* carrier = base.carrier();
    if (carrier && state && carrier->ready().get() == state) {
        for (const Column& c : columns_of(*carrier, target, rates)) {
            auto same = std::find_if(columns.begin(), columns.end(), [&](const Column& x) { return x.dof == c.dof; });
            if (same == columns.end()) {
                const Vec3<double> o = zero3<double>();
                columns.push_back({c.dof, o, o, o, o});
                same = columns.end() - 1;
            }
            same->angular -= c.angular;
            same->linear -= c.linear;
            same->angular_rate -= c.angular_rate;
            same->linear_rate -= c.linear_rate;
        }
    }
    if (!rates) return;
    for (Column& c : columns) {
        c.angular_rate -= cross(observer.angular, c.angular);
        c.linear_rate -= cross(observer.angular, c.linear);
    }
}

void write(const std::vector<Column>& columns, const JacobianRequest& request, const Mat3<double>* axes, int width,
           bool by_dof, double* out) {
    const bool rates = request.derivative != Derivative::none;
    int position = 0;
    for (const Column& c : columns) {
        Vec3<double> angular = rates ? c.angular_rate : c.angular;
        Vec3<double> linear = rates ? c.linear_rate : c.linear;
        if (axes) {
            angular = transposed_times(*axes, angular);
            linear = transposed_times(*axes, linear);
        }
        double* at = out + (by_dof ? c.dof : position++);
        if (request.rows != Rows::linear) {
            at[0] = angular.x, at[width] = angular.y, at[2 * width] = angular.z;
            at += 3 * width;
        }
        if (request.rows != Rows::angular) at[0] = linear.x, at[width] = linear.y, at[2 * width] = linear.z;
    }
}

}  // namespace

nb::object frame_jacobian(const BoundFrame& frame, const JacobianRequest& request, State* whole) {
    const bool rates = request.derivative != Derivative::none;
    const Order order = rates ? Order::velocity : Order::pose;
    const FrameMotion<double> self = frame.motion(order);
    const FrameMotion<double> point = at_point(self, request.offset, order);
    const Target target = {point.p, point.linear};
    const BoundFrame* carrier = frame.carrier();
    const bool moved = carrier && (!whole || carrier->ready().get() == whole);
    std::vector<Column> columns;
    if (moved) columns = columns_of(*carrier, target, rates);
    Vec3<double> spin = self.angular;
    if (request.relative_to) {
        const FrameMotion<double> observer = request.relative_to->motion(order);
        see_from(*request.relative_to, observer, target, rates, whole, columns);
        spin -= observer.angular;
    }
    if (request.derivative == Derivative::spatial) {
        for (Column& c : columns) {
            c.angular_rate -= cross(spin, c.angular);
            c.linear_rate -= cross(spin, c.linear);
        }
    }
    const int width = whole ? whole->num_dofs() : static_cast<int>(columns.size());
    double* out;
    const npy_intp rows = request.rows == Rows::all ? 6 : 3;
    nb::object array = new_array({rows, width}, out);
    if (whole) std::fill(out, out + rows * width, 0.0);
    if (request.own_axes) {
        write(columns, request, &self.R, width, whole, out);
    } else if (request.axes) {
        const Mat3<double> axes = request.axes->motion(Order::pose).R;
        write(columns, request, &axes, width, whole, out);
    } else {
        write(columns, request, nullptr, width, whole, out);
    }
    return array;
}

std::vector<int> dependent_dofs(const BoundFrame& frame) {
    std::vector<int> dofs;
    const BoundFrame* carrier = frame.carrier();
    if (!carrier) return dofs;
    const std::shared_ptr<State> state = carrier->ready();
    const Model& m = state->model();
    for (int link : path_to(m, m.bodies[carrier->body].link)) {
        for (int k = 0; k < m.links[link].dof_count; ++k) dofs.push_back(m.links[link].dof + k);
    }
    return dofs;
}

}  // namespace kido
