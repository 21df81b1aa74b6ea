// Kernels of the branch and bound that proves that loops cannot close.

#include "kido/batch/kernel_table.hpp"
#include "kido/ik/loops/box_search.hpp"

KIDO_BEGIN

static std::size_t search_boxes(const LoopProblem& p, BoxList& boxes, const BoxSearchStep& step, BoxList& leaves) {
    return BoxSearch(p).run(boxes, step, leaves);
}

extern const LoopKernels loop_kernels;
const LoopKernels loop_kernels = {search_boxes};

KIDO_END
