#pragma once

#include "kido/spatial/articulated.hpp"

// What impulses on a skeleton act at.

KIDO_BEGIN

// A dof's share in a combination of dofs.
struct DofShare {
    int dof;
    double factor;
};

// What an impulse of one coordinate is: a wrench about the reference on a link, a force of a dof, or forces of several dofs.
struct Coordinate {
    int link;
    int dof;  // kOfLink: of the link; kCombined: of those of the shares [begin, end)
    Wrench<double> wrench;
    int begin = 0, end = 0;
};
// A contact at a point around a link: three coordinates, forces along the columns of a frame. A force d is the wrench (arm x d, share d)
// about the reference on the link, and acts on the point itself beside it.
struct PointContact {
    int soft, point;
    int slot;             // of the points that are touched
    int link, coordinate; // the first of six of the link
    double share;
    Vec3<double> arm;
    Mat3<double> frame;
};
// These coordinates are counted from here.
inline constexpr int kOfPoints = 1 << 24;
inline constexpr int kOfLink = -1, kCombined = -2;

KIDO_END
