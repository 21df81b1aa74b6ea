#pragma once

#include <cmath>

#include "kido/tree/model.hpp"

// The length that makes a search dimensionless: errors of position, translational dofs and steps along them are divided by it,
// so that arms of kilometres and targets far away converge as others do, and no square overflows. It is a power of two, and 1
// for robots and distances of ordinary size: their numbers are divided without rounding. Angeles, "Fundamentals of Robotic
// Mechanical Systems" (2014), section 5.8.

KIDO_BEGIN

template <class T>
struct CharacteristicLength {
    T value = T(1.0), inverse = T(1.0);  // [m], [1/m]
};

// The sum of the offsets from the first joint of the path to a point (3,) of its last link [m].
inline double path_reach(const Model& m, int link, const double* point) {
    double reach = abs(point[0]) + abs(point[1]) + abs(point[2]);
    for (; m.links[link].parent >= 0; link = m.links[link].parent) {
        const double* p = m.links[link].p;
        reach += abs(p[0]) + abs(p[1]) + abs(p[2]);
    }
    return reach;
}

// Of a search by the reach of the robot, and by the distance of the target where a dof translates.
inline double characteristic_length(double reach, double distance, bool translates) {
    constexpr double ordinary = 8.0, largest = 0x1p500, largest_ratio = 0x1p300;
    const double extent = max(translates ? max(reach, distance) : reach, distance / largest_ratio);
    return extent > ordinary ? std::ldexp(1.0, std::ilogb(min(extent, largest))) : 1.0;
}

// Whether the k-th dof of a link is a length [m], else it is an angle [rad].
inline bool is_prismatic(const Link& link, int k) {
    return link.kind == JointKind::prismatic || (link.kind == JointKind::free && k >= 3);
}

KIDO_END
