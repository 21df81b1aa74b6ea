#pragma once

#include <cstddef>

// The compiled robot: constants only, the same bytes for every instruction set. Links are what moves: every link has
// one joint of a primitive kind, whose axis is z of the link's own frame. Composite joints (universal, planar, ...)
// are several links in a row, all but the last massless. Links and their dofs stand depth first, so that a subtree is
// a contiguous range.

namespace kido {

// user: one dof of a joint that a user's functions describe. It moves along any screw, and where it stands, its screw and
// the screw's rate are numbers of each sample.
enum class JointKind : int { revolute, prismatic, screw, ball, free, user };

// Of one link of kind user, in each sample: rotation by columns (9) and translation (3) of its frame in its fixed frame,
// its screw (6) and the screw's rate (6), angular first, in axes of the moving frame. Of a joint with several dofs, the
// first link has the whole joint's pose, the others have none; see chain_rates.
inline constexpr int kUserNumbers = 24, kUserScrew = 12, kUserRate = 18;

struct Run {
    int begin, end;
};

struct Link {
    int parent;       // -1: the world
    JointKind kind;
    int dof;          // first degree of freedom
    int dof_count;
    int dof_end;      // dofs of the subtree: [dof, dof_end)
    int link_end;     // links of the subtree: [this, link_end)
    int run_begin;    // dofs of all ancestors and of this link: runs [run_begin, run_end)
    int run_end;
    int user;         // which of the links of kind user, else -1
    int followers;    // links of the same user's joint behind this one
    int tree_root;    // first link of the tree that this one belongs to
    bool leaf;
    bool branches;    // has two children or more
    bool last_child;  // no sibling (or other child of the world) with a larger index
    bool massless;
    double pitch;     // [m/rad] translation along z per angle
    double R[9];      // joint frame in the parent link, columns; applied before the joint moves
    double p[3];
    double mass;      // [kg]
    double subtree_mass;
    double h[3];      // first moment of mass about the link origin, link axes [kg m]
    double I[6];      // xx xy xz yy yz zz about the link origin, link axes [kg m^2]
};

// A link's mass and first moment on which gravity acts, and those that it leaves alone; units and axes as of Link.
struct Weight {
    double mass, h[3];
    double lifted_mass, lifted_h[3];
};

// Offset of a body's frame in its link; kernels skip the products that it makes needless.
enum class Offset : int { none, rotation, full };

struct Body {
    int link;  // -1: fixed to the world
    Offset offset;
    double R[9];
    double p[3];
};

struct Model {
    const Link* links;
    const Weight* weights;  // of the links, where some are lifted; else null: each weighs its mass
    const double* armature;  // of the dofs, what they add to the diagonal of the mass matrix [kg m^2, kg]; null where all are 0
    const Body* bodies;
    const Run* runs;
    const int* dof_link;
    const int* dof_parent;  // previous dof on the path to the root; -1: none
    int num_links, num_bodies, num_dofs;
    int num_user_links;
    unsigned long id;       // of no other model of this process
    bool lifted;            // whether gravity leaves anything alone
    double total_mass;
    double gravity[3];
};

// Numbers of all links of kind user in one sample.
inline std::size_t user_numbers(const Model& m) { return static_cast<std::size_t>(kUserNumbers) * m.num_user_links; }

}  // namespace kido
