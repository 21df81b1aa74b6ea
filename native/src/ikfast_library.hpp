#pragma once

#include <string>
#include <vector>

#include "kido/spatial/se3.hpp"

// Compiled IKFast solvers: shared libraries that a user generated for one arm.

namespace kido {

namespace ikfast {
class SolutionList;
}

// A loaded library. Its functions keep no state, so several threads may solve at once.
class IkfastLibrary {
public:
    // Throws std::invalid_argument: not a library, a symbol is missing, what it tells cannot be, or it throws. Messages hold what
    // the library says, whatever bytes that are.
    explicit IkfastLibrary(const std::string& path);
    ~IkfastLibrary();
    IkfastLibrary(const IkfastLibrary&) = delete;
    IkfastLibrary& operator=(const IkfastLibrary&) = delete;

    int joints() const { return joints_; }
    const std::vector<int>& free_joints() const { return free_; }
    int type() const { return type_; }
    const std::string& version() const { return version_; }  // empty where the library does not tell
    const std::string& hash() const { return hash_; }        // the same
    bool has_forward() const { return forward_ != nullptr; }
    // True if a pose determines the target of this type of solver.
    bool takes_poses() const;

    // Throws std::runtime_error where the library throws, or gives numbers that are not finite.
    void forward(const double* positions, double* translation, double* rotation) const;
    // Appends the rows of all solutions; one with numbers that are not finite is none. `free`: values of the free joints;
    // `near`: of those that a solution leaves open. Throws std::runtime_error where the library throws, or what it adds is no
    // solution.
    void solve(const Transform<double>& target, const double* free, const double* near,
               std::vector<double>& rows) const;

private:
    void* symbol(const char* name) const;
    void* needed(const char* name) const;
    void read();
    void read_free_joints();

    using ComputeIk = bool (*)(const double*, const double*, const double*, ikfast::SolutionList&);
    using ComputeFk = void (*)(const double*, double*, double*);

    void* handle_ = nullptr;
    ComputeIk solve_ = nullptr;
    ComputeFk forward_ = nullptr;
    int joints_ = 0, type_ = 0;
    std::vector<int> free_;
    std::string version_, hash_;
};

}  // namespace kido
