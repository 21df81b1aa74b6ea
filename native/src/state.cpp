#include "state.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "chain_rates.hpp"
#include "instruction_set.hpp"
#include "kido/tree/scratch.hpp"

namespace kido {

void State::Free::operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }

State::State(std::shared_ptr<const ModelStorage> model, std::shared_ptr<double> rows)
    : storage_(std::move(model)), rows_(std::move(rows)) {
    const Model& m = storage_->model();
    const std::size_t bytes = active_kernels().lazy.bytes(m);
    memory_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlignment))));
    known_.assign(m.num_links, kNothing);
    numbers_ = active_kernels().lazy.numbers(m, memory_.get());
    users_.assign(user_numbers(m), 0.0);
    waits_ = !users_.empty();
    lazy_ = {&m, row(Quantity::position), row(Quantity::velocity), row(Quantity::acceleration), users(),
             memory_.get(), known_.data(), counts_};
}

void State::set(Quantity quantity, int first, int count, const double* values) {
    if (quantity <= Quantity::acceleration) settle();
    double* numbers = rows_.get() + static_cast<int>(quantity) * num_dofs() + first;
    if (std::memcmp(numbers, values, count * sizeof(double)) == 0) return;
    // What is written to followers changes nothing, not even for a moment.
    const bool leads = !followers_.empty() && quantity <= Quantity::velocity;
    bool changed = false;
    for (int k = 0; k < count; ++k) {
        if (!leads || !follows_[first + k]) changed |= write(quantity, first + k, values[k]);
    }
    if (leads) changed |= follow(quantity);
    if (changed) ++versions_[static_cast<int>(quantity)];
}

// Whether the number changed.
bool State::write(Quantity quantity, int dof, double value) {
    const int kind = static_cast<int>(quantity);
    double& number = rows_.get()[kind * num_dofs() + dof];
    if (std::memcmp(&number, &value, sizeof value) == 0) return false;
    number = value;
    if (kind > static_cast<int>(Quantity::acceleration)) return true;
    const int link = model().dof_link[dof];
    if (model().links[link].user >= 0 && quantity != Quantity::acceleration) waits_ = true;
    mark(link, static_cast<Known>(kind));
    return true;
}

bool State::follow(Quantity quantity) {
    if (quantity != Quantity::position && quantity != Quantity::velocity) return false;
    bool changed = false;
    const double* numbers = row(quantity);
    for (const Follower& follower : followers_) {
        const double led = numbers[follower.leader] * follower.multiplier;
        changed |= write(quantity, follower.dof, quantity == Quantity::position ? led + follower.offset : led);
    }
    return changed;
}

void State::set_followers(std::vector<Follower> followers) {
    settle();
    followers_ = std::move(followers);
    follows_.assign(followers_.empty() ? 0 : num_dofs(), false);
    for (const Follower& follower : followers_) follows_[follower.dof] = true;
    for (const Quantity quantity : {Quantity::position, Quantity::velocity}) {
        if (follow(quantity)) ++versions_[static_cast<int>(quantity)];
    }
}

void State::place_users(const double* numbers) {
    const Model& m = model();
    std::vector<double> placed(numbers, numbers + users_.size());
    chain_rates(m, row(Quantity::velocity), placed.data());
    for (int i = 0; i < m.num_links; ++i) {
        if (m.links[i].user < 0) continue;
        const std::ptrdiff_t first = kUserNumbers * m.links[i].user;
        const auto differs = [&](int begin, int end) {
            return !std::equal(&placed[first + begin], &placed[first + end], &users_[first + begin]);
        };
        if (differs(0, kUserRate)) {
            mark(i, kNothing);
        } else if (differs(kUserRate, kUserNumbers)) {
            mark(i, kVelocity);
        }
    }
    users_.swap(placed);
    lazy_.users = users();
    waits_ = false;
}

void State::mark(int link, Known level) {
    if (known_[link] <= level) return;
    const int end = model().links[link].link_end;
    for (int i = link; i < end; ++i) known_[i] = std::min<unsigned char>(known_[i], level);
}

void State::known(int link, Known level) {
    settle();
    if (known_[link] < level) active_kernels().lazy.advance(lazy_, link, level);
}

}  // namespace kido
