#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kido/contact/native_world.hpp"
#include "kido/tree/joint.hpp"
#include "model_storage.hpp"

// A torso that moves freely, two arms and two legs on ball joints with hinges, a slide and a screw: bodies of 1 kg that hang
// below their joints. armature: of all dofs behind the root's [kg m^2, kg].

struct Ragdoll {
    static constexpr int kLinks = 11, kDofs = 24, kHinge = 9, kOtherHinge = 13, kSlide = 22, kScrew = 23;

    explicit Ragdoll(double armature = 0.0) {
        using kido::JointKind;
        const struct { int parent; JointKind kind; double x, y, z; } joints[kLinks] = {
            {-1, JointKind::free, 0, 0, 0},       {0, JointKind::ball, 0, 0.3, 0},   {1, JointKind::revolute, 0, 0, -0.3},
            {0, JointKind::ball, 0, -0.3, 0},     {3, JointKind::revolute, 0, 0, -0.3}, {0, JointKind::ball, 0, 0.15, -0.4},
            {5, JointKind::revolute, 0, 0, -0.3}, {0, JointKind::ball, 0, -0.15, -0.4}, {7, JointKind::revolute, 0, 0, -0.3},
            {0, JointKind::prismatic, 0.2, 0, 0}, {0, JointKind::screw, -0.2, 0, 0}};
        std::vector<kido::Link> links;
        std::vector<kido::Weight> weights;
        std::vector<kido::Body> bodies;
        for (const auto& joint : joints) {
            kido::Link link{};
            link.parent = joint.parent;
            link.kind = joint.kind;
            link.pitch = 0.05;
            // Axes of hinges across, so that limbs swing.
            const bool across = joint.kind == JointKind::revolute;
            const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
            std::copy_n(across ? turned : upright, 9, link.R);
            const double p[3] = {joint.x, joint.y, joint.z};
            std::copy_n(p, 3, link.p);
            link.mass = 1.0;
            // The center of mass 0.15 m below, seen in the link's axes, and moments about the joint.
            const double own = 0.02, shifted = own + 0.15 * 0.15;
            link.h[across ? 1 : 2] = across ? 0.15 : -0.15;
            const double I[6] = {shifted, 0, 0, across ? own : shifted, 0, across ? shifted : own};
            std::copy_n(I, 6, link.I);
            weights.push_back({1.0, {link.h[0], link.h[1], link.h[2]}, 0.0, {0.0, 0.0, 0.0}});
            bodies.push_back({static_cast<int>(links.size()), kido::Offset::none, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}});
            links.push_back(link);
        }
        const double gravity[3] = {0.0, 0.0, -9.81};
        std::vector<double> rotors(kDofs, armature);
        std::fill_n(rotors.begin(), 6, 0.0);
        storage = std::make_shared<kido::ModelStorage>(std::move(links), std::move(weights), std::move(bodies), gravity,
                                                       std::move(rotors));
    }

    const kido::Model& model() const { return storage->model(); }

    // The pose of a ball around a link's center of mass, in the link's axes.
    static void center(const kido::Link& link, double (&pose)[12]) {
        const double axes[12] = {link.h[0], link.h[1], link.h[2], 1, 0, 0, 0, 1, 0, 0, 0, 1};
        std::copy_n(axes, 12, pose);
    }

    std::shared_ptr<const kido::ModelStorage> storage;
};
