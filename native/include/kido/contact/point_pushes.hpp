#pragma once

#include <vector>

#include "kido/contact/response_matrix.hpp"

// What contacts at points around links make of the motion of a skeleton: rows of C J^T, of the response C of its coordinates and the
// wrenches J^T that unit forces along each contact's frame are at its link. A visit of a contact adds three of them.

KIDO_BEGIN

class PointPushes {
public:
    // Once the response is what it is in the step.
    void find(const std::vector<PointContact>& contacts, const ResponseMatrix& matrix) {
        width_ = matrix.width();
        rows_.assign(3 * contacts.size() * width_, 0.0);
        double* row = rows_.data();
        for (const PointContact& p : contacts) {
            for (int j = 0; j < 3; ++j, row += width_) {
                const Vec3<double>& d = (&p.frame.x)[j];
                const Vec3<double> force = d * p.share, torque = cross(p.arm, d);
                const double w[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
                matrix.push(p.coordinate, w, row);
            }
        }
    }
    // By a unit force along one of the axes of a contact's frame, at all coordinates.
    const double* row(std::size_t contact, int axis) const { return &rows_[(3 * contact + axis) * width_]; }
    // Adds to a motion what a force, in the frame of the contact, makes of it.
    KIDO_INLINE void push(std::size_t contact, const Vec3<double>& force, double* motion) const {
        const double w[3] = {force.x, force.y, force.z};
        ResponseMatrix::add_rows(row(contact, 0), width_, width_, w, motion);
    }

private:
    int width_ = 0;
    AlignedNumbers rows_;
};

KIDO_END
