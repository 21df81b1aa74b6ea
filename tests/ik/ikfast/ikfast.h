// The interface of IKFast solvers, in its older form and, with NEWER, in that of solvers that can print solutions.
#pragma once

#include <cstddef>
#include <vector>

#ifdef REAL
using IkReal = REAL;
#else
using IkReal = double;
#endif

namespace ikfast {

template <class T>
struct IkSingleDOFSolutionBase {
    T fmul = 0, foffset = 0;
    signed char freeind = -1;
    unsigned char jointtype = 0x01, maxsolutions = 1;
    unsigned char indices[5] = {255, 255, 255, 255, 255};
#ifdef NEWER
    virtual void Print() const {}
#endif
};

template <class T>
struct IkSolutionBase {
    virtual ~IkSolutionBase() {}
    virtual void GetSolution(T* positions, const T* open) const = 0;
    virtual void GetSolution(std::vector<T>& positions, const std::vector<T>& open) const = 0;
    virtual const std::vector<int>& GetFree() const = 0;
    virtual int GetDOF() const = 0;
};

template <class T>
struct IkSolutionListBase {
    virtual ~IkSolutionListBase() {}
    virtual std::size_t AddSolution(const std::vector<IkSingleDOFSolutionBase<T>>& joints,
                                    const std::vector<int>& open) = 0;
    virtual const IkSolutionBase<T>& GetSolution(std::size_t index) const = 0;
    virtual std::size_t GetNumSolutions() const = 0;
    virtual void Clear() = 0;
#ifdef NEWER
    virtual void Print() const = 0;
#endif
};

}  // namespace ikfast
