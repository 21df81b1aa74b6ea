#pragma once

#include <vector>

#include "frame_query.hpp"

namespace kido {

// Which Jacobian is wanted. Spatial: the derivative that goes with spatial accelerations.
enum class Derivative : int { none, classic, spatial };
enum class Rows : int { all, angular, linear };

struct JacobianRequest {
    Derivative derivative = Derivative::none;
    Rows rows = Rows::all;
    const Frame* relative_to = nullptr;  // null: the world
    Axes axes;
    Vec3<double> offset{0.0, 0.0, 0.0};  // [m]
};

// Jacobian of a frame's point: a column for each dof that moves the frame's body, or, with `whole` not null, for each
// dof of that state, zeros where it moves neither the frame nor `relative_to`.
class FrameJacobian {
public:
    FrameJacobian(const Frame& frame, const JacobianRequest& request, State* whole);

    int rows() const { return rows_ == Rows::all ? 6 : 3; }
    int columns() const { return width_; }
    // Row by row.
    void write(double* out) const;

private:
    // What a unit rate of one dof gives: velocity of the point, or the rate of that velocity.
    struct Column {
        int dof;
        Vec3<double> angular, linear;            // Jacobian
        Vec3<double> angular_rate, linear_rate;  // its derivative, classical
    };
    // A point that a body carries, and its velocity in the world.
    struct Target {
        Vec3<double> p, linear;
    };
    struct LinkMotion {
        Mat3<double> R;
        Vec3<double> p, angular, linear;
    };
    using Columns = std::vector<Column>;

    static LinkMotion link_motion(State& state, int link, bool rates);
    template <class Axis>
    static void add_column(Columns& columns, int dof, const Axis& axis, const LinkMotion& m, const Target& target,
                           bool rates);
    static Columns columns_of(const Frame& carrier, const Target& target, bool rates);
    void see_from(const Frame& base, const FrameMotion<double>& observer, const Target& target, State* whole);

    Columns columns_;  // in world axes
    Rows rows_;
    bool rates_, by_dof_;
    int width_;
    Mat3<double> axes_;
    bool turned_;
};

// The dofs that move a frame, in the order of the columns.
std::vector<int> dependent_dofs(const Frame& frame);

}  // namespace kido
