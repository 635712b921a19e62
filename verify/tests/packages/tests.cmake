# What others take from here: packages, subprojects, the one file, a release; and whether the sources themselves are in order.
# Each once, on the build that is measured and installed.
function(posenc_script_test name) # test_NAME.sh SOURCE_DIR ARGUMENT...; 77: skipped, with a reason
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/verify/tests/packages/test_${name}.sh ${PROJECT_SOURCE_DIR} ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT POSENC_INSTALL)
  return()
endif()
posenc_script_test(symbols ${PROJECT_BINARY_DIR})
if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

foreach(name release headers tidy install)
  posenc_script_test(${name} ${PROJECT_BINARY_DIR})
endforeach()
foreach(name offline subproject static sleef)
  posenc_script_test(${name})
endforeach()
if(POSENC_BUILD_BENCH)
  foreach(name versions man)
    posenc_script_test(${name} ${PROJECT_BINARY_DIR} $<TARGET_FILE:posenc-verify> $<TARGET_FILE:posenc-table>
                       $<TARGET_FILE:posenc-bench> $<TARGET_FILE:posenc-judge>)
  endforeach()
endif()

add_executable(single_bits ${CMAKE_CURRENT_LIST_DIR}/single_bits.c)
target_include_directories(single_bits PRIVATE ${PROJECT_SOURCE_DIR}/verify)
target_compile_options(single_bits PRIVATE -ffp-contract=off)
target_link_libraries(single_bits PRIVATE posenc)
posenc_script_test(single $<TARGET_FILE:single_bits>)
set_tests_properties(single sleef PROPERTIES COST 50) # the long ones first, or a processor waits for them in the end
