#include "kernels.hpp"

#include "kido/spatial/so3.hpp"
#include "layout.hpp"

using namespace kido;

namespace {

constexpr double kReference[][30] = {
    // r, exp(r), left Jacobian, its inverse; matrices row by row
#include "reference/so3.inc"
};
constexpr double kPi = 3.14159265358979323846;

const auto kExp = []<class T>(const T* in, T* out) { store(so3_exp(vector3(in)), out); };
const auto kLog = []<class T>(const T* in, T* out) { store(so3_log(matrix3(in)), out); };
const auto kLeft = []<class T>(const T* in, T* out) { store(so3_left_jacobian(vector3(in)), out); };
const auto kRight = []<class T>(const T* in, T* out) { store(so3_right_jacobian(vector3(in)), out); };
const auto kLeftInverse = []<class T>(const T* in, T* out) {
    store(so3_left_jacobian_inverse(vector3(in)), out);
};
const auto kRightInverse = []<class T>(const T* in, T* out) {
    store(so3_right_jacobian_inverse(vector3(in)), out);
};

check::Inputs<3> reference_vectors() {
    check::Inputs<3> rows;
    for (const auto& row : kReference) rows.push_back({row[0], row[1], row[2]});
    return rows;
}

check::Inputs<9> reference_rotations() {
    check::Inputs<9> rows;
    for (const auto& row : kReference) {
        rows.emplace_back();
        std::copy(row + 3, row + 12, rows.back().begin());
    }
    return rows;
}

double angle_of(const double* r) { return std::hypot(r[0], r[1], r[2]); }

// Largest distance over the angles [from, to] of the table, relative to the norm of the exact matrix.
template <class Kernel>
double worst_matrix(Kernel kernel, int column, double from = 0.0, double to = 2.0 * kPi) {
    double worst = 0.0;
    for (const auto& row : kReference) {
        if (angle_of(row) < from || angle_of(row) > to) continue;
        double out[9];
        const double zero[9] = {};
        kernel(row, out);
        worst =
            std::fmax(worst, check::distance(out, row + column, 9) / check::distance(zero, row + column, 9));
    }
    return worst;
}

}  // namespace

TEST("exp agrees with its series to 1e-15, from 1e-300 across pi to 6") {
    CHECK_WITHIN(worst_matrix(kExp, 3), 1e-15);
}

TEST("each off-diagonal entry of exp is accurate for itself at small angles") {
    for (const auto& row : kReference) {
        if (angle_of(row) > 1e-8) continue;
        double out[9];
        kExp(row, out);
        for (int i = 0; i < 9; ++i)
            CHECK_WITHIN(std::fabs(out[i] - row[3 + i]), 4e-16 * std::fabs(row[3 + i]));
    }
}

TEST("log returns to the rotation vector to 1e-15, from 1e-300 up to pi") {
    for (const auto& row : kReference) {
        if (angle_of(row) > kPi) continue;
        double out[3];
        kLog(row + 3, out);
        CHECK_WITHIN(check::distance(out, row, 3), 1e-15 * angle_of(row));
    }
}

TEST("log beyond pi is the rotation vector from the other side") {
    for (const auto& row : kReference) {
        const double angle = angle_of(row);
        if (angle <= kPi) continue;
        double out[3], expected[3];
        kLog(row + 3, out);
        for (int i = 0; i < 3; ++i) expected[i] = row[i] * (angle - 2.0 * kPi) / angle;
        CHECK_WITHIN(check::distance(out, expected, 3), 1e-15 * angle);
    }
}

TEST("log of an exact half turn has the largest component positive") {
    const double table[][3] = {{1, 0, 0},      {0, 1, 0},      {0, 0, 1},
                               {0.6, 0, -0.8}, {-0.6, 0, 0.8}, {0.8, -0.6, 0}};
    for (const auto& axis : table) {
        const Vec3<double> a{axis[0], axis[1], axis[2]};
        const Mat3<double> half_turn = {a * (2.0 * a.x), a * (2.0 * a.y), a * (2.0 * a.z)};
        const Vec3<double> r = so3_log(half_turn - identity3<double>());
        const double sign = std::fabs(a.x) > 0.7 ? a.x : std::fabs(a.y) > 0.7 ? a.y : a.z;
        const Vec3<double> expected = a * (sign > 0.0 ? kPi : -kPi);
        CHECK_WITHIN(std::hypot(r.x - expected.x, r.y - expected.y, r.z - expected.z), 1e-15);
    }
}

TEST("log of the identity is zero") {
    const Vec3<double> r = so3_log(identity3<double>());
    CHECK(r.x == 0.0 && r.y == 0.0 && r.z == 0.0);
}

TEST("the left Jacobian agrees with its series to 1e-15") { CHECK_WITHIN(worst_matrix(kLeft, 12), 1e-15); }

TEST(
    "the inverse of the left Jacobian agrees with that of the series to 1e-15 across pi, to 1e-14 near its "
    "pole at 2 pi") {
    CHECK_WITHIN(worst_matrix(kLeftInverse, 21, 0.0, 4.0), 1e-15);
    CHECK_WITHIN(worst_matrix(kLeftInverse, 21, 4.0), 1e-14);
}

TEST("the right Jacobians are the transposes of the left ones") {
    for (const auto& row : kReference) {
        double left[9], right[9];
        kLeft(row, left);
        kRight(row, right);
        for (int i = 0; i < 9; ++i) CHECK_WITHIN(std::fabs(right[i] - left[3 * (i % 3) + i / 3]), 1e-300);
        kLeftInverse(row, left);
        kRightInverse(row, right);
        for (int i = 0; i < 9; ++i) CHECK_WITHIN(std::fabs(right[i] - left[3 * (i % 3) + i / 3]), 1e-300);
    }
}

TEST("lanes give the bits of double on both sides of every branch") {
    const auto vectors = reference_vectors();
    check::lanes_agree<3, 9>(kExp, vectors);
    check::lanes_agree<9, 3>(kLog, reference_rotations());
    check::lanes_agree<3, 9>(kLeft, vectors);
    check::lanes_agree<3, 9>(kRightInverse, vectors);
}

TEST("dual numbers carry the derivatives of exp, log and the Jacobians") {
    for (const double size : {1e-3, 0.1, 1.5}) {
        const auto vectors = check::random_inputs<3>(60, size);
        check::duals_agree<3, 9>(kExp, vectors, 2e-9);
        check::duals_agree<3, 9>(kLeft, vectors, 2e-9);
        check::duals_agree<3, 9>(kLeftInverse, vectors, 2e-9);
        check::Inputs<9> rotations;
        for (const auto& r : vectors) {
            rotations.emplace_back();
            kExp(r.data(), rotations.back().data());
        }
        check::duals_agree<9, 3>(kLog, rotations, 1e-7);
    }
}

TEST("dual numbers along a rotation vector turn by the left Jacobian, to 1e-15 at every angle") {
    for (const auto& row : kReference) {
        const auto direction = check::random_inputs<3>(1, 1.0)[0];
        const Vec3<double> r{row[0], row[1], row[2]}, d{direction[0], direction[1], direction[2]};
        const Mat3<Dual<double>> R = so3_exp(Vec3<Dual<double>>{{r.x, d.x}, {r.y, d.y}, {r.z, d.z}});
        double dot[9], expected[9];
        for (int i = 0; i < 3; ++i) {
            const Vec3<Dual<double>>& column = i == 0 ? R.x : i == 1 ? R.y : R.z;
            dot[i] = column.x.dot;
            dot[3 + i] = column.y.dot;
            dot[6 + i] = column.z.dot;
        }
        store(skew(matrix3(row + 12) * d) * matrix3(row + 3), expected);
        CHECK_WITHIN(check::distance(dot, expected, 9), 2e-15);
    }
}

TEST("dual numbers are finite and right at zero") {
    const Vec3<Dual<double>> zero{{0.0, 1.0}, {0.0, 2.0}, {0.0, 3.0}};
    const Mat3<Dual<double>> R = so3_exp(zero);
    CHECK(R.x.y.dot == 3.0 && R.x.z.dot == -2.0 && R.y.z.dot == 1.0 && R.x.x.dot == 0.0);
    const Vec3<Dual<double>> r = so3_log(R);
    CHECK(r.x.dot == 1.0 && r.y.dot == 2.0 && r.z.dot == 3.0);
    const Mat3<Dual<double>> left = so3_left_jacobian(zero), inverse = so3_left_jacobian_inverse(zero);
    CHECK(left.x.y.dot == 1.5 && left.x.x.dot == 0.0);
    CHECK(inverse.x.y.dot == -1.5 && inverse.x.x.dot == 0.0);
}
