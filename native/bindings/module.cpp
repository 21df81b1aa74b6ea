#define KIDO_NUMPY_OWNER
#include "numpy_api.hpp"
#include "topics.hpp"

namespace {

// import_array is a macro that returns from the function around it.
void* import_numpy() {
    import_array();
    return nullptr;
}

}  // namespace

NB_MODULE(_core, m) {
    import_numpy();
    if (PyErr_Occurred()) throw nanobind::python_error();
    kido::bind_runtime(m);
    kido::bind_tree(m);
#ifdef KIDO_BIND_MATH
    kido::bind_math(m);
#endif
}
