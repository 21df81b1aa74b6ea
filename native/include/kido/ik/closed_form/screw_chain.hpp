#pragma once

#include "kido/ik/closed_form/subproblems.hpp"
#include "kido/spatial/se3.hpp"

// A serial chain of revolute joints as a product of exponentials: axes and points on them at zero, in base coordinates,
// and the pose of the tool at zero. Brockett, "Robotic manipulators and the product of exponentials formula" (1984).

KIDO_BEGIN

namespace closed_form {

inline constexpr int kMostJoints = 7;
inline constexpr int kMostSolutions = 16;

using Placement = Transform<double>;

struct Screw {
    Point axis, point;

    KIDO_INLINE Placement moved(double angle) const {
        const Turn turn(axis, angle);
        const Mat3<double> R{turn * Point{1.0, 0.0, 0.0}, turn * Point{0.0, 1.0, 0.0}, turn * Point{0.0, 0.0, 1.0}};
        return {R, point - R * point};
    }
    KIDO_INLINE Turn turn(double angle) const { return Turn(axis, angle); }
    // Where a point comes to, and from.
    KIDO_INLINE Point move(double angle, const Point& x) const { return point + Turn(axis, angle) * (x - point); }
    KIDO_INLINE Point back(double angle, const Point& x) const { return point + Turn(axis, -angle) * (x - point); }
};

struct ScrewChain {
    Screw joint[kMostJoints];
    int count = 0;
    Placement tool{};
    double size = 1.0;  // [m]

    Placement forward(const double* q) const {
        double sine[kMostJoints], cosine[kMostJoints];
        sincos(q, count, sine, cosine);
        Point x = tool.R.x, y = tool.R.y, p = tool.p;
        for (int k = count - 1; k >= 0; --k) {
            const Turn turn(joint[k].axis, sine[k], cosine[k]);
            x = turn * x;
            y = turn * y;
            p = joint[k].point + turn * (p - joint[k].point);
        }
        return {{x, y, cross(x, y)}, p};
    }

    // Without one joint, which stays at an angle: what follows it has moved.
    ScrewChain held(int index, double angle) const {
        ScrewChain rest;
        rest.size = size;
        const Placement by = joint[index].moved(angle);
        for (int k = 0; k < count; ++k) {
            if (k == index) continue;
            rest.joint[rest.count++] = k < index ? joint[k] : Screw{by.R * joint[k].axis, by * joint[k].point};
        }
        rest.tool = by * tool;
        return rest;
    }

    // From tool to base, with the same angles.
    ScrewChain reversed() const {
        ScrewChain other = *this;
        for (int k = 0; k < count; ++k) other.joint[k] = {-joint[count - 1 - k].axis, joint[count - 1 - k].point};
        return other;
    }
};

struct PoseDifference {
    Point angular, linear;

    double squared() const { return dot(angular, angular) + dot(linear, linear); }
};

// Of a target from a pose: rotation vector and shift. Angles that are their own sine need no logarithm.
inline PoseDifference difference(const Placement& target, const Placement& at) {
    const Mat3<double> D = target.R * transpose(at.R);
    const Point v = unskew(D);
    const double c = 0.5 * (D.x.x + D.y.y + D.z.z - 1.0);
    const Point r = c > 1.0 - 1e-12 ? v : so3_log(D);
    return {r, target.p - at.p};
}

// One damped step of least squares of the angle and the distance by the chain's size. Returns the difference before it.
inline PoseDifference newton_step(const ScrewChain& chain, const Placement& target, double damping, double* q) {
    Placement at = chain.joint[0].moved(0.0);
    Point axis[kMostJoints], point[kMostJoints];
    for (int k = 0; k < chain.count; ++k) {
        axis[k] = at.R * chain.joint[k].axis;
        point[k] = at * chain.joint[k].point;
        at = at * chain.joint[k].moved(q[k]);
    }
    at = at * chain.tool;
    const PoseDifference e = difference(target, at);
    const double w = 1.0 / chain.size;
    double A[6][6] = {}, y[6] = {e.angular.x, e.angular.y, e.angular.z, e.linear.x * w, e.linear.y * w, e.linear.z * w};
    double J[kMostJoints][6], trace = 0.0;
    for (int k = 0; k < chain.count; ++k) {
        const Point v = cross(axis[k], at.p - point[k]);
        const double column[6] = {axis[k].x, axis[k].y, axis[k].z, v.x * w, v.y * w, v.z * w};
        for (int r = 0; r < 6; ++r) {
            J[k][r] = column[r];
            for (int c = 0; c <= r; ++c) A[r][c] += column[r] * column[c];
        }
    }
    for (int r = 0; r < 6; ++r) trace += A[r][r];
    for (int r = 0; r < 6; ++r) A[r][r] += damping * trace;
    for (int j = 0; j < 6; ++j) {
        for (int k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k] * A[k][k];
        for (int i = j + 1; i < 6; ++i) {
            for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k] * A[k][k];
            A[i][j] /= A[j][j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k) y[i] -= A[i][k] * y[k];
    }
    for (int i = 0; i < 6; ++i) y[i] /= A[i][i];
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k) y[i] -= A[k][i] * y[k];
    }
    for (int k = 0; k < chain.count; ++k) {
        for (int r = 0; r < 6; ++r) q[k] += J[k][r] * y[r];
    }
    return e;
}

}  // namespace closed_form

KIDO_END
