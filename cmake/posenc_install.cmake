# cmake --install: both libraries, the header, the CMake package, posenc.pc, the tools, and the Python package if told where.
include(CMakePackageConfigHelpers)

install(TARGETS posenc posenc_static EXPORT posenc)
install(FILES include/posenc.h TYPE INCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
configure_package_config_file(cmake/posencConfig.cmake.in posencConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(posencConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(EXPORT posenc NAMESPACE posenc:: FILE posencTargets.cmake DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/posencConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/posencConfigVersion.cmake
              cmake/posenc_sleef.cmake
        DESTINATION ${package_dir})

# The static library's needs as plain flags: a Requires.private would ask users of the shared one for SLEEF too.
set(pc_libs_private -lm)
if(POSENC_WITH_SLEEF)
  set(pc_libs_private "-lsleef -lm")
endif()
foreach(dir LIBDIR INCLUDEDIR) # either may be absolute
  set(pc_${dir} ${CMAKE_INSTALL_${dir}})
  if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX}) # so that --prefix may move it
configure_file(cmake/posenc.pc.in posenc.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/posenc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

foreach(tool posenc-table posenc-verify posenc-bench)
  if(TARGET ${tool})
    file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
    install(TARGETS ${tool})
  endif()
endforeach()

set(POSENC_PYTHON_DIR "" CACHE STRING "Directory of Python packages, as lib/python3/dist-packages; empty: posenc is not put there")
if(POSENC_PYTHON_DIR)
  install(DIRECTORY python/posenc DESTINATION ${POSENC_PYTHON_DIR} COMPONENT python FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
endif()
if(SKBUILD) # python/pyproject.toml: the wheel has the library inside
  install(PROGRAMS $<TARGET_FILE:posenc> DESTINATION posenc RENAME $<TARGET_SONAME_FILE_NAME:posenc> COMPONENT wheel)
endif()
