// A solver whose one solution is what it was asked: translation (3) and rotation (9). On the way it uses every function
// of the list and of the solution. With FREE, joint 4 is free and open, and joint 5 and slider 6 follow it.
// The environment says its type and what is wrong with its solution.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "ikfast.h"

using Info = ikfast::IkSingleDOFSolutionBase<IkReal>;
using List = ikfast::IkSolutionListBase<IkReal>;

namespace {

void expect(bool good, const char* what) {
    if (!good) throw std::runtime_error(what);
}

const char* setting(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

bool wrong(const char* how) { return std::strcmp(setting("ECHO_WRONG"), how) == 0; }

std::vector<IkReal> read_back(List& list, const std::vector<Info>& joints) {
    list.Clear();
    list.AddSolution(joints, {});
    std::vector<Info> other = joints;
    other[3].fmul = 2;
    other[3].freeind = 0;
    const std::size_t index = list.AddSolution(other, {5});
    expect(index == 1 && list.GetNumSolutions() == 2, "index of what was added");
#ifdef NEWER
    list.Print();
#endif
    const auto& plain = list.GetSolution(0);
    const auto& open = list.GetSolution(index);
    expect(plain.GetDOF() == 12 && plain.GetFree().empty(), "size of what was added");
    expect(open.GetFree().size() == 1 && open.GetFree()[0] == 5, "joints left open");
    std::vector<IkReal> once(12), twice;
    open.GetSolution(once.data(), std::vector<IkReal>{0.25}.data());
    open.GetSolution(twice, std::vector<IkReal>{0.25});
    expect(once == twice && once[3] == other[3].foffset + 0.5, "value that follows an open joint");
    plain.GetSolution(once.data(), nullptr);
    return once;
}

}  // namespace

extern "C" {

bool ComputeIk(const IkReal* translation, const IkReal* rotation, const IkReal*, List& list) {
    std::vector<Info> joints(12);
    for (int i = 0; i < 12; ++i) joints[i].foffset = i < 3 ? translation[i] : rotation[i - 3];
    const std::vector<IkReal> kept = read_back(list, joints);
    list.Clear();
    for (int i = 0; i < 12; ++i) joints[i].foffset = kept[i];
    std::vector<int> open;
#ifdef FREE
    open.push_back(4);
    for (int i : {4, 5, 6}) {
        joints[i].freeind = 0;
        joints[i].fmul = i == 4 ? 1 : -2;
        joints[i].foffset = i == 4 ? 0 : 10;
    }
    joints[6].jointtype = 0x11;
#endif
    if (wrong("length")) joints.resize(13);
    if (wrong("open joint")) open.push_back(12);
    if (wrong("open joint below")) open.push_back(-1);
    if (wrong("source")) joints[2].freeind = 0;
    if (wrong("infinite")) {
        list.AddSolution(joints, open);
        joints[4].foffset = std::numeric_limits<IkReal>::infinity();
    }
    list.AddSolution(joints, open);
    return true;
}

int GetNumJoints() { return 12; }
#ifdef FREE
int GetNumFreeParameters() { return 1; }
const int* GetFreeIndices() {
    static const int index = 4;
    return &index;
}
#else
int GetNumFreeParameters() { return 0; }
#endif
int GetIkRealSize() { return sizeof(IkReal); }
int GetIkType() { return static_cast<int>(std::strtol(setting("ECHO_TYPE"), nullptr, 0)); }

}
