#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

// Solution types of the IKFast interface, laid out as compiled solvers expect: a solver calls the virtual functions of
// the list by their place in the table, so their order here is fixed, and names do not matter.

namespace kido::ikfast {

// One joint of a solution: offset, or offset + factor * (value of an open joint).
struct Joint {
    double factor, offset;
    signed char source;  // which of the open joints; negative: none
    unsigned char kind;
    unsigned char branches, branch[5];
};

// The same since solvers can print their solutions.
struct PrintableJoint {
    const void* functions;
    Joint joint;
};

inline constexpr unsigned char kSlider = 0x11;

// One solution. It leaves joints open where any position of theirs will do, as in singular poses.
class Solution {
public:
    Solution(std::vector<Joint> joints, std::vector<int> open) : joints_(std::move(joints)), open_(std::move(open)) {}

    virtual ~Solution() = default;
    virtual void write(double* positions, const double* open_values) const;
    virtual void assign(std::vector<double>& positions, const std::vector<double>& open_values) const;
    virtual const std::vector<int>& open() const { return open_; }
    virtual int size() const { return static_cast<int>(joints_.size()); }

private:
    std::vector<Joint> joints_;
    std::vector<int> open_;
};

// List to which a solver adds its solutions.
class SolutionList {
public:
    explicit SolutionList(int joints) : joints_(joints) {}

    virtual ~SolutionList() = default;
    virtual std::size_t add(const std::vector<unsigned char>& joints, const std::vector<int>& open);
    virtual const Solution& at(std::size_t index) const { return solutions_.at(index); }
    virtual std::size_t count() const { return solutions_.size(); }
    virtual void clear() { solutions_.clear(); }
    virtual void print() const {}

    // The reason why an added solution is invalid; else empty.
    const std::string& fault() const { return fault_; }
    const std::deque<Solution>& solutions() const { return solutions_; }

private:
    bool read(const std::vector<unsigned char>& bytes, std::vector<Joint>& joints);
    bool fits(const std::vector<Joint>& joints, const std::vector<int>& open);

    int joints_;
    std::deque<Solution> solutions_;  // a solver may keep references while it adds
    std::string fault_;
};

}  // namespace kido::ikfast
