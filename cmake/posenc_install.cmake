# cmake --install, in components as distributions split packages:
#
#   runtime      libposenc.so.1 and what it points to; libposenc.1.dylib; posenc-1.dll; the license
#   development  the header, the link libposenc.so, libposenc.a, the CMake package, posenc.pc
#   tools        posenc-verify, posenc-bench, as far as they are built
#   python       the Python package, if POSENC_PYTHON_DIR says where
include(CMakePackageConfigHelpers)

# ---- libraries and header ----
# An export of its own for each kind, so that find_package can say which there is.
if(posenc_shared)
  install(TARGETS posenc EXPORT posenc_shared
          RUNTIME COMPONENT runtime # posenc-1.dll
          ARCHIVE COMPONENT development # and what links it
          LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(NOT posenc_exclude_static)
  install(TARGETS posenc_static EXPORT posenc_static
          ARCHIVE COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
install(FILES include/posenc.h TYPE INCLUDE COMPONENT development)
install(FILES LICENSE TYPE DOC COMPONENT runtime)

# ---- the CMake package ----
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
configure_package_config_file(cmake/posencConfig.cmake.in posencConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(posencConfigVersion.cmake COMPATIBILITY SameMajorVersion)
if(posenc_shared)
  install(EXPORT posenc_shared NAMESPACE posenc:: FILE posencSharedTargets.cmake DESTINATION ${package_dir} COMPONENT development)
endif()
if(NOT posenc_exclude_static)
  install(EXPORT posenc_static NAMESPACE posenc:: FILE posencStaticTargets.cmake DESTINATION ${package_dir} COMPONENT development)
endif()
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/posencConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/posencConfigVersion.cmake
              cmake/posenc_sleef.cmake
        DESTINATION ${package_dir} COMPONENT development)

# ---- posenc.pc ----
# The static library's needs as plain flags: a Requires.private would ask users of the shared one for SLEEF too.
set(pc_libs_private -lm)
if(POSENC_WITH_SLEEF)
  set(pc_libs_private "-lsleef -lm")
endif()
set(pc_url "")
if(posenc_HOMEPAGE_URL)
  set(pc_url "URL: ${posenc_HOMEPAGE_URL}\n")
endif()
set(pc_libs "")
if(NOT posenc_shared) # then everybody needs them
  set(pc_libs " ${pc_libs_private}")
endif()
set(pc_special "([ '\"#])") # pkg-config reads flags as a shell does, so these get a backslash
foreach(dir PREFIX LIBDIR INCLUDEDIR)
  string(REGEX REPLACE "${pc_special}" "\\\\\\1" pc_${dir} "${CMAKE_INSTALL_${dir}}")
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(pc_${dir} "\${prefix}/${pc_${dir}}")
  endif()
endforeach()
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR}) # so that --prefix may move it
  file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  set(pc_PREFIX "\${pcfiledir}/${pc_to_prefix}")
endif()
configure_file(cmake/posenc.pc.in posenc.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/posenc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  install(CODE "set(pc_prefix [[${pc_PREFIX}]])
    set(pc_special [[${pc_special}]])
    set(pc_file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/posenc.pc\")" COMPONENT development)
  install(SCRIPT cmake/posenc_pc.cmake COMPONENT development)
endif()

# ---- tools, Python ----
foreach(tool posenc-verify posenc-bench)
  if(TARGET ${tool})
    file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}" BUILD_RPATH_USE_ORIGIN ON)
    install(TARGETS ${tool} RUNTIME COMPONENT tools)
  endif()
endforeach()

set(POSENC_PYTHON_DIR "" CACHE STRING "Directory of Python packages, as lib/python3/dist-packages; empty: posenc is not put there")
if(POSENC_PYTHON_DIR)
  install(DIRECTORY python/posenc DESTINATION ${POSENC_PYTHON_DIR} COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
endif()
if(SKBUILD) # pyproject.toml: the wheel has the library inside
  set(library $<TARGET_SONAME_FILE_NAME:posenc>)
  if(WIN32)
    set(library $<TARGET_FILE_NAME:posenc>)
  endif()
  install(PROGRAMS $<TARGET_FILE:posenc> DESTINATION posenc RENAME ${library} COMPONENT wheel)
endif()
