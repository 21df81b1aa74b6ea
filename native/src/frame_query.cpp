#include "frame_query.hpp"

namespace kido {

RelativePose pose_relative_to(const Frame& frame, const Frame* base, const Frame* coordinates) {
    const FrameMotion<double> m = frame.motion(Order::pose);
    RelativePose pose = {m.R, m.p};
    Mat3<double> to = identity3<double>();
    if (base) {
        const FrameMotion<double> b = base->motion(Order::pose);
        const Mat3<double> Rt = transpose(b.R);
        pose = {Rt * m.R, Rt * (m.p - b.p)};
        to = b.R;
    }
    if (coordinates == base) return pose;
    if (coordinates) to = transpose(coordinates->motion(Order::pose).R) * to;
    return {to * pose.R, to * pose.p};
}

FrameQuery::FrameQuery(const Frame& frame, const Vec3<double>* offset, const Frame* relative_to, Axes axes, Order order)
    : motion_(frame.motion(order)), axes_(motion_.R), turned_(axes.of != Axes::Of::world) {
    if (offset) motion_ = at_point(motion_, *offset, order);
    if (relative_to) motion_ = as_seen_from(relative_to->motion(order), motion_, order);
    if (axes.of == Axes::Of::frame && axes.frame != &frame) axes_ = axes.frame->motion(Order::pose).R;
}

}  // namespace kido
