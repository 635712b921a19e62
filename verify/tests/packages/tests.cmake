# Tests of what others use: installed packages, subprojects, the single file.
function(posenc_script_test name script) # [CAMPAIGN] [ARGUMENT...]: test_SCRIPT.sh SOURCE_DIR ARGUMENT...; 77: skipped, with a reason
  set(command COMMAND ${PROJECT_SOURCE_DIR}/verify/tests/packages/test_${script}.sh ${PROJECT_SOURCE_DIR})
  if("${ARGN}" MATCHES "^CAMPAIGN") # only scripts/maintain/campaigns runs it
    list(POP_FRONT ARGN)
    add_test(NAME ${name} CONFIGURATIONS campaign ${command} ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS campaign)
  else()
    add_test(NAME ${name} ${command} ${ARGN})
  endif()
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

posenc_script_test(headers headers)
posenc_script_test(builds builds)
posenc_script_test(single single $<TARGET_FILE:test_bits>)
set_tests_properties(builds single PROPERTIES COST 50) # the longest tests start first
if(POSENC_BUILD_BENCH)
  posenc_script_test(install install ${PROJECT_BINARY_DIR})
endif()
posenc_script_test(single_all single CAMPAIGN $<TARGET_FILE:test_bits> --all)
posenc_script_test(sleef sleef CAMPAIGN)
