#pragma once

#include <map>

#include "point_hull.hpp"

// One shape of each kind, and all their pairs in random poses.

namespace check {

struct NamedShape {
    std::string name;
    CollisionShape shape;
};

inline const std::vector<NamedShape>& convex_shapes() {
    static const PointHull stone(ball_points(24, 0.3, 5)), prism(prism_points(6, 0.3, 0.2));
    static const std::vector<NamedShape> shapes = {{"sphere", sphere(0.3)},
                                                   {"capsule", capsule(0.2, 0.4)},
                                                   {"box", box(0.3, 0.5, 0.2)},
                                                   {"cylinder", cylinder(0.25, 0.3)},
                                                   {"cone", cone(0.3, 0.35)},
                                                   {"ellipsoid", ellipsoid(0.3, 0.2, 0.45)},
                                                   {"stone", stone.shape()},
                                                   {"prism", prism.shape()},
                                                   {"plane", plane()}};
    return shapes;
}

inline bool is_curved(const CollisionShape& shape) {
    return shape.kind == ShapeKind::cylinder || shape.kind == ShapeKind::cone || shape.kind == ShapeKind::ellipsoid;
}

struct PairCase {
    std::string name;
    CollisionShape a, b;
    double wobble;  // of the normal, where it is found by approximation
};

inline std::vector<PairCase> pair_cases() {
    const std::vector<NamedShape>& shapes = convex_shapes();
    std::vector<PairCase> cases;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (shapes[i].shape.kind == ShapeKind::plane) continue;
        for (std::size_t j = i; j < shapes.size(); ++j) {
            const bool curved = is_curved(shapes[i].shape) || is_curved(shapes[j].shape);
            cases.push_back({shapes[i].name + " and " + shapes[j].name, shapes[i].shape, shapes[j].shape, curved ? 3e-5 : 1e-9});
        }
    }
    return cases;
}

// Calls f(case, a, b) and f(case, b, a) for poses at which about half of the pairs touch; in a fourth, axes are aligned.
template <class F>
void for_pairs(int count, F f) {
    for (const PairCase& c : pair_cases()) {
        const int before = failures();
        Random random(7);
        for (int k = 0; k < count; ++k) {
            const bool aligned = k % 4 == 3;
            Solid a{c.a, {aligned ? random.aligned_axes() : random.axes(), random.in_ball() * 0.9}};
            Solid b{c.b, {aligned ? random.aligned_axes() : random.axes(), random.in_ball() * 0.1}};
            f(c, a, b);
            f(c, b, a);
        }
        if (failures() != before) std::printf("  of %s\n", c.name.c_str());
    }
}

inline double separation_along(const Solid& a, const Solid& b, const Vector& n) {
    return a.shape.kind == ShapeKind::plane ? separation(b, a, -n) : separation(a, b, n);
}

// The signed distance by search. Tests ask for that of the same two solids again, and the other way round.
inline double searched_distance(const Solid& a, const Solid& b) {
    static std::map<AnswerBytes, double> searched;
    const auto key = [](const Solid& first, const Solid& second) {
        AnswerBytes out;
        for (const Solid* solid : {&first, &second}) out.add(solid->shape.kind, solid->shape.size, solid->shape.hull, solid->numbers());
        return out;
    };
    for (const AnswerBytes& known : {key(a, b), key(b, a)}) {
        if (const auto found = searched.find(known); found != searched.end()) return found->second;
    }
    return searched[key(a, b)] = a.shape.kind == ShapeKind::plane ? signed_distance(b, a) : signed_distance(a, b);
}

// The largest separation of all directions, by search or along a known one: a search stops short of it at a ridge.
inline double largest_separation(const Solid& a, const Solid& b, const Vector& known) {
    return std::max(searched_distance(a, b), separation_along(a, b, known));
}

}  // namespace check
