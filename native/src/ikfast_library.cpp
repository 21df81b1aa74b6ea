#include "ikfast_library.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "ikfast_interface.hpp"

#if !defined(_WIN32)
#include <dlfcn.h>
#include <sys/stat.h>
#endif

namespace kido {

namespace {

constexpr int kMostJoints = 64;

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

#if defined(_WIN32)

void* open_library(const std::string&) { refuse("IKFast libraries are not supported on this platform"); }
void close_library(void*) {}
void* find_symbol(void*, const char*) { return nullptr; }

#else

// The loader gives a library that it has already where the name is the same, even if the file was replaced since. So
// the path is spelled by the number of the file: with "./" for each bit that is set, else with "/".
std::string spelled(const std::string& path) {
    struct stat status;
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || stat(path.c_str(), &status) != 0) return path;
    std::string detour;
    for (auto number = static_cast<unsigned long long>(status.st_ino); number; number >>= 1) {
        detour += number & 1 ? "./" : "/";
    }
    return path.substr(0, slash + 1) + detour + path.substr(slash + 1);
}

void* open_library(const std::string& path) {
    const std::string name = spelled(path);
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) return handle;
    const char* told = dlerror();
    std::string reason = told ? told : "no reason is told";
    if (reason.rfind(name + ": ", 0) == 0) reason.erase(0, name.size() + 2);
    refuse("expected a shared library, got a file that cannot be loaded: " + reason);
}

void close_library(void* handle) { dlclose(handle); }
void* find_symbol(void* handle, const char* name) { return dlsym(handle, name); }

#endif

std::string text_of(void* function) {
    if (!function) return {};
    const char* text = reinterpret_cast<const char* (*)()>(function)();
    return text ? text : std::string();
}

int number_of(void* function) { return reinterpret_cast<int (*)()>(function)(); }

bool all_finite(const double* numbers, int count) {
    return std::all_of(numbers, numbers + count, [](double x) { return std::isfinite(x); });
}

// Message of the exception that a library throws; empty where it throws nothing. Nothing of the exception outlives this:
// its class may be the library's own, which may be closed next.
template <class Ask>
std::string fault_of(const Ask& ask) {
    try {
        ask();
        return {};
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        const char* text = error.what();
        return text && *text ? text : "the library raised an exception without a message";
    } catch (...) {
        return "the library raised what is no std::exception";
    }
}

// Target of a solver in the numbers that its type takes. See the comment of ComputeIk in ikfast.h.
struct SolverTarget {
    double translation[3] = {}, rotation[9] = {};

    void point(const Vec3<double>& p) {
        translation[0] = p.x;
        translation[1] = p.y;
        translation[2] = p.z;
    }
    void direction(const Vec3<double>& d) {
        rotation[0] = d.x;
        rotation[1] = d.y;
        rotation[2] = d.z;
    }
    void matrix(const Mat3<double>& R) {
        const double rows[9] = {R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z};
        std::copy(rows, rows + 9, rotation);
    }
};

// Converts a pose for a type of solver; false where a pose does not determine its target.
bool convert(int type, const Transform<double>& pose, SolverTarget& target) {
    switch (type) {
        case 0x67000001:  // pose
            target.point(pose.p);
            target.matrix(pose.R);
            return true;
        case 0x34000002:  // rotation
            target.matrix(pose.R);
            return true;
        case 0x33000003:  // point
        case 0x23000006:  // point to look at
        case 0x22000008:  // x and y of a point
            target.point(pose.p);
            if (type == 0x22000008) target.translation[2] = 0.0;
            return true;
        case 0x23000004:  // direction
            target.direction(pose.R.z);
            return true;
        case 0x46000005:  // line
        case 0x56000007:  // point and direction
            target.point(pose.p);
            target.direction(pose.R.z);
            return true;
        case 0x33000009:  // x, y and the angle about z
            target.point(pose.p);
            target.translation[2] = std::atan2(pose.R.x.y, pose.R.x.x);
            return true;
        default: return false;
    }
}

}  // namespace

IkfastLibrary::IkfastLibrary(const std::string& path) : handle_(open_library(path)) {
    std::string fault;
    try {
        fault = fault_of([this] { read(); });
    } catch (...) {
        close_library(handle_);
        throw;
    }
    if (fault.empty()) return;
    close_library(handle_);
    refuse(fault);
}

IkfastLibrary::~IkfastLibrary() { close_library(handle_); }

void* IkfastLibrary::symbol(const char* name) const { return find_symbol(handle_, name); }

void* IkfastLibrary::needed(const char* name) const {
    void* found = symbol(name);
    if (!found) refuse(std::string("no symbol ") + name + "; an IKFast solver has it if compiled with IKFAST_CLIBRARY");
    return found;
}

void IkfastLibrary::read() {
    const int real = number_of(needed("GetIkRealSize"));
    if (real != sizeof(double)) {
        refuse("expected a solver that computes with numbers of 8 bytes, got " + std::to_string(real) +
               "; generate or compile it for double");
    }
    solve_ = reinterpret_cast<ComputeIk>(needed("ComputeIk"));
    forward_ = reinterpret_cast<ComputeFk>(symbol("ComputeFk"));
    type_ = number_of(needed("GetIkType"));
    joints_ = number_of(needed("GetNumJoints"));
    if (joints_ < 1 || joints_ > kMostJoints) {
        refuse("GetNumJoints: expected a number from 1 to 64, got " + std::to_string(joints_));
    }
    read_free_joints();
    version_ = text_of(symbol("GetIkFastVersion"));
    hash_ = text_of(symbol("GetKinematicsHash"));
}

void IkfastLibrary::read_free_joints() {
    const int count = number_of(needed("GetNumFreeParameters"));
    if (count < 0 || count > joints_) {
        refuse("GetNumFreeParameters: expected a number from 0 to " + std::to_string(joints_) + ", got " +
               std::to_string(count));
    }
    if (count == 0) return;
    void* newer = symbol("GetFreeIndices");
    void* found = newer ? newer : symbol("GetFreeParameters");
    if (!found) refuse("no symbol GetFreeIndices nor GetFreeParameters, though there are free joints");
    const int* index = reinterpret_cast<const int* (*)()>(found)();
    for (int i = 0; i < count; ++i) {
        if (!index || index[i] < 0 || index[i] >= joints_ || std::count(free_.begin(), free_.end(), index[i])) {
            const std::string name = newer ? "GetFreeIndices" : "GetFreeParameters";
            refuse(name + ": expected different joints from 0 to " + std::to_string(joints_ - 1) +
                   (index ? ", got " + std::to_string(index[i]) : ", got none"));
        }
        free_.push_back(index[i]);
    }
}

bool IkfastLibrary::takes_poses() const {
    SolverTarget numbers;
    return convert(type_, {identity3<double>(), zero3<double>()}, numbers);
}

void IkfastLibrary::forward(const double* positions, double* translation, double* rotation) const {
    const std::string fault = fault_of([&] { forward_(positions, translation, rotation); });
    if (!fault.empty()) throw std::runtime_error(fault);
    if (!all_finite(translation, 3) || !all_finite(rotation, 9)) {
        throw std::runtime_error("ComputeFk: expected a pose of finite numbers, got others");
    }
}

void IkfastLibrary::solve(const Transform<double>& target, const double* free, const double* near,
                          std::vector<double>& rows) const {
    SolverTarget numbers;
    if (!convert(type_, target, numbers)) {
        throw std::runtime_error("a pose does not say what this type of solver wants");
    }
    ikfast::SolutionList found(joints_);
    const std::string fault = fault_of([&] { solve_(numbers.translation, numbers.rotation, free, found); });
    if (!fault.empty()) throw std::runtime_error(fault);
    if (!found.fault().empty()) throw std::runtime_error(found.fault());
    std::vector<double> known(near, near + joints_), row(joints_), open;
    for (std::size_t i = 0; i < free_.size(); ++i) known[free_[i]] = free[i];
    for (const ikfast::Solution& solution : found.solutions()) {
        open.clear();
        for (int joint : solution.open()) open.push_back(known[joint]);
        solution.write(row.data(), open.data());
        if (all_finite(row.data(), joints_)) rows.insert(rows.end(), row.begin(), row.end());
    }
}

}  // namespace kido
