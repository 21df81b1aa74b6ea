#pragma once

#include <nanobind/nanobind.h>

namespace kido {

namespace nb = nanobind;

// Whether native work is under way on an object, during which other Python threads and signal handlers run: they must not use
// it. To be asked and changed with the interpreter lock held.
class ExclusiveUse {
public:
    // Raises EditError while a Turn lasts.
    void require_free() const {
        if (taken_) raise();
    }

    class Turn {
    public:
        explicit Turn(ExclusiveUse& use) : use_(use) {
            use.require_free();
            use.taken_ = true;
        }
        ~Turn() { use_.taken_ = false; }
        Turn(const Turn&) = delete;

    private:
        ExclusiveUse& use_;
    };

private:
    [[noreturn]] static void raise() {
        const nb::object error = nb::module_::import_("kido.errors").attr("EditError");
        PyErr_SetString(error.ptr(), "the world was used while it is being stepped, by another thread or a signal handler");
        throw nb::python_error();
    }

    bool taken_ = false;
};

}  // namespace kido
