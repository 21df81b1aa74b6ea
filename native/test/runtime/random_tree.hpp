#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "compile.hpp"
#include "evaluate.hpp"
#include "kido/tree/joint.hpp"
#include "model_storage.hpp"

// Random robots, compiled from bodies as Python describes them.

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

// A tree in which every type of joint stands `rounds` times, at random places.
class RandomTree {
public:
    explicit RandomTree(int seed, int rounds = 1) : random(seed) {
        const int types = static_cast<int>(kido::JointType::count);
        std::vector<std::array<std::int64_t, kido::BodyRow::integers>> integers(types * rounds);
        std::vector<std::array<double, kido::BodyRow::numbers>> numbers(types * rounds);
        std::vector<kido::BodyRow> rows;
        for (int i = 0; i < types * rounds; ++i) {
            // Depth first: what follows a body hangs on it or on one of its ancestors.
            std::int64_t parent = i - 1;
            while (parent >= 0 && random.below(3) == 0) parent = integers[parent][0];
            integers[i] = {parent, (i * 7 + seed) % types, 5};
            describe(numbers[i]);
            rows.emplace_back(integers[i].data(), numbers[i].data());
        }
        kido::CompiledBodies compiled = compile_bodies(rows);
        joints = compiled.joints;
        const double gravity[3] = {0.3, -0.2, -9.81};
        storage = std::make_shared<kido::ModelStorage>(std::move(compiled.links), std::move(compiled.bodies), gravity);
    }

    const kido::Model& model() const { return storage->model(); }

    RandomNumbers random;
    std::vector<kido::CompiledJoint> joints;
    std::shared_ptr<const kido::ModelStorage> storage;

private:
    void describe(std::array<double, kido::BodyRow::numbers>& row) {
        place(row.data());
        place(row.data() + 12);
        const kido::Vec3<double> first = random.direction();
        kido::write3(row.data() + 24, first);
        kido::write3(row.data() + 27, random.normal_to(first));
        row[30] = 0.4;
        row[31] = random.between(0.5, 2.0);
        kido::write3(row.data() + 32, random.vector());
        const double moment[6] = {0.5, 0.01, -0.02, 0.6, 0.03, 0.7};
        std::copy(moment, moment + 6, row.data() + 35);
    }
    void place(double* rows) {
        const kido::Mat3<double> R = random.rotation();
        const kido::Vec3<double> p = random.vector();
        const double T[12] = {R.x.x, R.y.x, R.z.x, p.x, R.x.y, R.y.y, R.z.y, p.y, R.x.z, R.y.z, R.z.z, p.z};
        std::copy(T, T + 12, rows);
    }
};

// A call about body and joint `index` of a tree, for one sample.
inline kido::Problem problem_for(const RandomTree& tree, int index) {
    kido::Problem p{};
    p.model = &tree.model();
    p.samples = 1;
    p.body = index;
    p.parent_body = tree.joints[index].parent_body;
    p.link_begin = tree.joints[index].link_begin;
    p.link_end = tree.joints[index].link_end;
    p.frame = kido::ReferenceFrame::world;
    return p;
}

// Positions after moving at v for a time.
inline std::vector<double> integrated(const RandomTree& tree, const std::vector<double>& q, const std::vector<double>& v,
                                      double time) {
    std::vector<double> out(q.size());
    kido::Problem p = problem_for(tree, 0);
    p.in[0] = q.data();
    p.in[1] = v.data();
    p.out[0] = out.data();
    p.step = time;
    evaluate(kido::Algorithm::integrate, p);
    return out;
}
