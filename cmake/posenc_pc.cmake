# Part of cmake --install. In posenc.pc the prefix is ${pcfiledir}/..., so that the installation can be moved. pkgconf escapes the
# spaces of that directory, but no quotes, so a prefix with quotes is written out. posenc_install.cmake sets the variables pc_*.
if(CMAKE_INSTALL_PREFIX MATCHES "['\"]")
  string(REGEX REPLACE "${pc_special}" "\\\\\\1" prefix "${CMAKE_INSTALL_PREFIX}")
  file(READ "${pc_file}" text)
  string(REPLACE "prefix=${pc_prefix}\n" "prefix=${prefix}\n" text "${text}")
  file(WRITE "${pc_file}" "${text}")
endif()
