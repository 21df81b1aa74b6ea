#pragma once

#include <vector>

#include "kido/spatial/vector.hpp"

// What a row of a constraint adds up: motions at coordinates of articulations, and of free bodies.

KIDO_BEGIN

struct CoordinateShare {
    int tree, coordinate;
    double factor;
};
struct RowBody {
    int body;  // row of the solver
    Vec3<double> linear, angular;
};
struct RowShares {
    std::vector<CoordinateShare> coordinates;
    std::vector<RowBody> bodies;
};

KIDO_END
