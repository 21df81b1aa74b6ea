#include "kernels.hpp"

#include "layout.hpp"

using namespace kido;

namespace {

const auto kToMatrix = []<class T>(const T* in, T* out) {
    store(rotation(normalized(Quaternion<T>{in[0], in[1], in[2], in[3]})), out);
};
const auto kToQuaternion = []<class T>(const T* in, T* out) {
    const Quaternion<T> q = quaternion(matrix3(in));
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
};

// Unit quaternions with w > 0, among them those where the largest component changes by 1 %.
check::Inputs<4> unit_quaternions() {
    check::Inputs<4> rows = check::random_inputs<4>(200, 1.0);
    for (int largest = 0; largest < 4; ++largest)
        for (int second = 0; second < 4; ++second)
            for (const double ratio : {0.99, 1.0, 1.01}) {
                if (largest == second) continue;
                std::array<double, 4> q = {0.1, -0.2, 0.15, 0.05};
                q[largest] = 1.0;
                q[second] = -ratio;
                rows.push_back(q);
            }
    for (auto& q : rows) {
        const double length = check::norm(q) * (q[3] < 0.0 ? -1.0 : 1.0);
        for (double& x : q) x /= length;
    }
    return rows;
}

check::Inputs<9> matrices_of(const check::Inputs<4>& quaternions) {
    check::Inputs<9> rows;
    for (const auto& q : quaternions) {
        rows.emplace_back();
        kToMatrix(q.data(), rows.back().data());
    }
    return rows;
}

}  // namespace

TEST("the rotation of a quaternion turns v to q v q*") {
    for (const auto& a : unit_quaternions()) {
        const Quaternion<double> q{a[0], a[1], a[2], a[3]};
        const Quaternion<double> turned = q * Quaternion<double>{0.3, -0.5, 0.7, 0.0} * conjugate(q);
        const Vec3<double> v = rotation(q) * Vec3<double>{0.3, -0.5, 0.7};
        CHECK_WITHIN(std::hypot(turned.x - v.x, turned.y - v.y, turned.z - v.z), 1e-15);
    }
}

TEST("a quarter turn about z takes x to y") {
    const double half = std::sqrt(0.5);
    const Vec3<double> v = rotation(Quaternion<double>{0.0, 0.0, half, half}) * Vec3<double>{1.0, 0.0, 0.0};
    CHECK_WITHIN(std::hypot(v.x, v.y - 1.0, v.z), 1e-15);
}

TEST("the quaternion of a rotation comes back with w >= 0, whichever component is largest") {
    for (const auto& q : unit_quaternions()) {
        double matrix[9], back[4];
        kToMatrix(q.data(), matrix);
        kToQuaternion(matrix, back);
        CHECK_WITHIN(check::distance(back, q.data(), 4), 1e-15);
    }
}

TEST("the rotation of a product is the product of the rotations") {
    const auto rows = unit_quaternions();
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const Quaternion<double> a{rows[i][0], rows[i][1], rows[i][2], rows[i][3]};
        const Quaternion<double> b{rows[i + 1][0], rows[i + 1][1], rows[i + 1][2], rows[i + 1][3]};
        double one[9], other[9];
        store(rotation(a * b), one);
        store(rotation(a) * rotation(b), other);
        CHECK_WITHIN(check::distance(one, other, 9), 2e-15);
    }
}

TEST("quaternions of any length normalize, though their squares leave the range of doubles") {
    for (const double size : {5e-324, 1e-300, 1e-160, 1.0, 1e160, 1e308}) {
        const Quaternion<double> q = normalized(Quaternion<double>{size, -size, size, size});
        CHECK(q.x == 0.5 && q.y == -0.5 && q.z == 0.5 && q.w == 0.5);
    }
}

TEST("lanes of quaternions give the bits of double") {
    check::lanes_agree<4, 9>(kToMatrix, unit_quaternions());
    check::lanes_agree<9, 4>(kToQuaternion, matrices_of(unit_quaternions()));
}

TEST("dual numbers carry the derivatives of quaternions") {
    check::Inputs<4> rows = check::random_inputs<4>(50, 1.0);
    check::duals_agree<4, 9>(kToMatrix, rows, 1e-6);
    check::Inputs<9> matrices;
    for (const auto& matrix : matrices_of(rows)) {
        double q[4];
        kToQuaternion(matrix.data(), q);
        if (q[3] > 0.05) matrices.push_back(matrix);
    }
    check::duals_agree<9, 4>(kToQuaternion, matrices, 1e-6);
}
