# Tests of the report: with made-up results, with results of this build in a browser, and of the pages. One build runs them.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR NOT POSENC_BUILD_BENCH)
  return()
endif()
add_test(NAME report COMMAND /usr/bin/python3 -m pytest -q -p no:cacheprovider ${PROJECT_SOURCE_DIR}/report/tests
                             --ignore ${PROJECT_SOURCE_DIR}/report/tests/test_browser.py)
set_tests_properties(report PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
add_test(NAME report_browser CONFIGURATIONS campaign COMMAND /usr/bin/python3 -m pytest -q -p no:cacheprovider ${PROJECT_SOURCE_DIR}/report/tests/test_browser.py)
set_tests_properties(report_browser PROPERTIES LABELS campaign SKIP_RETURN_CODE 5 ENVIRONMENT # 5: no browser is installed, so nothing was collected
  "PYTHONDONTWRITEBYTECODE=1;POSENC_VERIFY=$<TARGET_FILE:posenc-verify>;POSENC_BENCH=$<TARGET_FILE:posenc-bench>;POSENC_SCREENSHOTS=${PROJECT_BINARY_DIR}/screenshots")
