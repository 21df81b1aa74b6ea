#pragma once

#include "kido/spatial/motion.hpp"
#include "kido/spatial/so3.hpp"

// The group of rigid transforms. T_a_b maps coordinates of frame b to those of frame a; twists are angular
// first. Jacobians by the principle of transference: an SO(3) Jacobian of the dual vector angular + epsilon
// linear is the SE(3) Jacobian, block for block (Barfoot, "State Estimation for Robotics" (2017),
// section 7.1.5, has them written out).

KIDO_BEGIN

template <class T>
struct Transform {
    Mat3<T> R;
    Vec3<T> p;
};

template <class T>
KIDO_INLINE Transform<T> operator*(const Transform<T>& a, const Transform<T>& b) {
    return {a.R * b.R, a.R * b.p + a.p};
}

template <class T>
KIDO_INLINE Vec3<T> operator*(const Transform<T>& a, const Vec3<T>& point) {
    return a.R * point + a.p;
}

template <class T>
KIDO_INLINE Transform<T> inverse(const Transform<T>& a) {
    return {transpose(a.R), -transposed_times(a.R, a.p)};
}

// A motion in frame b, in frame a.
template <class T>
KIDO_INLINE Motion<T> operator*(const Transform<T>& T_a_b, const Motion<T>& v) {
    const Vec3<T> angular = T_a_b.R * v.angular;
    return {angular, T_a_b.R * v.linear + cross(T_a_b.p, angular)};
}

// A force in frame b, in frame a.
template <class T>
KIDO_INLINE Force<T> operator*(const Transform<T>& T_a_b, const Force<T>& f) {
    const Vec3<T> linear = T_a_b.R * f.linear;
    return {T_a_b.R * f.angular + cross(T_a_b.p, linear), linear};
}

// The matrix that maps motions in frame b to frame a.
template <class T>
KIDO_INLINE MotionMatrix<T> adjoint(const Transform<T>& T_a_b) {
    return {T_a_b.R, skew(T_a_b.p) * T_a_b.R};
}

// The matrix that maps forces in frame b to frame a: the inverse transpose of the adjoint.
template <class T>
KIDO_INLINE ForceMatrix<T> coadjoint(const Transform<T>& T_a_b) {
    return {T_a_b.R, skew(T_a_b.p) * T_a_b.R};
}

// Exponential map of SE(3): pose of a frame that has moved with the constant body twist x for unit time.
template <class T>
KIDO_INLINE Transform<T> se3_exp(const Motion<T>& x) {
    const T square = dot(x.angular, x.angular);
    const so3::HalfAngle<T> half = so3::half_angle(square);
    const T versine = 0.5 * (half.sinc * half.sinc);
    const Mat3<T> jacobian = so3::polynomial<T>(x.angular, versine, so3::third_coefficient(square, half));
    return {so3::polynomial<T>(x.angular, half.sinc * half.cos, versine), jacobian * x.linear};
}

template <class T>
KIDO_INLINE Motion<T> se3_log(const Transform<T>& a) {
    const Vec3<T> r = so3_log(a.R);
    return {r, so3_left_jacobian_inverse(r) * a.p};
}

namespace se3 {

template <class T>
KIDO_INLINE Vec3<Dual<T>> dual_vector(const Motion<T>& x) {
    return {{x.angular.x, x.linear.x}, {x.angular.y, x.linear.y}, {x.angular.z, x.linear.z}};
}

template <class T>
KIDO_INLINE MotionMatrix<T> parts(const Mat3<Dual<T>>& m) {
    return {{{m.x.x.value, m.x.y.value, m.x.z.value},
             {m.y.x.value, m.y.y.value, m.y.z.value},
             {m.z.x.value, m.z.y.value, m.z.z.value}},
            {{m.x.x.dot, m.x.y.dot, m.x.z.dot},
             {m.y.x.dot, m.y.y.dot, m.y.z.dot},
             {m.z.x.dot, m.z.y.dot, m.z.z.dot}}};
}

}  // namespace se3

// J_l with exp(x + dx) = exp(J_l dx) exp(x).
template <class T>
KIDO_INLINE MotionMatrix<T> se3_left_jacobian(const Motion<T>& x) {
    return se3::parts(so3_left_jacobian(se3::dual_vector(x)));
}

// J_r with exp(x + dx) = exp(x) exp(J_r dx).
template <class T>
KIDO_INLINE MotionMatrix<T> se3_right_jacobian(const Motion<T>& x) {
    return se3_left_jacobian<T>(-x);
}

// Singular where the angle is 2 pi, 4 pi, ...
template <class T>
KIDO_INLINE MotionMatrix<T> se3_left_jacobian_inverse(const Motion<T>& x) {
    return se3::parts(so3_left_jacobian_inverse(se3::dual_vector(x)));
}

template <class T>
KIDO_INLINE MotionMatrix<T> se3_right_jacobian_inverse(const Motion<T>& x) {
    return se3_left_jacobian_inverse<T>(-x);
}

KIDO_END
