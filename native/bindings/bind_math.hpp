#pragma once

#include <cstddef>
#include <initializer_list>

#include "kido/spatial/euler.hpp"
#include "kido/spatial/inertia.hpp"

// How the values of spatial algebra lie in rows of float64: vectors as they are, matrices row by row.

namespace kido::rows {

template <class Value>
struct Row;

inline void write_matrix(const Mat3<double>& m, double* out, int width) {
    const Vec3<double> columns[3] = {m.x, m.y, m.z};
    for (int j = 0; j < 3; ++j) {
        out[j] = columns[j].x;
        out[width + j] = columns[j].y;
        out[2 * width + j] = columns[j].z;
    }
}
inline Mat3<double> read_matrix(const double* a, int width) {
    const double *b = a + width, *c = b + width;
    return {{a[0], b[0], c[0]}, {a[1], b[1], c[1]}, {a[2], b[2], c[2]}};
}
inline Sym3<double> symmetric_part(const Mat3<double>& m) {
    return {m.x.x, 0.5 * (m.x.y + m.y.x), 0.5 * (m.x.z + m.z.x), m.y.y, 0.5 * (m.y.z + m.z.y), m.z.z};
}
// The 6x6 matrix [[a, b], [c, d]].
inline void write_blocks(const Mat3<double>& a, const Mat3<double>& b, const Mat3<double>& c,
                         const Mat3<double>& d, double* out) {
    write_matrix(a, out, 6);
    write_matrix(b, out + 3, 6);
    write_matrix(c, out + 18, 6);
    write_matrix(d, out + 21, 6);
}

template <>
struct Row<double> {
    static constexpr int width = 1;
    static double read(const double* a) { return a[0]; }
    static void write(double x, double* out) { out[0] = x; }
};

template <>
struct Row<Vec3<double>> {
    static constexpr int width = 3;
    static Vec3<double> read(const double* a) { return {a[0], a[1], a[2]}; }
    static void write(const Vec3<double>& v, double* out) {
        out[0] = v.x;
        out[1] = v.y;
        out[2] = v.z;
    }
};

template <>
struct Row<Mat3<double>> {
    static constexpr int width = 9;
    static Mat3<double> read(const double* a) { return read_matrix(a, 3); }
    static void write(const Mat3<double>& m, double* out) { write_matrix(m, out, 3); }
};

// A 4x4 matrix, which may be no rigid transform.
struct Matrix4 {
    const double* entries;
};
template <>
struct Row<Matrix4> {
    static constexpr int width = 16;
    static Matrix4 read(const double* a) { return {a}; }
};

template <>
struct Row<Quaternion<double>> {
    static constexpr int width = 4;
    static Quaternion<double> read(const double* a) { return {a[0], a[1], a[2], a[3]}; }
    static void write(const Quaternion<double>& q, double* out) {
        out[0] = q.x;
        out[1] = q.y;
        out[2] = q.z;
        out[3] = q.w;
    }
};

template <>
struct Row<Transform<double>> {
    static constexpr int width = 16;
    static Transform<double> read(const double* a) { return {read_matrix(a, 4), {a[3], a[7], a[11]}}; }
    static void write(const Transform<double>& t, double* out) {
        write_matrix(t.R, out, 4);
        out[3] = t.p.x;
        out[7] = t.p.y;
        out[11] = t.p.z;
        out[12] = out[13] = out[14] = 0.0;
        out[15] = 1.0;
    }
};

template <class Spatial>
struct SpatialRow {
    static constexpr int width = 6;
    static Spatial read(const double* a) { return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}}; }
    static void write(const Spatial& v, double* out) {
        Row<Vec3<double>>::write(v.angular, out);
        Row<Vec3<double>>::write(v.linear, out + 3);
    }
};
template <>
struct Row<Motion<double>> : SpatialRow<Motion<double>> {};
template <>
struct Row<Force<double>> : SpatialRow<Force<double>> {};

template <>
struct Row<MotionMatrix<double>> {
    static constexpr int width = 36;
    static void write(const MotionMatrix<double>& m, double* out) {
        write_blocks(m.diagonal, {}, m.coupling, m.diagonal, out);
    }
};

template <>
struct Row<ForceMatrix<double>> {
    static constexpr int width = 36;
    static void write(const ForceMatrix<double>& m, double* out) {
        write_blocks(m.diagonal, m.coupling, {}, m.diagonal, out);
    }
};

template <>
struct Row<Inertia<double>> {
    static constexpr int width = 36;
    static Inertia<double> read(const double* a) {
        const Mat3<double> first = read_matrix(a + 3, 6);
        return {a[21], {first.y.z, first.z.x, first.x.y}, symmetric_part(read_matrix(a, 6))};
    }
    static void write(const Inertia<double>& b, double* out) {
        const Sym3<double>& m = b.moment;
        const Mat3<double> first = skew(b.first);
        write_blocks({{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}}, first, transpose(first),
                     identity3<double>() * b.mass, out);
    }
};

// Largest entry of |R^T R - 1|; infinite where R is a reflection, not finite where R is not.
inline double rotation_defect(const Mat3<double>& R) {
    if (dot(R.x, cross(R.y, R.z)) < 0.0) return arctangent::kInfinity;
    const Mat3<double> error = transpose(R) * R - identity3<double>();
    double defect = 0.0, poison = 0.0;
    for (const Vec3<double>& column : {error.x, error.y, error.z}) {
        defect = max(defect, max(abs(column.x), max(abs(column.y), abs(column.z))));
        poison += 0.0 * (column.x + column.y + column.z);
    }
    return defect + poison;
}

// The same of the rotation, or the largest error of the last row; not finite where the translation is not.
inline double transform_defect(const Matrix4& m) {
    const double* a = m.entries;
    const double row = max(max(abs(a[12]), abs(a[13])), max(abs(a[14]), abs(a[15] - 1.0)));
    const double poison = 0.0 * (a[3] + a[7] + a[11] + a[12] + a[13] + a[14] + a[15]);
    return max(rotation_defect(read_matrix(a, 4)), row) + poison;
}

// Largest |x|, NaN if any x is not finite.
inline double largest_magnitude(const double* x, std::size_t count) {
    double largest = 0.0, poison = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        largest = max(largest, abs(x[i]));
        poison += 0.0 * x[i];
    }
    return largest + poison;
}

}  // namespace kido::rows
