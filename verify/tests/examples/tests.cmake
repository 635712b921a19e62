# Builds and runs every example by the line that its first comment shows, with this build installed into its own prefix.
function(posenc_examples name)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_LIST_DIR}/test_ OUTPUT_VARIABLE files)
  list(TRANSFORM files APPEND .py)
  add_test(NAME ${name} COMMAND /usr/bin/python3 -m pytest -q -p no:cacheprovider
                                --basetemp ${PROJECT_BINARY_DIR}/${name} ${files})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "POSENC_BUILD=${PROJECT_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
endfunction()

posenc_examples(examples_c c)
posenc_examples(examples_single single)
posenc_examples(examples_mapped mapped)
posenc_examples(examples_python python rotary tour)
posenc_examples(examples_subproject subproject)
