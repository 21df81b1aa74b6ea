# Fails if BINARY holds a fused multiply-add, which would round differently from the other instruction sets.
execute_process(COMMAND ${OBJDUMP} -d ${BINARY} OUTPUT_VARIABLE assembly RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${OBJDUMP} cannot read ${BINARY}")
endif()
string(REGEX MATCH "[ \t]v?f(n)?m(add|sub|la|ls)[a-z0-9]*[ \t][^\n]*" fused "${assembly}")
if(fused)
  message(FATAL_ERROR "a fused multiply-add in ${BINARY}:${fused}")
endif()
