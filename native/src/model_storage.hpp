#pragma once

#include <vector>

#include "kido/tree/model.hpp"

namespace kido {

// Owns what a Model points to, and derives from each link's parent all that algorithms want to know of the tree.
class ModelStorage {
public:
    // Links depth first, parents before children; of each link: parent, kind, pitch, R, p, mass, h, I are set; of
    // each weight: mass and h. armature: of the dofs [kg m^2, kg]; empty: none.
    ModelStorage(std::vector<Link> links, std::vector<Weight> weights, std::vector<Body> bodies,
                 const double gravity[3], std::vector<double> armature = {});
    ModelStorage(const ModelStorage&) = delete;
    ModelStorage& operator=(const ModelStorage&) = delete;

    const Model& model() const { return model_; }

private:
    void number_dofs();
    void mark_subtrees();
    void collect_runs();
    void find_lifted();
    void find_armature();

    std::vector<Link> links_;
    std::vector<Weight> weights_;
    std::vector<Body> bodies_;
    std::vector<Run> runs_;
    std::vector<int> dof_link_, dof_parent_;
    std::vector<double> armature_;
    Model model_{};
};

int dof_count(JointKind kind);

}  // namespace kido
