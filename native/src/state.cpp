#include "state.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "instruction_set.hpp"
#include "kido/spatial/so3.hpp"
#include "kido/tree/scratch.hpp"

namespace kido {

void State::Free::operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }

State::State(std::shared_ptr<const ModelStorage> model, std::shared_ptr<double> rows, int num_dofs,
             const std::vector<std::pair<int, int>>& user_links)
    : storage_(std::move(model)), rows_(std::move(rows)), num_dofs_(num_dofs) {
    const Model& m = storage_->model();
    const std::size_t bytes = active_kernels().lazy.bytes(m);
    memory_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlignment))));
    known_.assign(m.num_links, kNothing);
    numbers_ = active_kernels().lazy.numbers(m, memory_.get());
    lazy_ = {&m, row(Quantity::position), row(Quantity::velocity), row(Quantity::acceleration),
             memory_.get(), known_.data(), counts_};
    if (user_links.empty()) return;
    for (const auto& [link, dofs] : user_links) {
        users_.push_back({link, 0, dofs, std::vector<double>(6 * dofs), std::vector<double>(6 * dofs)});
    }
    int dof = 0;
    std::size_t next = 0;
    for (int i = 0; i < m.num_links; ++i) {
        first_dof_.push_back(dof);
        const bool user = next < users_.size() && users_[next].link == i;
        const int count = user ? users_[next].dof_count : m.links[i].dof_count;
        if (user) users_[next++].dof = dof;
        for (int k = 0; k < count; ++k) {
            dof_link_.push_back(i);
            model_dof_.push_back(user ? -1 : m.links[i].dof + k);
        }
        dof += count;
    }
    expanded_.assign(3 * static_cast<std::size_t>(m.num_dofs), 0.0);
    lazy_.q = expanded_.data();
    lazy_.v = lazy_.q + m.num_dofs;
    lazy_.a = lazy_.v + m.num_dofs;
    for (int kind = 0; kind < 3; ++kind) {
        for (int k = 0; k < num_dofs_; ++k) {
            if (model_dof_[k] >= 0) expanded_[kind * m.num_dofs + model_dof_[k]] = rows_.get()[kind * num_dofs_ + k];
        }
    }
    waits_ = true;
}

int State::dof_count(int link) const {
    const UserJoint* user = user_joint(link);
    return user ? user->dof_count : model().links[link].dof_count;
}

const UserJoint* State::user_joint(int link) const {
    for (const UserJoint& user : users_) {
        if (user.link == link) return &user;
    }
    return nullptr;
}

void State::set(Quantity quantity, int first, int count, const double* values) {
    const Model& m = model();
    const int kind = static_cast<int>(quantity);
    double* numbers = rows_.get() + kind * num_dofs_ + first;
    bool changed = false;
    for (int k = 0; k < count; ++k) {
        if (std::memcmp(numbers + k, values + k, sizeof(double)) == 0) continue;
        numbers[k] = values[k];
        changed = true;
        if (kind > static_cast<int>(Quantity::acceleration)) continue;
        const int dof = first + k;
        if (users_.empty()) {
            mark(m.dof_link[dof], static_cast<Known>(kind));
            continue;
        }
        if (model_dof_[dof] >= 0) {
            expanded_[kind * m.num_dofs + model_dof_[dof]] = values[k];
        } else {
            waits_ = true;
        }
        mark(dof_link_[dof], static_cast<Known>(kind));
    }
    if (changed) ++versions_[kind];
}

void State::place_user_joint(std::size_t index, const double* rotation, const double* translation,
                             const double* subspace, const double* subspace_rate) {
    UserJoint& user = users_[index];
    const Model& m = model();
    const int first = m.links[user.link].dof;
    double *q = expanded_.data() + first, *v = q + m.num_dofs, *a = v + m.num_dofs;
    const double* R = rotation;
    const Vec3<double> turn = so3_log(Mat3<double>{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}});
    q[0] = turn.x;
    q[1] = turn.y;
    q[2] = turn.z;
    std::copy(translation, translation + 3, q + 3);
    user.subspace.assign(subspace, subspace + 6 * user.dof_count);
    user.subspace_rate.assign(subspace_rate, subspace_rate + 6 * user.dof_count);
    const double* own_v = row(Quantity::velocity) + user.dof;
    const double* own_a = row(Quantity::acceleration) + user.dof;
    for (int r = 0; r < 6; ++r) {
        const double *S = subspace + r * user.dof_count, *dS = subspace_rate + r * user.dof_count;
        v[r] = a[r] = 0.0;
        for (int k = 0; k < user.dof_count; ++k) {
            v[r] += S[k] * own_v[k];
            a[r] += S[k] * own_a[k] + dS[k] * own_v[k];
        }
    }
    mark(user.link, kNothing);
}

void State::mark(int link, Known level) {
    if (known_[link] <= level) return;
    const int end = model().links[link].link_end;
    for (int i = link; i < end; ++i) known_[i] = std::min<unsigned char>(known_[i], level);
}

void State::known(int link, Known level) {
    if (known_[link] < level) active_kernels().lazy.advance(lazy_, link, level);
}

}  // namespace kido
