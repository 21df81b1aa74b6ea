#include "kernels.hpp"

#include "layout.hpp"

using namespace kido;

namespace {

constexpr double kPi = 3.14159265358979323846;

std::vector<EulerOrder> all_orders() {
    std::vector<EulerOrder> orders;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                if (i != j && j != k) orders.push_back({i, j, k});
    return orders;
}

Vec3<double> axis_times(int axis, double angle) {
    return {axis == 0 ? angle : 0.0, axis == 1 ? angle : 0.0, axis == 2 ? angle : 0.0};
}

double difference(const Mat3<double>& a, const Mat3<double>& b) {
    double x[9], y[9];
    store(a, x);
    store(b, y);
    return check::distance(x, y, 9);
}

// The middle of the range of the second angle; the lock is a quarter turn from it.
double middle(EulerOrder order) { return order.symmetric() ? kPi / 2 : 0.0; }

}  // namespace

TEST("the rotation of Euler angles is the product of three exponentials, in all 12 orders") {
    CHECK(all_orders().size() == 12);
    for (const EulerOrder order : all_orders())
        for (const auto& a : check::random_inputs<3>(20, 3.0)) {
            const Mat3<double> expected = so3_exp(axis_times(order.first, a[0])) *
                                          so3_exp(axis_times(order.second, a[1])) *
                                          so3_exp(axis_times(order.last, a[2]));
            CHECK_WITHIN(difference(euler_rotation(vector3(a.data()), order), expected), 2e-15);
        }
}

TEST("Euler angles come back, in all 12 orders") {
    for (const EulerOrder order : all_orders())
        for (const auto& a : check::random_inputs<3>(50, 1.0)) {
            const Vec3<double> angles{a[0] * kPi, middle(order) + a[1] * 1.5, a[2] * kPi};
            const Vec3<double> back = euler_angles(euler_rotation(angles, order), order);
            CHECK_WITHIN(std::hypot(back.x - angles.x, back.y - angles.y, back.z - angles.z), 3e-14);
        }
}

TEST("the angles give the matrix back however near the gimbal lock, in all 12 orders") {
    for (const EulerOrder order : all_orders())
        for (const double side : {-1.0, 1.0})
            for (const double off : {0.0, 1e-17, 0.5e-14, 0.99e-14, 1.01e-14, 1e-13, 1e-12, 1e-8, 1e-4}) {
                const Vec3<double> angles{-2.3, middle(order) + side * (kPi / 2 - off), 1.1};
                const Mat3<double> R = euler_rotation(angles, order);
                CHECK_WITHIN(difference(euler_rotation(euler_angles(R, order), order), R), 2.1e-14);
                if (off > 1.2e-14)
                    CHECK_WITHIN(difference(euler_rotation(euler_angles(R, order), order), R), 2e-15);
            }
}

TEST("the third angle is 0 in gimbal lock and the first turns the rest, in all 12 orders") {
    for (const EulerOrder order : all_orders())
        for (const double side : {-1.0, 1.0}) {
            const double second = order.symmetric() ? (side > 0.0 ? kPi : 0.0) : side * kPi / 2;
            const Vec3<double> back =
                euler_angles(euler_rotation(Vec3<double>{0.4, second, 0.3}, order), order);
            const bool adds = order.symmetric() ? side < 0.0 : side * order.parity() > 0.0;
            CHECK(back.z == 0.0);
            CHECK_WITHIN(std::fabs(back.x - (adds ? 0.7 : 0.1)), 1e-15);
            CHECK_WITHIN(std::fabs(back.y - second), 2e-16);
        }
}

TEST("lanes of Euler angles give the bits of double, in all 12 orders") {
    for (const EulerOrder order : all_orders()) {
        const auto to = [order]<class T>(const T* in, T* out) {
            store(euler_rotation(vector3(in), order), out);
        };
        const auto from = [order]<class T>(const T* in, T* out) {
            store(euler_angles(matrix3(in), order), out);
        };
        check::Inputs<3> angles = check::random_inputs<3>(40, 3.0);
        for (int i = 0; i < 8; ++i) angles[5 * i][1] = middle(order) + kPi / 2;
        check::lanes_agree<3, 9>(to, angles);
        check::Inputs<9> matrices;
        for (const auto& a : angles) {
            matrices.emplace_back();
            to(a.data(), matrices.back().data());
        }
        check::lanes_agree<9, 3>(from, matrices);
    }
}

TEST("dual numbers carry the derivatives of Euler angles, in all 12 orders") {
    for (const EulerOrder order : all_orders()) {
        const auto to = [order]<class T>(const T* in, T* out) {
            store(euler_rotation(vector3(in), order), out);
        };
        const auto around = [order]<class T>(const T* in, T* out) {
            store(euler_angles(euler_rotation(vector3(in), order), order), out);
        };
        check::Inputs<3> angles = check::random_inputs<3>(20, 1.2);
        check::duals_agree<3, 9>(to, angles, 1e-9);
        for (auto& a : angles) a[1] += middle(order);
        check::duals_agree<3, 3>(around, angles, 1e-8);
    }
}
