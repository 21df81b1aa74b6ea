#pragma once

#include "frame.hpp"

// What is asked of a frame: of which of its points, seen by whom, in whose axes.

namespace kido {

// Axes that an answer is given in.
struct Axes {
    enum class Of { self, world, frame };

    Of of = Of::self;  // of the frame that is asked, of the world, or of `frame`
    const Frame* frame = nullptr;
};

struct RelativePose {
    Mat3<double> R;
    Vec3<double> p;
};

// Pose of a frame in the coordinates of `base`, turned as a whole to the axes of `coordinates` by a rotation from the
// left; null is the world.
RelativePose pose_relative_to(const Frame& frame, const Frame* base, const Frame* coordinates);

// How the point at `offset` of a frame moves, as an observer in `relative_to` (null: the world) sees it.
class FrameQuery {
public:
    // offset: null is the frame's origin [m].
    FrameQuery(const Frame& frame, const Vec3<double>* offset, const Frame* relative_to, Axes axes, Order order);

    Vec3<double> angular_velocity() const { return express(motion_.angular); }
    Vec3<double> linear_velocity() const { return express(motion_.linear); }
    Vec3<double> angular_acceleration() const { return express(motion_.angular_acceleration); }
    // Classical: the second derivative of position.
    Vec3<double> linear_acceleration() const { return express(motion_.linear_acceleration); }
    // Linear part of the spatial acceleration (Featherstone 2008, section 2.11).
    Vec3<double> spatial_linear_acceleration() const {
        return express(motion_.linear_acceleration - cross(motion_.angular, motion_.linear));
    }

private:
    Vec3<double> express(const Vec3<double>& v) const { return turned_ ? transposed_times(axes_, v) : v; }

    FrameMotion<double> motion_;  // in world axes
    Mat3<double> axes_;
    bool turned_;
};

}  // namespace kido
