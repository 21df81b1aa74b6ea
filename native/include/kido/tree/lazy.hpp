#pragma once

#include "kido/tree/model.hpp"

// Kinematics of one state of a tree, computed where it is asked for and kept until a position, velocity or acceleration
// below changes.

namespace kido {

// How much of a link is known. More includes less, and a link never knows more than its parent.
enum Known : unsigned char { kNothing, kPose, kVelocity, kAcceleration };

struct LazyKinematics {
    const Model* model;
    const double *q, *v, *a;
    const double* users;        // numbers of all links of kind user
    void* memory;               // of KinematicsMemory<double>
    unsigned char* known;       // of each link
    unsigned long long* counts;  // poses, velocities and accelerations of links computed so far
};

// Where the numbers of all links lie in the memory, in world axes: pose (12: columns of the rotation, position),
// velocity and acceleration (6: angular, linear of the link's origin; accelerations are classical).
struct LinkNumbers {
    const double *pose, *velocity, *acceleration;
};

}  // namespace kido
