# Runs every example with this build installed into a prefix of its own.
foreach(name examples tour)
  add_test(NAME ${name} COMMAND /usr/bin/python3 -m pytest -q -p no:cacheprovider
                                --basetemp ${PROJECT_BINARY_DIR}/${name} ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "POSENC_BUILD=${PROJECT_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1"
                                          COST 50) # the longest tests start first
endforeach()
