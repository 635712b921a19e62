# Tests of the report: with made-up results, with results of this build in a browser, of the pages, and of scripts/pick. One build runs them.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR NOT POSENC_BUILD_BENCH)
  return()
endif()
set(here ${PROJECT_SOURCE_DIR}/report/tests)
set(pytest /usr/bin/python3 -m pytest -q -p no:cacheprovider)
add_test(NAME report COMMAND ${pytest} ${here} --ignore ${here}/test_browser.py --ignore ${here}/test_scripts_pick.py)
set_tests_properties(report PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
add_test(NAME report_browser CONFIGURATIONS campaign COMMAND ${pytest} ${here}/test_browser.py)
set_tests_properties(report_browser PROPERTIES LABELS campaign SKIP_RETURN_CODE 5 ENVIRONMENT # 5: no browser is installed, so nothing was collected
  "PYTHONDONTWRITEBYTECODE=1;POSENC_VERIFY=$<TARGET_FILE:posenc-verify>;POSENC_BENCH=$<TARGET_FILE:posenc-bench>")
if(PROJECT_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build/release") # the build that the script makes
  add_test(NAME pick_small COMMAND ${PROJECT_SOURCE_DIR}/scripts/pick --d-model 16 --positions -5:300 --max-ulp 1)
  add_test(NAME pick CONFIGURATIONS campaign COMMAND ${pytest} ${here}/test_scripts_pick.py)
  set_tests_properties(pick PROPERTIES LABELS campaign ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;POSENC_BUILD=${PROJECT_BINARY_DIR}")
endif()
