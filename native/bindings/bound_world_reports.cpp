#include "bound_world.hpp"

#include "result_arrays.hpp"

// What a world tells of its last step, and its numbers as bytes and copies.

namespace kido {

nb::tuple BoundWorld::last_step(int index) {
    use_.require_free();
    require_index("index", index, skeletons_.size());
    const SimulatedSkeleton& skeleton = skeletons_[index];
    const npy_intp n = skeleton.state().num_dofs();
    nb::object rows = floats(static_cast<npy_intp>(StepRow::count), n);
    nb::object wrenches = floats(skeleton.state().model().num_bodies, 6), end = floats(2, n);
    skeleton.read_last_step(*world_, numbers_of(rows), numbers_of(wrenches));
    skeleton.read_motion(*world_, numbers_of(end), numbers_of(end) + n, nullptr);
    return nb::make_tuple(rows, wrenches, end);
}

std::tuple<int, int> BoundWorld::diverged() const {
    use_.require_free();
    const int row = world_->diverged_row();
    for (std::size_t i = 0; i < skeletons_.size(); ++i) {
        const int body = skeletons_[i].body_of(row);
        if (body >= 0) return {static_cast<int>(i), body};
    }
    return {-1, -1};
}

nb::tuple BoundWorld::contacts(bool at_start) {
    use_.require_free();
    const std::vector<WorldContact> all = world_->contacts(at_start);
    const npy_intp n = static_cast<npy_intp>(all.size()), shape[] = {n, 4};
    nb::object indices = nb::steal(PyArray_SimpleNew(2, shape, NPY_INT64)), numbers = floats(n, 10);
    if (!indices.is_valid()) throw nb::python_error();
    auto* index = static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(indices.ptr())));
    double* x = numbers_of(numbers);
    for (const WorldContact& c : all) {
        *index++ = c.first;
        *index++ = c.second;
        *index++ = c.first_face;
        *index++ = c.second_face;
        for (const double* v : {c.point, c.normal, c.force}) x = std::copy(v, v + 3, x);
        *x++ = c.depth;
    }
    return nb::make_tuple(indices, numbers);
}

nb::dict BoundWorld::counts() {
    use_.require_free();
    const WorldCounts c = world_->counts();
    nb::dict out;
    out["pairs"] = c.pairs;
    out["manifolds"] = c.manifolds;
    out["tests"] = c.tests;
    out["colors"] = c.colors;
    out["rows"] = c.rows;
    out["direct"] = c.direct;
    out["overlaps"] = c.overlaps;
    return out;
}

double BoundWorld::recorded() const {
    use_.require_free();
    return world_->recorded();
}

std::vector<char> BoundWorld::archive() {
    use_.require_free();
    bring_motions();
    return world_->save();
}

nb::bytes BoundWorld::save() {
    const std::vector<char> bytes = archive();
    return nb::bytes(bytes.data(), bytes.size());
}

bool BoundWorld::load(const nb::bytes& bytes, const std::vector<int>& moved) {
    use_.require_free();
    settle();
    forget_loads();
    const bool fits = world_->load(static_cast<const char*>(bytes.data()), bytes.size());
    for (SimulatedSkeleton& skeleton : skeletons_) skeleton.resume(*world_, true);
    for (const int index : moved) skeletons_.at(index).forget();
    return fits;
}

std::shared_ptr<NativeWorld> BoundWorld::copy() {
    use_.require_free();
    bring_motions();
    return world_->clone();
}

void BoundWorld::restore(const NativeWorld& copy) {
    use_.require_free();
    settle();
    forget_loads();
    world_ = copy.clone();
    world_->set_surface_source(surfaces_.get());
    for (SimulatedSkeleton& skeleton : skeletons_) skeleton.resume(*world_, false);
}

}  // namespace kido
