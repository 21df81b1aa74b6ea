#include "bound_world.hpp"

#include <algorithm>
#include <string>

#include "kept_array.hpp"
#include "result_arrays.hpp"

// What a world is made of: skeletons, shapes, how surfaces meet.

namespace kido {

static constexpr int kMostManifolds = 16;

int BoundWorld::add_skeleton(const BoundTree& tree, const BoundState& state, bool plain, bool whole,
                             const std::vector<std::pair<int, std::shared_ptr<SoftState>>>& softs) {
    use_.require_free();
    settle();
    if (state.shared()->model().id != tree.model().id) throw nb::value_error("state: expected one of the tree");
    std::vector<SoftPlace> places;
    for (const auto& [body, soft] : softs) {
        require_index("body", body, tree.model().num_bodies);
        if (!soft) throw nb::value_error("softs: expected a SoftState, got None");
        places.push_back({body, soft});
    }
    skeletons_.emplace_back(tree.storage(), state.shared(), plain, whole, *world_, places);
    loads_.emplace_back();
    known_.emplace_back();
    world_->keep(tree.storage());
    return static_cast<int>(skeletons_.size()) - 1;
}

void BoundWorld::set_loads(int index, nb::object constants, nb::object actuators, nb::object wrenches, nb::object limited) {
    use_.require_free();
    require_index("index", index, skeletons_.size());
    loads_[index] = HeldLoads(skeletons_[index], constants, actuators, wrenches, limited);
    known_[index].has_loads = false;
}

void BoundWorld::set_couplings(int index, const std::vector<std::tuple<int, int, double, double, bool>>& couplings) {
    use_.require_free();
    require_index("index", index, skeletons_.size());
    const SimulatedSkeleton& skeleton = skeletons_[index];
    if (skeleton.trees().size() != 1 || skeleton.trees()[0].is_rigid_body()) {
        throw nb::value_error("couplings: expected a skeleton of joints that is whole");
    }
    std::vector<Coupling> native;
    for (const auto& [follower, leader, ratio, offset, motor] : couplings) {
        for (const int dof : {follower, leader}) require_index("dof", dof, skeleton.state().num_dofs());
        native.push_back({follower, leader, ratio, offset, motor});
    }
    world_->set_couplings(skeleton.trees()[0].tree(), std::move(native));
}

int BoundWorld::add_collider(int skeleton, int body, const BoundShape& shape, nb::object pose, nb::object surface, int group,
                             bool meets_own, int parent) {
    use_.require_free();
    const auto* T = static_cast<const double*>(kept_array("pose", pose, NPY_DOUBLE, 4, 4));
    const double p[12] = {T[3], T[7], T[11], T[0], T[4], T[8], T[1], T[5], T[9], T[2], T[6], T[10]};
    world_->keep(shape.storage());
    Collider collider = {0, &shape.shape(), {}, {}, group, meets_own, -1};
    std::array<double, 12> frame = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (skeleton >= 0) {
        const std::array<double, 12> own = frame;
        place(skeleton, body, own.data(), frame.data());
    }
    collider.surface = surface_of(surface, frame.data());
    if (skeleton < 0) {
        std::copy(p, p + 12, collider.pose);
    } else {
        collider.body = place(skeleton, body, p, collider.pose);
        double unused[12];
        if (parent >= 0) collider.parent = place(skeleton, parent, p, unused);
    }
    frames_.push_back(frame);
    ++colliders_;
    return world_->add_collider(collider);
}

int BoundWorld::add_point_colliders(int skeleton, int body, int count, const BoundShape& ball, nb::object surface, int group,
                                    bool meets_own, bool with_faces, bool meets_itself) {
    use_.require_free();
    require_index("skeleton", skeleton, skeletons_.size());
    const int row = skeletons_[skeleton].row_of_points(body);
    if (row < 0) throw nb::value_error("body: expected one with points");
    world_->keep(ball.storage());
    const std::array<double, 12> frame = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    Collider collider = {0, &ball.shape(), {}, surface_of(surface, frame.data()), group, meets_own, -1};
    std::copy(frame.begin(), frame.end(), collider.pose);
    if (meets_own && skeletons_[skeleton].state().model().bodies[body].link >= 0) {
        double unused[12];
        collider.parent = place(skeleton, body, frame.data(), unused);
    }
    const int first = static_cast<int>(colliders_);
    for (int i = 0; i < count; ++i) {
        collider.body = row + i;
        frames_.push_back(frame);
        ++colliders_;
        world_->add_collider(collider);
    }
    const SimulatedSoft* soft = skeletons_[skeleton].soft_of(body);
    if (with_faces && soft->any_faces()) {
        frames_.push_back(frame);
        ++colliders_;
        soft->add_skin(*world_, collider, meets_itself);
    }
    return first;
}

void BoundWorld::set_mask(int collider, std::uint32_t category, std::uint32_t collides_with) {
    use_.require_free();
    require_index("collider", collider, colliders_);
    world_->set_mask(collider, category, collides_with);
}

void BoundWorld::exclude(int first, int second) {
    use_.require_free();
    for (const int collider : {first, second}) require_index("collider", collider, colliders_);
    world_->exclude(first, second);
}

nb::tuple BoundWorld::near_pairs() {
    use_.require_free();
    bring_motions();
    const std::vector<NearPair> found = world_->near_pairs(settings_.step);
    const npy_intp n = static_cast<npy_intp>(found.size()), shape[] = {n, 3};
    nb::object indices = nb::steal(PyArray_SimpleNew(2, shape, NPY_INT64)), numbers = floats(n, 25);
    if (!indices.is_valid()) throw nb::python_error();
    auto* index = static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(indices.ptr())));
    double* x = numbers_of(numbers);
    for (const NearPair& pair : found) {
        for (const int i : {pair.index, pair.first, pair.second}) *index++ = i;
        *x++ = pair.margin;
        for (const auto& pose : pair.poses) x = std::copy(pose, pose + 12, x);
    }
    return nb::make_tuple(indices, numbers);
}

void BoundWorld::set_contacts(int pair, nb::object points, double size, bool single) {
    use_.require_free();
    auto* array = reinterpret_cast<PyArrayObject*>(points.ptr());
    if (!PyArray_Check(points.ptr()) || PyArray_NDIM(array) != 2) throw nb::value_error("points: expected shape (n, 10)");
    const npy_intp n = PyArray_DIM(array, 0);
    const auto* x = static_cast<const double*>(kept_array("points", points, NPY_DOUBLE, n, 10));
    std::vector<double> columns(10 * n);
    double *normals = columns.data(), *on_first = normals + 3 * n, *on_second = on_first + 3 * n, *gaps = on_second + 3 * n;
    for (npy_intp k = 0; k < n; ++k) {
        std::copy(x + 10 * k, x + 10 * k + 3, normals + 3 * k);
        std::copy(x + 10 * k + 3, x + 10 * k + 6, on_first + 3 * k);
        std::copy(x + 10 * k + 6, x + 10 * k + 9, on_second + 3 * k);
        gaps[k] = x[10 * k + 9];
    }
    ContactManifold found[kMostManifolds];
    const int count = active_kernels().geometry.gather(normals, on_first, on_second, gaps, static_cast<int>(n), size, single, found,
                                                       kMostManifolds);
    try {
        world_->set_manifolds(pair, found, count);
    } catch (const SurfaceFailure&) {
        check_surfaces();
    }
}

void BoundWorld::set_surface_rules(int friction, int restitution, int rolling) {
    use_.require_free();
    world_->set_surface_rules(
        {static_cast<CombineRule>(friction), static_cast<CombineRule>(restitution), static_cast<CombineRule>(rolling)});
}

void BoundWorld::set_surface_source(nb::object function) {
    use_.require_free();
    surfaces_ = std::make_unique<PythonSurfaces>(std::move(function), frames_);
    world_->set_surface_source(surfaces_.get());
}

void BoundWorld::check_surfaces() {
    if (surfaces_) surfaces_->check();
}

int BoundWorld::place(int skeleton, int body, const double* offset, double* pose) const {
    require_index("skeleton", skeleton, skeletons_.size());
    require_index("body", body, skeletons_[skeleton].state().model().num_bodies);
    return skeletons_[skeleton].place(body, offset, pose);
}

}  // namespace kido
