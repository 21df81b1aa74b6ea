#pragma once

#include <vector>

#include "kido/contact/articulation.hpp"

// Momenta of the links of a skeleton about the reference of its step, as torque and force would have made them.

KIDO_BEGIN

// Motions of the links, at rates of the dofs.
inline void find_link_motions(const Articulation& a, const std::vector<double>& rates, std::vector<Motion<double>>& out) {
    out.resize(a.model().num_links);
    for (int i = 0; i < a.model().num_links; ++i) {
        const Link& link = a.model().links[i];
        out[i] = link.parent < 0 ? no_motion<double>() : out[link.parent];
        for (int k = link.dof; k < link.dof + link.dof_count; ++k) out[i] = out[i] + a.factors(k).axis * rates[k];
    }
}
inline std::vector<Motion<double>> link_motions(const Articulation& a, const std::vector<double>& rates) {
    std::vector<Motion<double>> out;
    find_link_motions(a, rates, out);
    return out;
}
// Of a mass with such moments.
inline Wrench<double> momentum_of(double mass, const LinkMoments<double>& own, const Motion<double>& v) {
    return {own.second * v.angular + cross(own.first, v.linear), v.linear * mass + cross(v.angular, own.first)};
}
inline Wrench<double> link_momentum(const Articulation& a, int i, const Motion<double>& v) {
    return momentum_of(a.model().links[i].mass, a.moments(i), v);
}
// Its rate by velocities alone: without accelerations of dofs.
inline Wrench<double> link_momentum_rate(const Articulation& a, int i, const LinkMoments<double>& own) {
    const Motion<double>& v = a.motion(i);
    const double mass = a.model().links[i].mass;
    const Wrench<double> p = momentum_of(mass, own, v), turned = momentum_of(mass, own, a.velocity_product(i));
    return {turned.torque + cross(v.angular, p.torque) + cross(v.linear, p.force), turned.force + cross(v.angular, p.force)};
}

KIDO_END
