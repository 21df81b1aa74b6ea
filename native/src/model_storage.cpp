#include "model_storage.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace kido {

int dof_count(JointKind kind) {
    switch (kind) {
        case JointKind::ball: return 3;
        case JointKind::free: return 6;
        default: return 1;
    }
}

ModelStorage::ModelStorage(std::vector<Link> links, std::vector<Weight> weights, std::vector<Body> bodies,
                           const double gravity[3], std::vector<double> armature)
    : links_(std::move(links)), weights_(std::move(weights)), bodies_(std::move(bodies)), armature_(std::move(armature)) {
    number_dofs();
    mark_subtrees();
    collect_runs();
    find_lifted();
    find_armature();
    runs_.shrink_to_fit();
    dof_link_.shrink_to_fit();
    dof_parent_.shrink_to_fit();
    model_.links = links_.data();
    model_.bodies = bodies_.data();
    model_.runs = runs_.data();
    model_.dof_link = dof_link_.data();
    model_.dof_parent = dof_parent_.data();
    model_.num_links = static_cast<int>(links_.size());
    model_.num_bodies = static_cast<int>(bodies_.size());
    model_.num_dofs = static_cast<int>(dof_link_.size());
    static std::atomic<unsigned long> models{0};
    model_.id = ++models;
    std::copy(gravity, gravity + 3, model_.gravity);
    for (const Link& link : links_) model_.total_mass += link.mass;
}

void ModelStorage::number_dofs() {
    int dofs = 0;
    int users = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        Link& link = links_[i];
        link.dof = dofs;
        link.dof_count = dof_count(link.kind);
        link.user = link.kind == JointKind::user ? users++ : -1;
        dofs += link.dof_count;
        dof_link_.insert(dof_link_.end(), link.dof_count, static_cast<int>(i));
        for (int d = link.dof; d < dofs; ++d) {
            const bool first = d == link.dof;
            const Link* parent = link.parent < 0 ? nullptr : &links_[link.parent];
            dof_parent_.push_back(!first ? d - 1 : parent ? parent->dof + parent->dof_count - 1 : -1);
        }
        const double* h = link.h;
        const double* I = link.I;
        link.massless = link.mass == 0.0 && std::all_of(h, h + 3, [](double x) { return x == 0.0; }) &&
                        std::all_of(I, I + 6, [](double x) { return x == 0.0; });
        link.tree_root = link.parent < 0 ? static_cast<int>(i) : links_[link.parent].tree_root;
    }
    model_.num_user_links = users;
}

void ModelStorage::mark_subtrees() {
    const int count = static_cast<int>(links_.size());
    std::vector<bool> has_child(count + 1, false);  // of link i at i + 1, of the world at 0
    for (int i = 0; i < count; ++i) {
        links_[i].link_end = i + 1;
        links_[i].subtree_mass = 0.0;
        links_[i].branches = false;
        links_[i].dof_end = links_[i].dof + links_[i].dof_count;
    }
    for (int i = count - 1; i >= 0; --i) {
        Link& link = links_[i];
        link.leaf = !has_child[i + 1];
        link.subtree_mass += link.mass;
        link.last_child = !has_child[link.parent + 1];
        has_child[link.parent + 1] = true;
        if (link.parent >= 0) {
            Link& parent = links_[link.parent];
            parent.branches = !link.last_child;
            parent.link_end = std::max(parent.link_end, link.link_end);
            parent.dof_end = std::max(parent.dof_end, link.dof_end);
            parent.subtree_mass += link.subtree_mass;
        }
    }
}

void ModelStorage::find_lifted() {
    bool lifted = false;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        Weight& weight = weights_[i];
        weight.lifted_mass = links_[i].mass - weight.mass;
        for (int k = 0; k < 3; ++k) weight.lifted_h[k] = links_[i].h[k] - weight.h[k];
        lifted = lifted || weight.lifted_mass != 0.0;
    }
    if (!lifted) weights_ = std::vector<Weight>();
    model_.lifted = lifted;
    model_.weights = lifted ? weights_.data() : nullptr;
}

void ModelStorage::find_armature() {
    const bool any = std::any_of(armature_.begin(), armature_.end(), [](double x) { return x != 0.0; });
    if (!any) armature_ = std::vector<double>();
    model_.armature = any ? armature_.data() : nullptr;
}

void ModelStorage::collect_runs() {
    std::vector<Run> runs;
    for (Link& link : links_) {
        runs.clear();
        if (link.parent >= 0) {
            const Link& parent = links_[link.parent];
            runs.assign(runs_.begin() + parent.run_begin, runs_.begin() + parent.run_end);
        }
        const Run own = {link.dof, link.dof + link.dof_count};
        if (!runs.empty() && runs.back().end == own.begin) {
            runs.back().end = own.end;
        } else {
            runs.push_back(own);
        }
        link.run_begin = static_cast<int>(runs_.size());
        runs_.insert(runs_.end(), runs.begin(), runs.end());
        link.run_end = static_cast<int>(runs_.size());
    }
}

}  // namespace kido
