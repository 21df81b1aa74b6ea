#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "evaluate.hpp"
#include "kido/algorithm/integrate.hpp"
#include "kido/algorithm/problem_of.hpp"
#include "kido/tree/joint.hpp"
#include "model_storage.hpp"

// Random robots.

class RandomNumbers {
public:
    explicit RandomNumbers(int seed) : engine_(seed) {}

    int below(int count) { return static_cast<int>(engine_() % count); }
    double between(double low, double high) {
        return low + (high - low) * std::ldexp(static_cast<double>(engine_() >> 11), -53);
    }
    kido::Vec3<double> vector() { return {between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0)}; }
    kido::Vec3<double> direction() {
        kido::Vec3<double> v = vector();
        while (dot(v, v) < 0.1) v = vector();
        return v * (1.0 / std::sqrt(dot(v, v)));
    }
    kido::Mat3<double> rotation() {
        const kido::Vec3<double> z = direction(), x = normal_to(z);
        return {x, cross(z, x), z};
    }
    kido::Vec3<double> normal_to(const kido::Vec3<double>& z) {
        kido::Vec3<double> x = cross(z, direction());
        while (dot(x, x) < 0.1) x = cross(z, direction());
        return x * (1.0 / std::sqrt(dot(x, x)));
    }
    std::vector<double> numbers(std::size_t count) {
        std::vector<double> out(count);
        for (double& x : out) x = between(-1.0, 1.0);
        return out;
    }

private:
    std::mt19937_64 engine_;
};

// A tree with links of every kind of joint, or of the first `kinds`, some of them massless, and a body on each; joint i
// carries body i. Gravity leaves one link alone. Every third dof has armature, or none where that is asked for.
class RandomTree {
public:
    static constexpr int kLinks = 11;

    explicit RandomTree(int seed, int kinds = 6, bool geared = true) : random(seed) {
        std::vector<kido::Link> links;
        std::vector<kido::Weight> weights;
        std::vector<kido::Body> bodies;
        for (int i = 0; i < kLinks; ++i) {
            // Depth first: what follows a link hangs on it or on one of its ancestors.
            // A massless one turns, and carries one that slides.
            int parent = i - 1;
            const bool carried = i > 0 && links[parent].mass == 0.0;
            while (!carried && parent >= 0 && random.below(3) == 0) parent = links[parent].parent;
            const auto kind = static_cast<kido::JointKind>((i + seed) % kinds);
            links.push_back(link(parent, kind, kind == kido::JointKind::revolute && i + 1 < kLinks));
            weights.push_back(i == kLinks / 2 ? kido::Weight{} : weight_of(links.back()));
            bodies.push_back(body(i, static_cast<kido::Offset>(i % 3)));
        }
        bodies.push_back(body(-1, kido::Offset::full));
        const double gravity[3] = {0.3, -0.2, -9.81};
        int dofs = 0;
        for (const kido::Link& link : links) dofs += kido::dof_count(link.kind);
        std::vector<double> armature(dofs, 0.0);
        for (int k = 0; geared && k < dofs; k += 3) armature[k] = 0.1 * (k + 1);
        storage = std::make_shared<kido::ModelStorage>(std::move(links), std::move(weights), std::move(bodies), gravity,
                                                       std::move(armature));
    }

    const kido::Model& model() const { return storage->model(); }

    // Numbers of the links of kind user, of some samples.
    std::vector<double> users(std::size_t samples) {
        std::vector<double> out = random.numbers(user_numbers(model()) * samples);
        for (std::size_t i = 0; i < out.size(); i += kido::kUserNumbers) write_rotation(&out[i]);
        return out;
    }

    RandomNumbers random;
    std::shared_ptr<const kido::ModelStorage> storage;

private:
    kido::Link link(int parent, kido::JointKind kind, bool massless) {
        kido::Link out{};
        out.parent = parent;
        out.kind = kind;
        out.pitch = 0.1;
        place(out.R, out.p);
        if (massless) return out;
        out.mass = random.between(0.5, 2.0);
        const kido::Vec3<double> com = random.vector();
        kido::write3(out.h, com * out.mass);
        // About the link origin: that about the center of mass, and what its distance adds.
        const double shift = dot(com, com);
        const double c[3] = {com.x, com.y, com.z};
        const double own[6] = {0.5, 0.01, -0.02, 0.6, 0.03, 0.7};
        for (int a = 0, k = 0; a < 3; ++a) {
            for (int b = a; b < 3; ++b, ++k) out.I[k] = own[k] + out.mass * ((a == b ? shift : 0.0) - c[a] * c[b]);
        }
        return out;
    }
    kido::Body body(int link, kido::Offset offset) {
        kido::Body out{link, offset, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
        double unused[3];
        if (offset != kido::Offset::none) place(out.R, offset == kido::Offset::full ? out.p : unused);
        return out;
    }
    void place(double* R, double* p) {
        write_rotation(R);
        kido::write3(p, random.vector());
    }
    void write_rotation(double* R) {
        const kido::Mat3<double> turn = random.rotation();
        kido::write3(R, turn.x);
        kido::write3(R + 3, turn.y);
        kido::write3(R + 6, turn.z);
    }
    static kido::Weight weight_of(const kido::Link& link) {
        return {link.mass, {link.h[0], link.h[1], link.h[2]}, 0.0, {0.0, 0.0, 0.0}};
    }
};

// Positions after moving at v for a time.
inline std::vector<double> integrated(const RandomTree& tree, const std::vector<double>& q, const std::vector<double>& v,
                                      double time) {
    std::vector<double> out(q.size());
    kido::ProblemOf<kido::Integrate> p(tree.model(), {time});
    p.in[0] = q.data();
    p.in[1] = v.data();
    p.out[0] = out.data();
    evaluate(p);
    return out;
}
