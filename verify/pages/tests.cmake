# The report's page, of made-up results and of this build's in a browser; the pages of recorded runs; the summary. Once.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR NOT POSENC_BUILD_BENCH)
  return()
endif()
foreach(name report report_drawn compare pages_true records peers_joined peers_targets peers_text peers_section)
  add_test(NAME ${name} COMMAND /usr/bin/python3 -m pytest -q -p no:cacheprovider
                                ${PROJECT_SOURCE_DIR}/verify/pages/test_${name}.py)
  set_tests_properties(${name} PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()
add_test(NAME report_page CONFIGURATIONS campaign COMMAND /usr/bin/python3 -m pytest -q -p no:cacheprovider
                                                          ${PROJECT_SOURCE_DIR}/verify/pages/test_report_page.py)
set_tests_properties(report_page PROPERTIES LABELS campaign SKIP_RETURN_CODE 5 ENVIRONMENT # 5: nothing was collected, for want of a browser
  "PYTHONDONTWRITEBYTECODE=1;POSENC_VERIFY=$<TARGET_FILE:posenc-verify>;POSENC_BENCH=$<TARGET_FILE:posenc-bench>;POSENC_SCREENSHOTS=${PROJECT_BINARY_DIR}/screenshots")
add_test(NAME summary COMMAND ${PROJECT_SOURCE_DIR}/verify/pages/test_summary.sh)
