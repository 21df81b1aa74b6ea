#pragma once

#include <cstddef>
#include <memory>

#include "kido/algorithm/registry.hpp"
#include "kido/batch/kernel.hpp"
#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/contact_manifold.hpp"
#include "kido/geometry/shape_queries.hpp"
#include "kido/ik/hierarchy_problem.hpp"
#include "kido/ik/pose_problem.hpp"
#include "kido/lcp/problem.hpp"
#include "kido/optimize/quadratic_problem.hpp"
#include "kido/tree/lazy.hpp"

// All kernels of one instruction set. Those of `Algorithm` run over samples; the others have an interface of their own.

namespace kido {

struct ArrayKernels {
    void (*sincos)(const double* x, std::size_t count, double* sine, double* cosine);
    bool (*finite)(const double* x, std::size_t count);
};

struct LazyKernels {
    std::size_t (*bytes)(const Model&);
    LinkNumbers (*numbers)(const Model&, void* memory);
    void (*advance)(const LazyKinematics&, int link, Known level);
};

struct InverseKinematicsKernels {
    std::size_t (*pose_bytes)(const PoseProblem&);
    // Solves targets [begin, end).
    void (*solve_poses)(const PoseProblem&, const PoseResults&, std::size_t begin, std::size_t end, void* memory);
    std::size_t (*hierarchy_bytes)(const HierarchyProblem&);
    void (*solve_hierarchy)(const HierarchyProblem&, HierarchyResult&, void* memory);
};

struct LoopProblem;
struct BoxList;
struct BoxSearchStep;

struct LoopKernels {
    // Tests and splits boxes; appends those too small to split to `leaves`; returns how many were tested.
    std::size_t (*search_boxes)(const LoopProblem&, BoxList& boxes, const BoxSearchStep&, BoxList& leaves);
};

struct LcpKernels {
    std::size_t (*bytes)(const LcpProblem&, LcpMethod);
    // `start` may be null, and so may `stop`.
    void (*solve)(const LcpProblem&, const LcpSettings&, const double* start, LcpResult&, StopSignal* stop, void* memory);
    // The relative residual of x and w, and the natural one of each row; `memory` holds 2 n numbers.
    double (*residual)(const LcpProblem&, const double* x, const double* w, double* natural, double* memory);
    void (*multiply)(const LcpProblem&, const double* x, double* w);  // w = A x + b
};

struct QuadraticKernels {
    std::size_t (*bytes)(const QuadraticShape&);
    // Solves programs [begin, end).
    void (*solve)(const QuadraticBatch&, std::size_t begin, std::size_t end, void* memory, StopSignal* stop);
};

struct VelocityProgram;
struct VelocityResults;
struct ScaledProgram;
struct ScaledResult;

// One step of differential inverse kinematics.
struct VelocityKernels {
    std::size_t (*bytes)(const VelocityProgram&);
    // Solves samples [begin, end).
    void (*solve)(const VelocityProgram&, const VelocityResults&, std::size_t begin, std::size_t end, void* memory, StopSignal* stop);
    std::size_t (*scaled_bytes)(const ScaledProgram&);
    void (*solve_scaled)(const ScaledProgram&, ScaledResult&, void* memory);
};

struct PostureProgram;
struct PostureAttempt;
struct PostureSettings;
struct PostureValues;

// Postures under constraints, one attempt at a time.
struct PostureKernels {
    std::size_t (*bytes)(const PostureProgram&);
    void (*solve)(const PostureProgram&, PostureAttempt&, const PostureSettings&, StopSignal* stop, void* memory);
    // False where what the caller computes failed.
    bool (*look)(const PostureProgram&, const double* q, const double* extra, const PostureValues& out, void* memory);
};

// Each pose is twelve numbers, see collision_shape.hpp.
struct GeometryKernels {
    // Writes manifolds of two shapes that are not farther apart than `margin` [m], at most `capacity`, and returns how many, or an error
    // of contact_manifold.hpp.
    int (*collide)(const CollisionShape& a, const double* pose_a, const CollisionShape& b, const double* pose_b, double margin,
                   PairMemory& memory, ContactManifold* out, int capacity);
    // 0, or an error.
    int (*distance)(const CollisionShape& a, const double* pose_a, const CollisionShape& b, const double* pose_b, ShapeDistance& out);
    // 1 where the ray meets the shape, 0 where it does not, or an error.
    int (*ray_cast)(const CollisionShape& shape, const double* pose, const Ray& ray, RayHit& out);
    // 1 where the shapes meet on their ways from one pose to another, 0 where they do not, or an error.
    int (*sweep)(const CollisionShape& a, const double* start_a, const double* end_a, const CollisionShape& b, const double* start_b,
                 const double* end_b, double tolerance, SweepHit& out);
    // At most four manifold points of those of a contact that was found elsewhere, which lie in about one plane each; returns how many
    // manifolds. Normals, points on both shapes (count, 3), gaps (count).
    int (*gather)(const double* normals, const double* on_first, const double* on_second, const double* gaps, int count, double size,
                  bool single, ContactManifold* out, int capacity);
};

class NativeWorld;

struct WorldKernels {
    std::unique_ptr<NativeWorld> (*make)();
};

struct KernelTable {
    const char* instruction_set;
    int lanes;
    Kernel kernels[static_cast<int>(Algorithm::count)];
    ArrayKernels arrays;
    LazyKernels lazy;
    InverseKinematicsKernels inverse_kinematics;
    LoopKernels loops;
    LcpKernels lcp;
    QuadraticKernels quadratic;
    VelocityKernels velocity;
    PostureKernels posture;
    GeometryKernels geometry;
    WorldKernels world;

    const Kernel& kernel(Algorithm algorithm) const { return kernels[static_cast<int>(algorithm)]; }
};

}  // namespace kido
