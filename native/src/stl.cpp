#include "stl.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace kido {

namespace {

constexpr std::size_t kNormal = 12;  // [bytes]
constexpr int kNumbers = 9;

void read_corners(const unsigned char* triangle, float* x) {
    std::memcpy(x, triangle + kNormal, kNumbers * sizeof(float));
    if constexpr (std::endian::native == std::endian::big) {
        for (int i = 0; i < kNumbers; ++i) {
            unsigned char* b = reinterpret_cast<unsigned char*>(x + i);
            const unsigned char swapped[] = {b[3], b[2], b[1], b[0]};
            std::memcpy(b, swapped, sizeof swapped);
        }
    }
}

}  // namespace

std::size_t stl_points(const unsigned char* triangles, std::size_t count, const double* scale, double* points) {
    const double factors[kNumbers] = {scale[0], scale[1], scale[2], scale[0], scale[1], scale[2], scale[0], scale[1], scale[2]};
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < count; ++k, points += kNumbers) {
        float x[kNumbers];
        read_corners(triangles + kStlTriangle * k, x);
        float zero = 0.0f;  // NaN if one of them is not finite
        for (int i = 0; i < kNumbers; ++i) {
            zero += x[i] * 0.0f;
            points[i] = factors[i] * static_cast<double>(x[i]);
        }
        if (zero == 0.0f) continue;
        for (int i = 0; i < kNumbers; i += 3) wrong += x[i] * 0.0f + x[i + 1] * 0.0f + x[i + 2] * 0.0f != 0.0f;
    }
    return wrong;
}

}  // namespace kido
