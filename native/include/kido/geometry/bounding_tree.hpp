#pragma once

#include <cmath>
#include <vector>

#include "kido/geometry/bounding_box.hpp"

// A binary tree of boxes whose leaves come, go and move (Catto 2019, Dynamic bounding volume hierarchies): a leaf is put beside
// the sibling that adds the least surface, and where swapping a node with its nephew makes a box smaller, they are swapped. Leaves that move along with
// their neighbors mostly stay where they are.

KIDO_BEGIN

class BoundingTree {
public:
    // Adds a leaf that stands for `item`; returns the leaf. Nothing meets it before it is moved, for the first time.
    int add(int item) {
        const int leaf = allocate();
        nodes_[leaf] = {kNowhere, kApart, kNone, kNone, item};
        return leaf;
    }
    void remove(int leaf) {
        detach(leaf);
        free_.push_back(leaf);
    }
    void move(int leaf, const BoundingBox& box) {
        if (refit(leaf, box)) return;
        detach(leaf);
        nodes_[leaf].box = box;
        attach(leaf);
    }
    // All numbers, by an archive that writes or reads.
    template <class Archive>
    void archive(Archive& archive) {
        archive(nodes_);
        archive(free_);
        archive(root_);
        archive(moves_);
    }
    const BoundingBox& box(int leaf) const { return nodes_[leaf].box; }

    // Calls f(item) for every leaf whose box meets `box`, in an order that depends on the history of the tree alone.
    template <class F>
    void query(const BoundingBox& box, F f) {
        if (root_ == kNone) return;
        if (is_leaf(root_)) {
            if (overlap(nodes_[root_].box, box)) f(nodes_[root_].item);
            return;
        }
        // Level by level, for then the next node is known before this one is done; and without a branch for what nobody foresees: whether
        // a box meets another.
        if (queue_.size() < 2 * nodes_.size()) queue_.resize(2 * nodes_.size());
        const BoxProbe probe(box);
        int *const queue = queue_.data(), *const found = queue + nodes_.size();
        int first = 0, last = 0, count = 0;
        queue[last++] = root_;
        while (first < last) {
            const Node& node = nodes_[queue[first++]];
            for (const int child : {node.left, node.right}) {
                const bool meets = probe.meets(nodes_[child].box), leaf = is_leaf(child);
                queue[last] = child;
                last += meets & !leaf;
                found[count] = nodes_[child].item;
                count += meets & leaf;
            }
        }
        for (int k = 0; k < count; ++k) f(found[k]);
    }

private:
    static constexpr int kNone = -1, kApart = -2;
    static constexpr BoundingBox kNowhere = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    static constexpr double kGain = 0.999;  // of surface, below which a swap is worth it
    static constexpr double kLoose = 1.6;   // growth of a parent's surface up to which a leaf may stay where it is
    static constexpr unsigned kStays = 4;   // of so many moves, one goes to the best place all the same

    struct alignas(64) Node {
        BoundingBox box;
        int parent, left, right, item;
    };

    int allocate() {
        if (free_.empty()) {
            nodes_.push_back({});
            return static_cast<int>(nodes_.size()) - 1;
        }
        const int node = free_.back();
        free_.pop_back();
        return node;
    }
    bool is_leaf(int node) const { return nodes_[node].left == kNone; }
    int& child_link(int parent, int child) {
        return nodes_[parent].left == child ? nodes_[parent].left : nodes_[parent].right;
    }
    void replace_child(int parent, int child, int by) {
        if (parent == kNone) {
            root_ = by;
        } else {
            child_link(parent, child) = by;
        }
        nodes_[by].parent = parent;
    }
    // Leaves a leaf that moves where it is in the tree; false where that would be a bad place.
    bool refit(int leaf, const BoundingBox& box) {
        const int parent = nodes_[leaf].parent;
        if (parent < 0 || ++moves_ % kStays == 0) return false;
        const int sibling = nodes_[parent].left == leaf ? nodes_[parent].right : nodes_[parent].left;
        if (area(united(box, nodes_[sibling].box)) > kLoose * area(nodes_[parent].box)) return false;
        nodes_[leaf].box = box;
        for (int node = parent; node != kNone; node = nodes_[node].parent) fit(node);
        return true;
    }
    void fit(int node) { nodes_[node].box = united(nodes_[nodes_[node].left].box, nodes_[nodes_[node].right].box); }

    // The node beside which a box adds the least surface.
    int best_sibling(const BoundingBox& box) const {
        int node = root_;
        double inherited = 0.0;
        while (!is_leaf(node)) {
            const double joint = area(united(nodes_[node].box, box)), here = joint + inherited;
            inherited += joint - area(nodes_[node].box);
            const auto cost = [&](int child) {
                const double own = area(united(nodes_[child].box, box)) + inherited;
                return is_leaf(child) ? own : own - area(nodes_[child].box);
            };
            const double left = cost(nodes_[node].left), right = cost(nodes_[node].right);
            if (here < left && here < right) break;
            node = left <= right ? nodes_[node].left : nodes_[node].right;
        }
        return node;
    }
    void attach(int leaf) {
        if (root_ == kNone) {
            root_ = leaf;
            nodes_[leaf].parent = kNone;
            return;
        }
        const int sibling = best_sibling(nodes_[leaf].box), parent = allocate(), above = nodes_[sibling].parent;
        nodes_[parent] = {united(nodes_[sibling].box, nodes_[leaf].box), above, sibling, leaf, kNone};
        replace_child(above, sibling, parent);
        nodes_[sibling].parent = nodes_[leaf].parent = parent;
        for (int node = above; node != kNone; node = nodes_[node].parent) {
            fit(node);
            rotate(node);
        }
    }
    void detach(int leaf) {
        if (nodes_[leaf].parent == kApart) return;
        if (leaf == root_) {
            root_ = kNone;
            return;
        }
        const int parent = nodes_[leaf].parent, above = nodes_[parent].parent;
        const int sibling = nodes_[parent].left == leaf ? nodes_[parent].right : nodes_[parent].left;
        replace_child(above, parent, sibling);
        free_.push_back(parent);
        for (int node = above; node != kNone; node = nodes_[node].parent) fit(node);
    }
    void rotate(int node) {
        swap_if_smaller(node, nodes_[node].left, nodes_[node].right);
        swap_if_smaller(node, nodes_[node].right, nodes_[node].left);
    }
    // Swaps `child` of `node` with a child of its sibling `other`, if that makes the box of `other` smaller.
    void swap_if_smaller(int node, int child, int other) {
        if (is_leaf(other)) return;
        const double present = area(nodes_[other].box) * kGain;
        const int left = nodes_[other].left, right = nodes_[other].right;
        const double without_left = area(united(nodes_[child].box, nodes_[right].box));
        const double without_right = area(united(nodes_[child].box, nodes_[left].box));
        if (without_left < present && without_left <= without_right) {
            swap(node, child, other, left);
        } else if (without_right < present) {
            swap(node, child, other, right);
        }
    }
    void swap(int node, int child, int other, int nephew) {
        child_link(node, child) = nephew;
        child_link(other, nephew) = child;
        nodes_[nephew].parent = node;
        nodes_[child].parent = other;
        fit(other);
    }

    std::vector<Node> nodes_;
    std::vector<int> free_, queue_;
    int root_ = kNone;
    unsigned moves_ = 0;
};

KIDO_END
