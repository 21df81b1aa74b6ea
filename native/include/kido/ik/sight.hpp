#pragma once

#include "kido/algorithm/jacobian.hpp"

// Gazes: the angle between an axis of a frame and its line of sight, and its derivative.

KIDO_BEGIN

// Sine of the angle between axis and line of sight below which the axis of rotation has no derivative.
inline constexpr double kLeastSine = 1e-6;

KIDO_INLINE double norm(const Vec3<double>& x) { return sqrt(dot(x, x)); }

// The line of sight from a point to a target, the axis that is to be along it, and what turns one into the other: an angle about
// a direction; all in the world.
struct Sight {
    Vec3<double> line, axis, about;
    double distance, sine, angle;

    Sight(const Vec3<double>& point, const Vec3<double>& aim, const Vec3<double>& target) : axis(aim) {
        const Vec3<double> way = target - point;
        distance = norm(way);
        line = distance > 0.0 ? way * (1.0 / distance) : axis;
        const Vec3<double> normal = cross(line, axis);
        sine = norm(normal);
        angle = atan2(sine, dot(line, axis));
        about = sine > 0.0 ? normal * (1.0 / sine) : perpendicular(line);
    }

    // Derivative of (angle - allowed) about the direction, where the frame of the axis moves by J.
    Vec3<double> column(const Motion<double>& J, double allowed) const {
        const Vec3<double> axis_rate = cross(J.angular, axis);
        Vec3<double> line_rate = zero3<double>();
        if (distance > 0.0) {
            const Vec3<double> moving = J.linear * (-1.0 / distance);
            line_rate = moving - line * dot(line, moving);
        }
        const Vec3<double> normal_rate = cross(line, axis_rate) - cross(axis, line_rate);
        if (angle < kLeastSine) return normal_rate;
        Vec3<double> rate = about * dot(about, J.angular - cross(line, line_rate));
        if (sine > kLeastSine) rate += (normal_rate - about * dot(about, normal_rate)) * ((angle - allowed) / sine);
        return rate;
    }

private:
    static Vec3<double> perpendicular(const Vec3<double>& d) {
        const double x = abs(d.x), y = abs(d.y), z = abs(d.z);
        const Vec3<double> least = x <= y && x <= z ? Vec3<double>{1.0, 0.0, 0.0}
                                   : y <= z         ? Vec3<double>{0.0, 1.0, 0.0}
                                                    : Vec3<double>{0.0, 0.0, 1.0};
        const Vec3<double> normal = cross(d, least);
        return normal * (1.0 / norm(normal));
    }
};

KIDO_END
