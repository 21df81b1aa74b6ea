// All kernels for one instruction set. Compiled once per set, with KIDO_TARGET naming it.

#include "kido/algorithm/bias_forces.hpp"
#include "kido/algorithm/center_of_mass.hpp"
#include "kido/algorithm/forward_dynamics.hpp"
#include "kido/algorithm/forward_dynamics_derivatives.hpp"
#include "kido/algorithm/forward_kinematics.hpp"
#include "kido/algorithm/hybrid_dynamics.hpp"
#include "kido/algorithm/integrate.hpp"
#include "kido/algorithm/inverse_dynamics.hpp"
#include "kido/algorithm/inverse_dynamics_derivatives.hpp"
#include "kido/algorithm/inverse_mass_matrix.hpp"
#include "kido/algorithm/jacobian.hpp"
#include "kido/algorithm/joint_kinematics.hpp"
#include "kido/algorithm/lazy_kinematics.hpp"
#include "kido/algorithm/mass_matrix.hpp"
#include "kido/algorithm/momentum.hpp"
#include "kido/algorithm/spring_forces.hpp"
#include "kido/batch/drive.hpp"
#include "kido/ik/hierarchy_solver.hpp"
#include "kido/ik/pose_solver.hpp"

#define KIDO_STRING_(x) #x
#define KIDO_STRING(x) KIDO_STRING_(x)
#define KIDO_JOIN_(a, b) a##b
#define KIDO_JOIN(a, b) KIDO_JOIN_(a, b)

KIDO_BEGIN

static void sincos_array(const double* x, std::size_t count, double* sine, double* cosine) {
    constexpr std::size_t chunk = 1 << 20;
    for (std::size_t i = 0; i < count; i += chunk) {
        const std::size_t here = count - i < chunk ? count - i : chunk;
        sincos(x + i, static_cast<int>(here), sine + i, cosine + i);
    }
}

// x * 0 is 0 for every finite x and NaN otherwise.
static bool all_finite(const double* x, std::size_t count) {
    NativeLanes sum = 0.0;
    std::size_t i = 0;
    for (; i + KIDO_LANES <= count; i += KIDO_LANES) {
        NativeLanes block;
        std::memcpy(&block.v, x + i, sizeof block.v);
        sum = sum + block * 0.0;
    }
    double rest = 0.0;
    for (; i < count; ++i) rest += x[i] * 0.0;
    return rest == 0.0 && all(sum == 0.0);
}

static std::size_t pose_bytes(const PoseProblem& p) { return measure<PoseMemory<NativeLanes>>(p); }

static void solve_poses(const PoseProblem& p, const PoseResults& results, std::size_t begin, std::size_t end,
                        void* memory) {
    PoseSolver<NativeLanes>(p, results, begin, end, memory).run();
}

static std::size_t hierarchy_bytes(const HierarchyProblem& p) { return measure<HierarchyMemory>(p); }

static void solve_hierarchy(const HierarchyProblem& p, HierarchyResult& result, void* memory) {
    HierarchySolver(p, result, memory).run();
}

KIDO_END

namespace kido {

extern const KernelTable KIDO_JOIN(kernels_, KIDO_TARGET);
const KernelTable KIDO_JOIN(kernels_, KIDO_TARGET) = {
    KIDO_STRING(KIDO_TARGET),
    KIDO_LANES,
    {
#define KIDO_ENTRY(name, type) Drive<type>::kernel(),
        KIDO_ALGORITHMS(KIDO_ENTRY)
#undef KIDO_ENTRY
    },
    sincos_array,
    all_finite,
    lazy_bytes,
    lazy_numbers,
    lazy_advance,
    pose_bytes,
    solve_poses,
    hierarchy_bytes,
    solve_hierarchy,
};

}  // namespace kido
