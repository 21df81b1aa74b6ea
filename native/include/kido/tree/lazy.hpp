#pragma once

#include "kido/tree/model.hpp"

// Lazy kinematics of one state of a tree: computed on demand, and cached until a position, velocity or acceleration on
// the path to the root changes.

namespace kido {

// Level to which the cache of a link is valid. A level includes those before it, and a link's is at most its parent's.
enum Known : unsigned char { kNothing, kPose, kVelocity, kAcceleration };

struct LazyKinematics {
    const Model* model;
    const double *q, *v, *a;
    const double* users;        // numbers of all links of kind user
    void* memory;               // of KinematicsMemory<double>
    unsigned char* known;       // of each link
    unsigned long long* counts;  // poses, velocities and accelerations of links computed so far
};

// Cached arrays of all links, in world axes: pose (12: columns of the rotation, position),
// velocity and acceleration (6: angular, linear of the link's origin; accelerations are classical).
struct LinkNumbers {
    const double *pose, *velocity, *acceleration;
};

}  // namespace kido
