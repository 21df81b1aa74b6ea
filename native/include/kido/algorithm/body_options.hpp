#pragma once

// Options of the algorithms that give poses and motions of bodies.

namespace kido {

// Axes and reference point of spatial quantities of a body.
enum class ReferenceFrame : int {
    body,    // body axes, about the body's point
    world,   // world axes, about the body's point
    spatial  // world axes, about the world origin
};

// Of one body.
struct BodyOptions {
    int body;
};

// Of one body's point.
struct PointOptions {
    int body;
    ReferenceFrame frame;
    double offset[3];  // body axes [m]
};

// Classic: the linear part is the second derivative of position; else accelerations are spatial.
struct PointAccelerationOptions {
    PointOptions point;
    bool classic;
};

// Of all bodies, at their origins.
struct VelocityOptions {
    ReferenceFrame frame;
};

struct AccelerationOptions {
    ReferenceFrame frame;
    bool classic;
};

}  // namespace kido
