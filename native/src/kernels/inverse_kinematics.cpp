// Kernels of the searches for positions.

#include "kido/batch/kernel_table.hpp"
#include "kido/ik/hierarchy_solver.hpp"
#include "kido/ik/pose_solver.hpp"

KIDO_BEGIN

static std::size_t pose_bytes(const PoseProblem& p) { return measure<PoseMemory<NativeLanes>>(p); }

static void solve_poses(const PoseProblem& p, const PoseResults& results, std::size_t begin, std::size_t end,
                        void* memory) {
    PoseSolver<NativeLanes>(p, results, begin, end, memory).run();
}

static std::size_t hierarchy_bytes(const HierarchyProblem& p) {
    return measure<HierarchyMemory>(p) + measure<ObjectiveMemory>(p);
}

static void solve_hierarchy(const HierarchyProblem& p, HierarchyResult& result, void* memory) {
    HierarchySolver(p, result, memory).run();
}

extern const InverseKinematicsKernels inverse_kinematics_kernels;
const InverseKinematicsKernels inverse_kinematics_kernels = {pose_bytes, solve_poses, hierarchy_bytes,
                                                             solve_hierarchy};

KIDO_END
