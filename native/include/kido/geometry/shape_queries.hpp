#pragma once

// What is asked of shapes besides contacts.

namespace kido {

// The points of two shapes that are nearest to each other or, where the shapes overlap, those between which they come apart soonest.
struct ShapeDistance {
    double distance;                   // [m], negative where they overlap
    double normal[3];                  // from the second shape to the first, in world axes
    double on_first[3], on_second[3];  // in world axes [m]; on_first - on_second = normal * distance
};

// A ray in world axes.
struct Ray {
    double origin[3], direction[3];  // [m], unit vector
    double length;                   // [m]
};

// Where a ray meets a shape first. A ray that begins inside meets it at once, with a normal against its direction.
struct RayHit {
    double distance;   // along the ray [m]
    double normal[3];  // of the surface, outward, in world axes
};

// When two moving shapes come near each other first.
struct SweepHit {
    double time;           // share of the motion, 0 to 1
    ShapeDistance at_hit;  // then
};

}  // namespace kido
