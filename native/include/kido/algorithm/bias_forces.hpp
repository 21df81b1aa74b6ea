#pragma once

#include "kido/algorithm/inverse_dynamics.hpp"

// Parts of the inverse dynamics: all forces of a motion without accelerations, and those of gravity alone.

KIDO_BEGIN

// in: q, v; out: C(q, v) v + g(q).
struct BiasForces {
    static constexpr int inputs = 2, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    using Memory = RneaMemory<T>;
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        rnea<T>(*p.model, w, in[Problem::users], in[0], in[1], nullptr, nullptr, out[0]);
        return true;
    }
};

// in: q; out: g(q), the gradient of the potential energy.
struct GravityForces {
    static constexpr int inputs = 1, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    using Memory = RneaMemory<T>;
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        rnea<T>(*p.model, w, in[Problem::users], in[0], nullptr, nullptr, nullptr, out[0]);
        return true;
    }
};

KIDO_END
