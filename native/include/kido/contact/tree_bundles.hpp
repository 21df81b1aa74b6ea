#pragma once

#include <vector>

#include "kido/contact/articulation_bundle.hpp"
#include "kido/contact/world_tree.hpp"
#include "kido/tree/same_model.hpp"

// Which trees of a world go in lanes together: those of the same model, as many at once as there are lanes.

KIDO_BEGIN

template <class T>
class TreeBundles {
public:
    using Members = typename ArticulationBundle<T>::Members;
    static constexpr int width = lanes_of<T>;

    struct Bundle {
        int trees[width];
        Members members;
    };

    void add_tree(const Model& model) {
        std::size_t kind = 0;
        while (kind < models_.size() && !same_model(*models_[kind], model)) ++kind;
        if (kind == models_.size()) {
            models_.push_back(&model);
            open_.push_back(-1);
            counts_.push_back(0);
        }
        kinds_.push_back(static_cast<int>(kind));
        any_alike_ |= ++counts_[kind] >= kFewest;
    }

    // Of the trees `awake`, those of which `is_plain(tree)` go in lanes, where there are enough of a model.
    template <class IsPlain>
    void arrange(const std::vector<int>& awake, std::vector<WorldTree>& trees, const IsPlain& is_plain) {
        bundles_.clear();
        singles_.clear();
        if (!any_alike_) {
            singles_ = awake;
            return;
        }
        std::fill(open_.begin(), open_.end(), -1);
        for (const int tree : awake) {
            if (counts_[kinds_[tree]] >= kFewest && is_plain(tree)) {
                add(tree);
            } else {
                singles_.push_back(tree);
            }
        }
        dissolve_small();
        fill(trees);
    }
    // Calls of_bundle(passes, bundle) for each bundle, and of_single(tree) for the others.
    template <class F, class G>
    void for_each(const SharedLoop& loop, std::size_t piece, const F& of_bundle, const G& of_single) {
        loop(bundles_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) of_bundle(passes_[i], bundles_[i]);
        });
        loop(singles_.size(), piece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) of_single(static_cast<std::size_t>(singles_[i]));
        });
    }

private:
    static constexpr int kFewest = 3;  // trees of a model that lanes are worth

    void add(int tree) {
        int& open = open_[kinds_[tree]];
        if (open < 0) {
            open = static_cast<int>(bundles_.size());
            bundles_.emplace_back();
            bundles_.back().members.count = 0;
        }
        Bundle& bundle = bundles_[open];
        bundle.trees[bundle.members.count++] = tree;
        if (bundle.members.count == width) open = -1;
    }
    void dissolve_small() {
        const auto is_small = [&](const Bundle& b) { return b.members.count < std::min(kFewest, width); };
        for (const Bundle& b : bundles_) {
            if (is_small(b)) singles_.insert(singles_.end(), b.trees, b.trees + b.members.count);
        }
        bundles_.erase(std::remove_if(bundles_.begin(), bundles_.end(), is_small), bundles_.end());
    }
    // The members, and memory for their passes.
    void fill(std::vector<WorldTree>& trees) {
        for (std::size_t i = 0; i < bundles_.size(); ++i) {
            Bundle& b = bundles_[i];
            for (int lane = 0; lane < width; ++lane) {
                if (lane > 0 && lane >= b.members.count) b.trees[lane] = b.trees[lane - 1];
                b.members.of[lane] = &trees[b.trees[lane]].articulation;
            }
            const Model& model = *models_[kinds_[b.trees[0]]];
            if (i == passes_.size()) passes_.emplace_back(model);
            if (&passes_[i].model() != &model) passes_[i] = ArticulationBundle<T>(model);
        }
    }

    std::vector<const Model*> models_;  // that differ
    std::vector<int> counts_, open_;    // of each: trees, and the bundle that is not full, -1: none
    std::vector<int> kinds_;            // of each tree: which of these
    std::vector<Bundle> bundles_;
    std::vector<int> singles_;
    std::vector<ArticulationBundle<T>> passes_;
    bool any_alike_ = false;
};

KIDO_END
