#pragma once

#include <cstddef>

namespace kido {

inline constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;  // [bytes]

// The corners of the triangles of a binary STL file, times a factor for each axis; `triangles` begins behind its header, and
// `points` has room for 9 numbers of each. Returns how many corners have coordinates that are not finite, before they are scaled.
std::size_t stl_points(const unsigned char* triangles, std::size_t count, const double* scale, double* points);

}  // namespace kido
