#include <algorithm>
#include <random>

#include "kido/contact/pair_table.hpp"
#include "kido/geometry/bounding_tree.hpp"
#include "kido/geometry/shape_bounds.hpp"
#include "point_hull.hpp"

// Which boxes are near, against a look at all of them.

using namespace check;

namespace {

using kido::BoundingBox;

struct Boxes {
    std::mt19937 random{7};
    std::vector<BoundingBox> boxes;
    std::vector<int> leaves;
    kido::BoundingTree tree;

    double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
    BoundingBox box(double spread) {
        const kido::Vec3<double> p{number(-spread, spread), number(-spread, spread), number(-spread, spread)};
        return {p, p + kido::Vec3<double>{number(0.05, 0.3), number(0.05, 0.3), number(0.05, 0.3)}};
    }
    void add() {
        boxes.push_back(box(1.0));
        leaves.push_back(tree.add(static_cast<int>(boxes.size()) - 1));
        tree.move(leaves.back(), boxes.back());
    }
    void move(std::size_t k, const kido::Vec3<double>& d) {
        boxes[k] = {boxes[k].low + d, boxes[k].high + d};
        tree.move(leaves[k], boxes[k]);
    }
    bool finds(const BoundingBox& asked) {
        std::vector<int> found, near;
        tree.query(asked, [&](int item) { found.push_back(item); });
        for (std::size_t k = 0; k < boxes.size(); ++k) {
            if (kido::overlap(boxes[k], asked)) near.push_back(static_cast<int>(k));
        }
        std::sort(found.begin(), found.end());
        return found == near;
    }
};

}  // namespace

TEST("a tree of boxes finds all that meet one, whatever moved by little or far") {
    Boxes b;
    CHECK(b.finds({{-9.0, -9.0, -9.0}, {9.0, 9.0, 9.0}}));
    for (int k = 0; k < 60; ++k) {
        b.add();
        CHECK(b.finds(b.box(1.0)));
    }
    for (int k = 0; k < 3000; ++k) {
        const double way = k % 10 == 0 ? 3.0 : 0.02;
        b.move(b.random() % b.boxes.size(), {b.number(-way, way), b.number(-way, way), b.number(-way, way)});
        CHECK(b.finds(b.box(1.5)));
    }
}

TEST("a leaf is nowhere before it is moved, and can be removed from there") {
    const BoundingBox all{{-9.0, -9.0, -9.0}, {9.0, 9.0, 9.0}};
    Boxes b;
    for (int k = 0; k < 3; ++k) b.add();
    const int waits = b.tree.add(7), goes = b.tree.add(8);
    CHECK(!kido::contains(b.tree.box(waits), b.boxes[0]) && !kido::overlap(b.tree.box(waits), all));
    CHECK(b.finds(all));
    b.tree.remove(goes);
    CHECK(b.finds(all));
    b.tree.move(waits, b.boxes[0]);
    int found = 0;
    b.tree.query(b.boxes[0], [&](int item) { found += item == 7; });
    CHECK(found == 1);
}

TEST("boxes that only share a side meet, those that a hair is between do not") {
    const BoundingBox box{{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    for (int axis = 0; axis < 3; ++axis) {
        for (const double side : {-1.0, 1.0}) {
            for (const double gap : {0.0, 1e-15}) {
                kido::Vec3<double> d{axis == 0 ? side : 0.0, axis == 1 ? side : 0.0, axis == 2 ? side : 0.0};
                d = d * (1.0 + 4.0 * gap);
                CHECK(kido::overlap(box, {box.low + d, box.high + d}) == (gap == 0.0));
            }
        }
    }
}

TEST("the box around a hull is that of its turned corners") {
    Random random(3);
    for (int k = 0; k < 50; ++k) {
        std::vector<Vector> points;
        for (int i = 0; i < 5 + k % 9; ++i) points.push_back(random.direction() * 0.1);
        const PointHull hull(points);
        const Solid solid{hull.shape(), {random.axes(), random.in_ball()}};
        const BoundingBox box = kido::bounds_of(solid.shape, solid.numbers().data());
        for (int axis = 0; axis < 3; ++axis) {
            CHECK_WITHIN(std::fabs(geometry::component(box.high, axis) - solid.farthest(geometry::unit(axis))), 1e-15);
            CHECK_WITHIN(std::fabs(geometry::component(box.low, axis) + solid.farthest(-geometry::unit(axis))), 1e-15);
        }
    }
}

TEST("a table of pairs keeps what was put into it until it is taken out") {
    std::mt19937 random(5);
    kido::PairTable table;
    std::vector<char> is_in(40 * 40, 0);
    table.erase(1, 2);
    for (int k = 0; k < 20000; ++k) {
        const int i = static_cast<int>(random() % 40), j = static_cast<int>(random() % 40);
        char& known = is_in[i * 40 + j];
        if (random() % 2 == 0) {
            CHECK(table.insert(i, j) == !known);
            known = 1;
        } else {
            table.erase(i, j);
            known = 0;
        }
    }
    for (int i = 0; i < 40; ++i) {
        for (int j = 0; j < 40; ++j) CHECK(table.insert(i, j) == !is_in[i * 40 + j]);
    }
    table.clear();
    CHECK(table.insert(0, 0));
}
