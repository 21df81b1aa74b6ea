#pragma once

#include <memory>

#include "kido/spatial/vector.hpp"
#include "model_storage.hpp"
#include "soft_state.hpp"

namespace kido {

// Where point masses belong: their body in the skeleton.
struct SoftPlace {
    int body;
    std::shared_ptr<SoftState> state;
};

// The points around a body in a world: brings what their state says to the world before steps, and what became of it back.
class SimulatedSoft {
public:
    // Around a link of an articulation. place: the body in its link. At a body that is fixed to the world the points hang on a link of
    // their own that does not move: then tree is -1.
    SimulatedSoft(SoftPlace soft, const Body& place, int tree, int link, NativeWorld& world);

    int body() const { return body_; }
    int first_row() const { return first_row_; }
    // At a body that is fixed to the world: the row of the link of their own that the points hang on; else -1.
    int own_link_row() const { return own_link_row_; }
    bool has_row(int row) const { return row >= first_row_ && row < first_row_ + state_->size() + any_faces(); }
    bool any_faces() const { return !state_->points.faces.empty(); }
    // The collider of its faces, where there are any. Throws std::invalid_argument where they are no surface.
    int add_skin(NativeWorld& world, const Collider& collider, bool meets_own) const;
    // Whether displacements or velocities were set by others since.
    bool was_set() const { return seen_motion_ != state_->motion || seen_material_ != state_->material; }
    // What was set since, if anything; true where points move otherwise than before.
    bool bring(NativeWorld& world);
    void take(NativeWorld& world);
    // After the world went back to other numbers: their motion and the forces on points are taken, springs are brought, and points that
    // were frozen since stand still. Where pinned points are led is taken too, or brought.
    void resume(NativeWorld& world, bool takes_targets);
    void forget() { seen_motion_ = 0; }

private:
    SoftPoints in_link() const;
    void bring_material(NativeWorld& world);
    void bring_targets(const SoftNumbers& numbers) const;
    void hang_on_world(NativeWorld& world);
    void write(const std::vector<double>& of_body, double* of_link) const;
    void read(const double* of_link, std::vector<double>& of_body) const;

    int body_, tree_, part_, first_row_, own_link_row_ = -1;
    std::shared_ptr<SoftState> state_;
    Mat3<double> axes_;  // of the body in its link
    Vec3<double> origin_;
    unsigned long long seen_motion_ = 0, seen_material_ = 0;
};

// A model whose links have what point masses around their bodies leave of the inertia: that of the body without them, as they rest.
std::shared_ptr<const ModelStorage> without_points(const std::shared_ptr<const ModelStorage>& model, const std::vector<SoftPlace>& softs);

}  // namespace kido
