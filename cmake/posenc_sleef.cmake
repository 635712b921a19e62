# Defines posenc::sleef if pkg-config finds SLEEF. Used by the build, and by the installed package for the static library.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND AND NOT TARGET posenc::sleef)
  pkg_check_modules(posenc_sleef QUIET IMPORTED_TARGET sleef)
  if(TARGET PkgConfig::posenc_sleef)
    add_library(posenc::sleef INTERFACE IMPORTED)
    set_target_properties(posenc::sleef PROPERTIES INTERFACE_LINK_LIBRARIES PkgConfig::posenc_sleef)
  endif()
endif()
