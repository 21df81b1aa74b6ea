#pragma once

#include "kido/algorithm/problem.hpp"
#include "kido/algorithm/registry.hpp"
#include "kido/config.hpp"

// The problem of one algorithm: the only kind that there is, made with the options that this algorithm has and no
// others.

KIDO_BEGIN

#define KIDO_DECLARE(name, type) struct type;
KIDO_ALGORITHMS(KIDO_DECLARE)
#undef KIDO_DECLARE

template <class A>
inline constexpr Algorithm algorithm_of = Algorithm::count;
#define KIDO_NAME(name, type) \
    template <>               \
    inline constexpr Algorithm algorithm_of<type> = Algorithm::name;
KIDO_ALGORITHMS(KIDO_NAME)
#undef KIDO_NAME

template <class A>
struct ProblemOf : ProblemWith<OptionsOf<A>> {
    static_assert(algorithm_of<A> != Algorithm::count, "the registry has no such algorithm");

    explicit ProblemOf(const Model& model)
        requires std::is_same_v<OptionsOf<A>, NoOptions>
        : ProblemOf(model, NoOptions{}) {}
    ProblemOf(const Model& model, const OptionsOf<A>& options)
        : ProblemWith<OptionsOf<A>>(algorithm_of<A>, model, options) {}
};

KIDO_END
