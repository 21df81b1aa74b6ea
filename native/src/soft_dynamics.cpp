#include "soft_dynamics.hpp"

#include "kido/contact/soft_material.hpp"
#include "kido/tree/joint.hpp"

namespace kido {

namespace {

void read(const std::vector<double>& numbers, std::vector<Vec3<double>>& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = vec3(&numbers[3 * i]);
}

}  // namespace

SoftDynamics& SoftDynamics::of(SoftState& soft) {
    if (!soft.dynamics) soft.dynamics = std::make_shared<SoftDynamics>();
    return *soft.dynamics;
}

bool SoftDynamics::eliminate(const SoftState& soft, double h, const Vec3<double>& spin, const Vec3<double>& gravity, bool forces, SoftLoad& load) {
    if (!layer_ || material_ != soft.material) {
        SoftMaterial material = material_of(soft.points);
        material.pinned.clear();  // what leads points belongs to worlds
        if (layer_) layer_->set_material(std::move(material));
        else layer_.emplace(std::move(material));
    }
    material_ = soft.material;
    read(soft.displacements, layer_->displacements);
    read(soft.velocities, layer_->velocities);
    read(soft.yielded, layer_->yielded);
    read(soft.forces, layer_->forces);
    if (!forces) std::fill(layer_->forces.begin(), layer_->forces.end(), zero3<double>());
    return layer_->eliminate(h, spin, load, gravity);
}

void SoftDynamics::accelerate(SoftState& soft, const Vec3<double>& angular, const Vec3<double>& linear, const Vec3<double>& spin) {
    layer_->accelerate(angular, linear, spin);
    for (int i = 0; i < soft.size(); ++i) write3(&soft.accelerations[3 * i], layer_->accelerations[i]);
    ++soft.motion;
}

void SoftDynamics::follow(SoftState& soft, const Vec3<double>& angular, const Vec3<double>& linear) const {
    for (int i = 0; i < soft.size(); ++i) {
        write3(&soft.velocities[3 * i], vec3(&soft.velocities[3 * i]) + layer_->followed(i, angular, linear));
    }
    ++soft.motion;
}

}  // namespace kido
