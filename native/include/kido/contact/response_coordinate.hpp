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
// Points around a link that a contact acts on: one, or the corners of a face, which share its forces. The shares add up to 1.
struct PointShares {
    int count;
    int points[3];
    double weights[3];
};
// A contact at such points: three coordinates, forces along the columns of a frame. A force d is the wrench (arm x d, share d)
// about the reference on the link, and acts on the points themselves beside it.
struct PointContact {
    int soft, link, coordinate;  // coordinate: the first of six of the link
    PointShares on;
    int slots[3], unused;        // of the points that are touched
    double share;
    Vec3<double> arm;
    Mat3<double> frame;
};
// These coordinates are counted from here.
inline constexpr int kOfPoints = 1 << 24;
inline constexpr int kOfLink = -1, kCombined = -2;

KIDO_END
