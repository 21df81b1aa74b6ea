#pragma once

#include "kido/algorithm/kinematics.hpp"
#include "kido/tree/lazy.hpp"

// Forward kinematics of one link and those of its ancestors that are not known yet.

KIDO_BEGIN

inline std::size_t lazy_bytes(const Model& m) { return measure<KinematicsMemory<double>>(m, 2); }

inline LinkNumbers lazy_numbers(const Model& m, void* memory) {
    Scratch scratch(memory);
    const KinematicsMemory<double> w(m, 2, scratch);
    return {&w.pose->R.x.x, &w.velocity->angular.x, &w.acceleration->angular.x};
}

// Makes `level` of a link known.
inline void lazy_advance(const LazyKinematics& s, int link, Known level) {
    const Model& m = *s.model;
    Scratch scratch(s.memory);
    const KinematicsMemory<double> w(m, 2, scratch);
    int first = m.num_links;
    for (; link >= 0 && s.known[link] < level; link = m.links[link].parent) w.path[--first] = link;
    for (int k = first; k < m.num_links; ++k) {
        const int i = w.path[k];
        const Link& self = m.links[i];
        if (s.known[i] < kPose) {
            sincos(s.q + self.dof, self.dof_count, w.sine + self.dof, w.cosine + self.dof);
#if KIDO_VECTOR_EXTENSION
            double& next = w.pose[i + 1].R.x.x;  // compute may write one number too much
            const double kept = next;
            w.template compute<true>(self, i, s.users, s.q, w.sine, w.cosine);
            next = kept;
#else
            w.template compute<true>(self, i, s.users, s.q, w.sine, w.cosine);
#endif
            ++s.counts[0];
        }
        if (level >= kVelocity && s.known[i] < kVelocity) {
            velocity(self, w.pose, w.velocity, s.users, s.v, w.velocity[i]);
            ++s.counts[1];
        }
        if (level >= kAcceleration) {
            acceleration(self, w.pose, w.velocity, w.acceleration, s.users, s.v, s.a, w.acceleration[i]);
            ++s.counts[2];
        }
        s.known[i] = level;
    }
}

KIDO_END
