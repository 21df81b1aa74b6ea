#pragma once

#include "kido/algorithm/problem.hpp"
#include "kido/tree/joint.hpp"
#include "kido/tree/scratch.hpp"

// Positions on the joints' groups: q (+) v dt, and the velocity that leads from one position to another in unit time.

namespace kido {

struct IntegrateOptions {
    double step;  // [s]
};

}  // namespace kido

KIDO_BEGIN

template <class T>
struct NoMemory {
    NoMemory(const Problem&, Scratch&) {}
};

// in: q, v; step; out: q (+) v step. Ball: R exp(w step); free: T exp(twist step) with the twist in body axes.
struct Integrate {
    using Options = IntegrateOptions;
    static constexpr int inputs = 2, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    using Memory = NoMemory<T>;

    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>&, const T* const* in, T* const* out) {
        const double step = p.options.step;
        for (int i = 0; i < p.model->num_links; ++i) {
            const Link& link = p.model->links[i];
            const T* q = in[0] + link.dof;
            const T* v = in[1] + link.dof;
            T* end = out[0] + link.dof;
            if (link.kind == JointKind::ball) {
                write3(end, so3_log(so3_exp(read3(q)) * so3_exp(read3(v) * step)));
            } else if (link.kind == JointKind::free) {
                const Mat3<T> R = so3_exp(read3(q));
                const Vec3<T> turn = read3(v) * step;
                write3(end, so3_log(R * so3_exp(turn)));
                write3(end + 3, read3(q + 3) + R * (so3_left_jacobian(turn) * (read3(v + 3) * step)));
            } else {
                end[0] = q[0] + v[0] * step;
            }
        }
        return true;
    }
};

// in: q0, q1; out: v with q0 (+) v = q1.
struct Difference {
    static constexpr int inputs = 2, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    using Memory = NoMemory<T>;

    template <class T>
    static bool run(const Problem& p, const Memory<T>&, const T* const* in, T* const* out) {
        for (int i = 0; i < p.model->num_links; ++i) {
            const Link& link = p.model->links[i];
            const T* q0 = in[0] + link.dof;
            const T* q1 = in[1] + link.dof;
            T* v = out[0] + link.dof;
            if (link.kind == JointKind::ball) {
                write3(v, so3_log(transpose(so3_exp(read3(q0))) * so3_exp(read3(q1))));
            } else if (link.kind == JointKind::free) {
                const Mat3<T> R0 = so3_exp(read3(q0));
                const Vec3<T> turn = so3_log(transpose(R0) * so3_exp(read3(q1)));
                write3(v, turn);
                write3(v + 3, so3_left_jacobian_inverse(turn) * transposed_times(R0, read3(q1 + 3) - read3(q0 + 3)));
            } else {
                v[0] = q1[0] - q0[0];
            }
        }
        return true;
    }
};

KIDO_END
