# What the library and its native tests share: compiler flags, instruction sets, and how their parts are built.

set(KIDO_NATIVE ${CMAKE_CURRENT_LIST_DIR})

# Same bits everywhere: no contraction to fused multiply-add, never -ffast-math.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(KIDO_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra)
  # A function begins with a cache line, wherever it comes to stand: up to 15 % of a short call's time.
  list(APPEND KIDO_FLAGS -falign-functions=64)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC before 12.3 fuses alternating sums and differences in spite of -ffp-contract=off (PR 106902).
    list(APPEND KIDO_FLAGS -fno-tree-slp-vectorize -Wno-psabi)
  endif()
elseif(MSVC)
  set(KIDO_FLAGS /fp:precise /W3)
endif()

# Instruction sets of the kernels; everything else is compiled for the oldest of them.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(KIDO_SETS x86_64_v2 x86_64_v3 x86_64_v4)
  set(KIDO_BASELINE -march=x86-64-v2)
else()
  set(KIDO_SETS generic)
endif()

# Never more compilers than processors: Ninja alone would start two more.
cmake_host_system_information(RESULT KIDO_PROCESSORS QUERY NUMBER_OF_LOGICAL_CORES)
set_property(GLOBAL APPEND PROPERTY JOB_POOLS kido_compile=${KIDO_PROCESSORS})
set(CMAKE_JOB_POOL_COMPILE kido_compile)

# -march=... of an instruction set.
function(kido_march variable set)
  if(set MATCHES "^x86_64_(v[0-9])$")
    set(${variable} -march=x86-64-${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    set(${variable} "" PARENT_SCOPE)
  endif()
endfunction()

# An object library of all kernels for an instruction set. One file for each family of algorithms, so that a change of
# one compiles its family only.
function(kido_add_kernels target set)
  file(GLOB sources CONFIGURE_DEPENDS ${KIDO_NATIVE}/src/kernels/*.cpp)
  kido_march(march ${set})
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE ${KIDO_NATIVE}/include ${KIDO_NATIVE}/src)
  target_compile_definitions(${target} PRIVATE KIDO_TARGET=${set})
  target_compile_options(${target} PRIVATE ${KIDO_FLAGS} ${march} ${ARGN})
  target_precompile_headers(${target} PRIVATE
    <algorithm> <cmath> <cstring> <limits> <memory> <vector> ${KIDO_NATIVE}/include/kido/scalar/lanes.hpp)
endfunction()

# An object library of everything else that needs no Python; the arguments after its name are the instruction sets that
# it chooses from.
function(kido_add_runtime target)
  file(GLOB sources CONFIGURE_DEPENDS ${KIDO_NATIVE}/src/*.cpp)
  set(list "")
  foreach(set ${ARGN})
    string(APPEND list "KIDO_SET(${set})\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}_generated)
  file(CONFIGURE OUTPUT ${generated}/instruction_sets.inc CONTENT "${list}" @ONLY)
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE ${KIDO_NATIVE}/include ${KIDO_NATIVE}/src ${generated})
  target_compile_options(${target} PRIVATE ${KIDO_FLAGS} ${KIDO_BASELINE})
  target_precompile_headers(${target} PRIVATE
    <algorithm> <atomic> <cmath> <cstring> <functional> <limits> <memory> <string> <thread> <vector>)
endfunction()
