#include "check.hpp"
#include "frame_query.hpp"
#include "moving_frames.hpp"

using namespace kido;

namespace {

constexpr double kDifference = 1e-7;  // of a central difference [rad/s, m/s], and of rates of these
const Vec3<double> kPoint = {0.3, -0.2, 0.5};

Axes axes_of(const Frame* frame) { return frame ? Axes{Axes::Of::frame, frame} : Axes{Axes::Of::world, nullptr}; }

// Calls f(scene, frame, base), base null for the world too.
template <class F>
void for_pairs(F f) {
    for (const int seed : {1, 2, 3}) {
        MovingFrames scene(seed);
        for (const auto& frame : scene.frames) {
            f(scene, *frame, static_cast<const Frame*>(nullptr));
            for (const auto& base : scene.frames) f(scene, *frame, static_cast<const Frame*>(base.get()));
        }
    }
}

// Where the point is, in coordinates of the base.
Vec3<double> point_in(const Frame& frame, const Frame* base) {
    const RelativePose pose = pose_relative_to(frame, base, base);
    return pose.p + pose.R * kPoint;
}

}  // namespace

TEST("the pose in a frame, after the pose of that frame, is the pose in the world") {
    for_pairs([](MovingFrames&, const Frame& frame, const Frame* base) {
        const RelativePose inner = pose_relative_to(frame, base, base), whole = pose_relative_to(frame, nullptr, nullptr);
        RelativePose outer = {identity3<double>(), zero3<double>()};
        if (base) outer = pose_relative_to(*base, nullptr, nullptr);
        const Mat3<double> R = outer.R * inner.R;
        CHECK_WITHIN(distance(R.x, whole.R.x) + distance(R.y, whole.R.y) + distance(R.z, whole.R.z), 1e-14);
        CHECK_WITHIN(distance(outer.p + outer.R * inner.p, whole.p), 1e-14);
    });
}

TEST("a pose in other axes is turned as a whole") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        const Frame& other = *scene.frames[4];
        const RelativePose pose = pose_relative_to(frame, base, base), turned = pose_relative_to(frame, base, &other);
        const Mat3<double> to = transpose(pose_relative_to(other, base, base).R);
        CHECK_WITHIN(distance(turned.p, to * pose.p), 1e-14);
        CHECK_WITHIN(distance(turned.R.y, to * pose.R.y), 1e-14);
    });
}

TEST("the velocity that an observer sees is the rate of the pose in the observer's frame") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        const FrameQuery q(frame, &kPoint, base, axes_of(base), Order::velocity);
        CHECK_WITHIN(distance(q.linear_velocity(), rate_of(scene, [&] { return point_in(frame, base); })), kDifference);
        const auto rotation = [&] { return pose_relative_to(frame, base, base).R; };
        CHECK_WITHIN(distance(q.angular_velocity(), spin_of(scene, rotation)), kDifference);
    });
}

TEST("the acceleration that an observer sees is the rate of the velocity in the observer's frame") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        const FrameQuery q(frame, &kPoint, base, axes_of(base), Order::acceleration);
        const auto seen = [&] { return FrameQuery(frame, &kPoint, base, axes_of(base), Order::velocity); };
        CHECK_WITHIN(distance(q.linear_acceleration(), rate_of(scene, [&] { return seen().linear_velocity(); })),
                     kDifference);
        CHECK_WITHIN(distance(q.angular_acceleration(), rate_of(scene, [&] { return seen().angular_velocity(); })),
                     kDifference);
    });
}

TEST("the spatial acceleration is the rate of the velocity component by component in the frame's own axes") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        const FrameQuery q(frame, nullptr, base, {}, Order::acceleration);
        const auto seen = [&] { return FrameQuery(frame, nullptr, base, {}, Order::velocity).linear_velocity(); };
        CHECK_WITHIN(distance(q.spatial_linear_acceleration(), rate_of(scene, seen)), kDifference);
    });
}

TEST("the same motion in other axes is turned to them") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        const FrameQuery world(frame, &kPoint, base, {Axes::Of::world, nullptr}, Order::acceleration);
        for (const auto& other : scene.frames) {
            const Mat3<double> R = other->motion(Order::pose).R;
            const FrameQuery q(frame, &kPoint, base, axes_of(other.get()), Order::acceleration);
            CHECK_WITHIN(distance(R * q.linear_velocity(), world.linear_velocity()), 1e-13);
            CHECK_WITHIN(distance(R * q.angular_acceleration(), world.angular_acceleration()), 1e-13);
        }
    });
}

TEST("the carrier of a frame is the nearest body above it") {
    MovingFrames scene(1);
    CHECK(scene.frames[4]->carrier() == scene.frames[0].get());
    CHECK(scene.frames[1]->carrier() == scene.frames[1].get());
    CHECK(scene.frames[5]->carrier() == nullptr);
}
