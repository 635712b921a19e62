# Tests of what others use: installed packages, subprojects, the single file.
set(scripts ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME headers COMMAND ${scripts}/test_headers.sh ${PROJECT_SOURCE_DIR})
add_test(NAME builds COMMAND ${scripts}/test_builds.sh ${PROJECT_SOURCE_DIR})
add_test(NAME single COMMAND ${scripts}/test_single.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:test_bits>)
set_tests_properties(builds single PROPERTIES COST 50) # the longest tests start first
if(POSENC_BUILD_BENCH)
  add_test(NAME install COMMAND ${scripts}/test_install.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endif()
add_test(NAME single_all CONFIGURATIONS campaign # only before a release
         COMMAND ${scripts}/test_single.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:test_bits> --all)
set_tests_properties(single_all PROPERTIES LABELS campaign)
