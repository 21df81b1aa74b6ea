#pragma once

#include "kido/spatial/articulated.hpp"

// What impulses on a skeleton act at.

KIDO_BEGIN

// A dof's share in a combination of dofs.
struct DofShare {
    int dof;
    double factor;
};

// What an impulse of one coordinate is: a wrench about the reference on a link, a force on a point around it, a force of a
// dof, or forces of several dofs.
struct Coordinate {
    int link;
    int dof;  // kOfLink: of the link; kCombined: of those of the shares [begin, end)
    Wrench<double> wrench;
    int begin = 0, end = 0;
    int point = -1;  // number of its PointForce, where it acts on a point around the link; the wrench is what the link takes of it
};
// A force on a point around a link, along `direction`; `arm` leads from the point to where it acts, on what turns with the link.
struct PointForce {
    int row;  // of the tree
    Vec3<double> direction, arm;
};
inline constexpr int kOfLink = -1, kCombined = -2;

KIDO_END
