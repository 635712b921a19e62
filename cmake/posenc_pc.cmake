# Part of cmake --install: posenc.pc has the prefix ${pcfiledir}/..., so that it can be moved. Two prefixes are written out: one with
# quotes, which pkgconf does not escape, and /usr, since pkg-config leaves out -I/usr/include only in this form. posenc_install.cmake sets the variables pc_*.
if(CMAKE_INSTALL_PREFIX MATCHES "['\"]|^/usr$")
  string(REGEX REPLACE "${pc_special}" "\\\\\\1" prefix "${CMAKE_INSTALL_PREFIX}")
  file(READ "${pc_file}" text)
  string(REPLACE "prefix=${pc_prefix}\n" "prefix=${prefix}\n" text "${text}")
  file(WRITE "${pc_file}" "${text}")
endif()
