#pragma once

#include "kido/spatial/motion.hpp"
#include "kido/tree/model.hpp"

namespace kido {

// A user's joint with several dofs is as many links in a row, of which each moves with the dofs up to its own, while the
// user's functions give screws and rates as the last one sees them. Adds to each rate what the dofs behind turn the screw:
// (sum of S_i v_i of the dofs behind) x S. `numbers` of one sample (num_user_links, kUserNumbers), v (num_dofs).
inline void chain_rates(const Model& m, const double* v, double* numbers) {
    const auto motion = [](const double* x) { return Motion<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; };
    Motion<double> behind{};
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        if (link.user < 0) continue;
        if (link.followers == 0) behind = {};
        const Motion<double> screw = motion(numbers + kUserNumbers * link.user + kUserScrew);
        double* rate = numbers + kUserNumbers * link.user + kUserRate;
        const Motion<double> turned = motion_cross(behind, screw);
        const double added[6] = {turned.angular.x, turned.angular.y, turned.angular.z,
                                 turned.linear.x,  turned.linear.y,  turned.linear.z};
        for (int k = 0; k < 6; ++k) rate[k] += added[k];
        behind.angular += screw.angular * v[link.dof];
        behind.linear += screw.linear * v[link.dof];
    }
}

}  // namespace kido
