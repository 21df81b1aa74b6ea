#include "ikfast_interface.hpp"

#include <cmath>
#include <cstring>

namespace kido::ikfast {

namespace {

constexpr double kTurn = 6.283185307179586476925;

}  // namespace

void Solution::write(double* positions, const double* open_values) const {
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& joint = joints_[i];
        positions[i] = joint.offset;
        if (joint.source < 0) continue;
        positions[i] += joint.factor * open_values[joint.source];
        const bool follows = open_[joint.source] != static_cast<int>(i);
        if (follows && joint.kind != kSlider) positions[i] = std::remainder(positions[i], kTurn);
    }
}

void Solution::assign(std::vector<double>& positions, const std::vector<double>& open_values) const {
    positions.resize(joints_.size());
    write(positions.data(), open_values.data());
}

std::size_t SolutionList::add(const std::vector<unsigned char>& bytes, const std::vector<int>& open) {
    std::vector<Joint> joints;
    if (read(bytes, joints) && fits(joints, open)) solutions_.emplace_back(std::move(joints), open);
    return solutions_.empty() ? 0 : solutions_.size() - 1;
}

// The version that a solver tells does not say which of the two forms it has, but their size does.
bool SolutionList::read(const std::vector<unsigned char>& bytes, std::vector<Joint>& joints) {
    const std::size_t plain = sizeof(Joint) * joints_, printable = sizeof(PrintableJoint) * joints_;
    if (bytes.size() != plain && bytes.size() != printable) {
        fault_ = "a solution has " + std::to_string(bytes.size()) + " bytes, expected " + std::to_string(plain) +
                 " or " + std::to_string(printable) + " for " + std::to_string(joints_) + " joints";
        return false;
    }
    const std::size_t step = bytes.size() / joints_;
    joints.resize(joints_);
    for (int i = 0; i < joints_; ++i) {
        std::memcpy(&joints[i], bytes.data() + (i + 1) * step - sizeof(Joint), sizeof(Joint));
    }
    return true;
}

bool SolutionList::fits(const std::vector<Joint>& joints, const std::vector<int>& open) {
    for (int index : open) {
        if (index < 0 || index >= joints_) {
            fault_ = "a solution leaves joint " + std::to_string(index) + " open, of " + std::to_string(joints_);
            return false;
        }
    }
    for (const Joint& joint : joints) {
        if (joint.source >= static_cast<int>(open.size())) {
            fault_ = "a solution refers to open joint " + std::to_string(joint.source) + " of " +
                     std::to_string(open.size());
            return false;
        }
    }
    return true;
}

}  // namespace kido::ikfast
