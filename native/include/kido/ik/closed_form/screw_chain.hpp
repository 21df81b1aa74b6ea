#pragma once

#include <type_traits>

#include "kido/ik/closed_form/subproblems.hpp"
#include "kido/spatial/se3.hpp"

// A serial chain of revolute and prismatic joints as a product of exponentials: axes and points on them at zero, in base
// coordinates, and the pose of the tool at zero. Brockett, "Robotic manipulators and the product of exponentials
// formula" (1984).

KIDO_BEGIN

namespace closed_form {

inline constexpr int kMostJoints = 7;
inline constexpr int kMostSolutions = 16;

using Placement = Transform<double>;

struct Screw {
    Point axis, point;
    bool is_prismatic = false;  // its position is a length [m], else an angle [rad]

    KIDO_INLINE Placement moved(double q) const {
        if (is_prismatic) return {identity3<double>(), axis * q};
        const AngleAxis rotation(axis, q);
        const Mat3<double> R{rotation * Point{1.0, 0.0, 0.0}, rotation * Point{0.0, 1.0, 0.0}, rotation * Point{0.0, 0.0, 1.0}};
        return {R, point - R * point};
    }
    KIDO_INLINE AngleAxis rotation(double q) const { return is_prismatic ? AngleAxis(axis, 0.0, 1.0) : AngleAxis(axis, q); }
    KIDO_INLINE Screw inverted() const { return {-axis, point, is_prismatic}; }
    // Image of a point under a revolute joint, and its preimage.
    KIDO_INLINE Point move(double angle, const Point& x) const { return point + AngleAxis(axis, angle) * (x - point); }
    KIDO_INLINE Point back(double angle, const Point& x) const { return point + AngleAxis(axis, -angle) * (x - point); }
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
            if (joint[k].is_prismatic) {
                p += joint[k].axis * q[k];
                continue;
            }
            const AngleAxis rotation(joint[k].axis, sine[k], cosine[k]);
            x = rotation * x;
            y = rotation * y;
            p = joint[k].point + rotation * (p - joint[k].point);
        }
        return {{x, y, cross(x, y)}, p};
    }

    int num_prismatic() const {
        int total = 0;
        for (int k = 0; k < count; ++k) total += joint[k].is_prismatic;
        return total;
    }

    // Without one joint, which stays where it is: what follows it has moved.
    ScrewChain locked(int index, double q) const {
        ScrewChain rest;
        rest.size = size;
        const Placement by = joint[index].moved(q);
        for (int k = 0; k < count; ++k) {
            if (k == index) continue;
            const Screw& own = joint[k];
            rest.joint[rest.count++] = k < index ? own : Screw{by.R * own.axis, by * own.point, own.is_prismatic};
        }
        rest.tool = by * tool;
        return rest;
    }

    // From tool to base, with the same positions.
    ScrewChain reversed() const {
        ScrewChain other = *this;
        for (int k = 0; k < count; ++k) other.joint[k] = joint[count - 1 - k].inverted();
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

// Solves A x = y in place by A = L D L^T; only the lower triangle is read.
template <class Size>
KIDO_INLINE void solve_symmetric(double (&A)[6][6], double (&y)[6], Size n) {
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k] * A[k][k];
        for (int i = j + 1; i < n; ++i) {
            for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k] * A[k][k];
            A[i][j] /= A[j][j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) y[i] -= A[i][k] * y[k];
    }
    for (int i = 0; i < n; ++i) y[i] /= A[i][i];
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) y[i] -= A[k][i] * y[k];
    }
}

// Jacobian of the tool by each joint, angular first, and its error, with lengths by the chain's size.
struct Sensitivity {
    double J[kMostJoints][6], error[6];
    PoseDifference difference;

    Sensitivity(const ScrewChain& chain, const Placement& target, const double* q) {
        Placement at = {identity3<double>(), zero3<double>()};
        Point axis[kMostJoints], point[kMostJoints];
        for (int k = 0; k < chain.count; ++k) {
            axis[k] = at.R * chain.joint[k].axis;
            point[k] = at * chain.joint[k].point;
            at = at * chain.joint[k].moved(q[k]);
        }
        at = at * chain.tool;
        difference = closed_form::difference(target, at);
        const double w = 1.0 / chain.size;
        write(error, difference.angular, difference.linear * w);
        for (int k = 0; k < chain.count; ++k) {
            if (chain.joint[k].is_prismatic) {
                write(J[k], zero3<double>(), axis[k]);
            } else {
                write(J[k], axis[k], cross(axis[k], at.p - point[k]) * w);
            }
        }
    }

private:
    static void write(double (&row)[6], const Point& a, const Point& b) {
        const double numbers[6] = {a.x, a.y, a.z, b.x, b.y, b.z};
        for (int r = 0; r < 6; ++r) row[r] = numbers[r];
    }
};

// The step J^T (J J^T + damping)^-1 error of six joints or more.
inline void step_of_many(const Sensitivity& s, int count, double damping, double* step) {
    double A[6][6] = {}, y[6], trace = 0.0;
    for (int k = 0; k < count; ++k) {
        for (int r = 0; r < 6; ++r) {
            for (int c = 0; c <= r; ++c) A[r][c] += s.J[k][r] * s.J[k][c];
        }
    }
    for (int r = 0; r < 6; ++r) trace += A[r][r];
    for (int r = 0; r < 6; ++r) {
        A[r][r] += damping * trace;
        y[r] = s.error[r];
    }
    solve_symmetric(A, y, std::integral_constant<int, 6>{});
    for (int k = 0; k < count; ++k) {
        for (int r = 0; r < 6; ++r) step[k] += s.J[k][r] * y[r];
    }
}

// The same step of fewer, as (J^T J + damping)^-1 J^T error.
inline void step_of_few(const Sensitivity& s, int count, double damping, double* step) {
    double A[6][6] = {}, y[6] = {}, trace = 0.0;
    for (int k = 0; k < count; ++k) {
        for (int r = 0; r < 6; ++r) y[k] += s.J[k][r] * s.error[r];
        for (int j = 0; j <= k; ++j) {
            for (int r = 0; r < 6; ++r) A[k][j] += s.J[k][r] * s.J[j][r];
        }
        trace += A[k][k];
    }
    for (int k = 0; k < count; ++k) A[k][k] += damping * trace;
    solve_symmetric(A, y, count);
    for (int k = 0; k < count; ++k) step[k] += y[k];
}

// One damped step of least squares of the angle and the distance by the chain's size; prismatic joints move by that
// size.
inline void newton_step(const ScrewChain& chain, const Placement& target, double damping, double* q) {
    const Sensitivity sensitivity(chain, target, q);
    double step[kMostJoints] = {};
    if (chain.count < 6) {
        step_of_few(sensitivity, chain.count, damping, step);
    } else {
        step_of_many(sensitivity, chain.count, damping, step);
    }
    for (int k = 0; k < chain.count; ++k) q[k] += chain.joint[k].is_prismatic ? step[k] * chain.size : step[k];
}

}  // namespace closed_form

KIDO_END
