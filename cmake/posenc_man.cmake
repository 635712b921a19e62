# Man pages, each from one source: posenc.3 from the header, and those of the tools from their own --help. POSENC_MAN_PAGES is
# the list of them, for the install rules.
set(man_dir ${CMAKE_CURRENT_BINARY_DIR}/man)
set(POSENC_MAN_PAGES "")

# ---- of the tools ----
find_program(POSENC_HELP2MAN help2man)
mark_as_advanced(POSENC_HELP2MAN)
set(see_also "")
foreach(tool posenc-table posenc-verify posenc-bench)
  if(NOT TARGET ${tool})
    continue()
  endif()
  if(CMAKE_CROSSCOMPILING)
    message(STATUS "no man page of ${tool}: it would have to run here, and this is a cross build")
    continue()
  elseif(NOT POSENC_HELP2MAN)
    message(STATUS "no man page of ${tool}: help2man was not found (Debian: help2man)")
    continue()
  endif()
  set(page ${man_dir}/${tool}.1)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${man_dir}
    COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/man1.sh ${POSENC_HELP2MAN} $<TARGET_FILE:${tool}> ${page}
    DEPENDS ${tool} cmake/man1.sh
    COMMENT "Making ${tool}.1" VERBATIM)
  list(APPEND POSENC_MAN_PAGES ${page})
  list(APPEND see_also ".BR ${tool} (1)")
endforeach()

# ---- of the library ----
find_program(POSENC_AWK NAMES awk mawk gawk)
mark_as_advanced(POSENC_AWK)
if(POSENC_AWK)
  list(APPEND see_also "https://arxiv.org/abs/1706.03762")
  list(JOIN see_also "\\n" see_also) # awk makes newlines of it
  set(page ${man_dir}/posenc.3)
  file(MAKE_DIRECTORY ${man_dir})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/posenc.h cmake/man3.awk)
  execute_process(COMMAND ${POSENC_AWK} -v version=${PROJECT_VERSION} -v "see=${see_also}" -f cmake/man3.awk include/posenc.h
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_FILE ${page} COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND POSENC_MAN_PAGES ${page})

  # Every function by its own name too: `man posenc_fill` shows the same page.
  file(STRINGS include/posenc.h declared REGEX "^POSENC_API .*posenc_[a-z_]+\\(")
  foreach(line IN LISTS declared)
    string(REGEX REPLACE "^[^(]*[ *](posenc_[a-z_]+)\\(.*$" "\\1" function "${line}")
    file(CONFIGURE OUTPUT ${man_dir}/${function}.3 CONTENT ".so man3/posenc.3\n")
    list(APPEND POSENC_MAN_PAGES ${man_dir}/${function}.3)
  endforeach()
else()
  message(STATUS "no posenc.3: awk was not found")
endif()

add_custom_target(posenc_man ALL DEPENDS ${POSENC_MAN_PAGES})
