#pragma once

#include "kido/algorithm/integrate.hpp"
#include "kido/spatial/se3.hpp"

// Forces of springs in the joints: minus the gradient, along the joints' groups, of the energy d^T K d / 2, where d is the
// displacement from the rest positions, rest (+) d = q. Moving q by a small velocity x changes d by J_r(d)^-1 x, so the
// force is -J_r(d)^-T K d; J_r is the identity for positions that are added.

KIDO_BEGIN

// in: q, rest positions, stiffness; out: generalized forces.
struct SpringForces {
    static constexpr int inputs = 3, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    using Memory = NoMemory<T>;

    template <class T>
    static bool run(const Problem& p, const Memory<T>& memory, const T* const* in, T* const* out) {
        const T* const ends[] = {in[1], in[0]};
        Difference::run<T>(p, memory, ends, out);
        for (int i = 0; i < p.model->num_links; ++i) {
            const Link& link = p.model->links[i];
            T* force = out[0] + link.dof;
            const T* stiffness = in[2] + link.dof;
            if (link.kind == JointKind::ball) {
                ball(force, stiffness);
            } else if (link.kind == JointKind::free) {
                free(force, stiffness);
            } else {
                for (int k = 0; k < link.dof_count; ++k) force[k] = -(stiffness[k] * force[k]);
            }
        }
        return true;
    }

private:
    template <class T>
    static KIDO_INLINE Vec3<T> pull(const Vec3<T>& d, const T* stiffness) {
        return {-(stiffness[0] * d.x), -(stiffness[1] * d.y), -(stiffness[2] * d.z)};
    }
    // `force` holds the displacement first.
    template <class T>
    static KIDO_INLINE void ball(T* force, const T* stiffness) {
        const Vec3<T> d = read3(force);
        write3(force, transposed_times(so3_right_jacobian_inverse(d), pull(d, stiffness)));
    }
    template <class T>
    static KIDO_INLINE void free(T* force, const T* stiffness) {
        const Motion<T> d = {read3(force), read3(force + 3)};
        const Vec3<T> torque = pull(d.angular, stiffness), push = pull(d.linear, stiffness + 3);
        const MotionMatrix<T> J = se3_right_jacobian_inverse(d);
        write3(force, transposed_times(J.diagonal, torque) + transposed_times(J.coupling, push));
        write3(force + 3, transposed_times(J.diagonal, push));
    }
};

KIDO_END
