#pragma once

#include <memory>
#include <vector>

#include "frame.hpp"
#include "kido/spatial/so3.hpp"
#include "random_tree.hpp"

// Frames on bodies of a random tree, and on each other, that move along a path in time.

class MovingFrames {
public:
    static constexpr int kKinds = 5;  // of joints: all whose motion needs no function of a user

    explicit MovingFrames(int seed) : tree(seed, kKinds) {
        const int n = tree.model().num_dofs;
        q_ = tree.random.numbers(n);
        v_ = tree.random.numbers(n);
        a_ = tree.random.numbers(n);
        const std::shared_ptr<double> rows(new double[5 * n](), std::default_delete<double[]>());
        state = std::make_shared<kido::State>(tree.storage, rows);
        for (const int body : {3, RandomTree::kLinks / 2, RandomTree::kLinks - 1}) add_body(body);
        add_moving(frames[0].get());
        add_moving(frames[3].get());
        add_moving(nullptr);
        at(0.0);
    }

    // Joints and frames at a time: position and velocity are right up to the third and second order in it.
    void at(double time) {
        std::vector<double> mean = v_, velocity = v_;
        for (std::size_t i = 0; i < v_.size(); ++i) {
            mean[i] += 0.5 * time * a_[i];
            velocity[i] += time * a_[i];
        }
        put(integrated(tree, q_, mean, time), velocity);
        for (const Path& path : paths_) path.at(time);
    }

    // Everything at time 0, but one dof moved.
    void nudge(int dof, double by) {
        at(0.0);
        std::vector<double> unit(v_.size(), 0.0);
        unit[dof] = 1.0;
        put(integrated(tree, q_, unit, by), v_);
    }

    RandomTree tree;
    std::shared_ptr<kido::State> state;
    std::vector<std::unique_ptr<kido::Frame>> frames;  // three bodies, and what moves on one of them, on that, on the world

private:
    struct Path {
        kido::Frame* frame;
        kido::RelativeMotion<double> start;

        void at(double t) const {
            const kido::RelativeMotion<double>& s = start;
            kido::RelativeMotion<double>& now = *frame->relative;
            const kido::Vec3<double> classic = s.linear_acceleration + cross(s.angular, s.linear);
            now = s;
            now.R = s.R * kido::so3_exp((s.angular + s.angular_acceleration * (0.5 * t)) * t);
            now.p = s.p + s.R * ((s.linear + classic * (0.5 * t)) * t);
            now.angular = s.angular + s.angular_acceleration * t;
            now.linear = s.linear + s.linear_acceleration * t;
        }
    };

    void add_body(int body) {
        frames.push_back(std::make_unique<kido::Frame>(kido::Frame::Kind::body));
        frames.back()->state = state;
        frames.back()->body = body;
    }
    void add_moving(const kido::Frame* parent) {
        frames.push_back(std::make_unique<kido::Frame>(kido::Frame::Kind::moving));
        frames.back()->parent = parent;
        RandomNumbers& r = tree.random;
        *frames.back()->relative = {r.rotation(), r.vector(), r.vector(), r.vector(), r.vector(), r.vector()};
        paths_.push_back({frames.back().get(), *frames.back()->relative});
    }
    void put(const std::vector<double>& q, const std::vector<double>& v) {
        const int n = static_cast<int>(q.size());
        state->set(kido::Quantity::position, 0, n, q.data());
        state->set(kido::Quantity::velocity, 0, n, v.data());
        state->set(kido::Quantity::acceleration, 0, n, a_.data());
    }

    std::vector<double> q_, v_, a_;
    std::vector<Path> paths_;
};

// Central difference of a vector that depends on time.
template <class F>
kido::Vec3<double> rate_of(MovingFrames& scene, F vector) {
    constexpr double h = 1e-5;
    scene.at(h);
    const kido::Vec3<double> ahead = vector();
    scene.at(-h);
    const kido::Vec3<double> behind = vector();
    scene.at(0.0);
    return (ahead - behind) * (0.5 / h);
}

// Angular velocity, in the axes that it maps to, of a rotation that depends on time.
template <class F>
kido::Vec3<double> spin_of(MovingFrames& scene, F rotation) {
    constexpr double h = 1e-5;
    scene.at(h);
    const kido::Mat3<double> ahead = rotation();
    scene.at(-h);
    const kido::Mat3<double> behind = rotation();
    scene.at(0.0);
    return kido::so3_log(ahead * transpose(behind)) * (0.5 / h);
}

inline double distance(const kido::Vec3<double>& a, const kido::Vec3<double>& b) {
    return std::sqrt(dot(a - b, a - b));
}
