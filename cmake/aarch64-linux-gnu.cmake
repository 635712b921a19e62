# Toolchain: Debian's cross compiler for AArch64, the libraries of a sysroot that scripts/maintain/sysroot-arm64 made, and
# qemu-aarch64 to run the result.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake -DPOSENC_SYSROOT=DIR ...
#
# The C library is the compiler's own (below /usr/aarch64-linux-gnu); the sysroot holds nothing but SLEEF, MPFR, cmocka
# and the like. So it is a place to look in, not a CMAKE_SYSROOT.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# The compiler checks of CMake are projects of their own, which read this file again.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POSENC_SYSROOT)
if(NOT POSENC_SYSROOT OR NOT IS_DIRECTORY "${POSENC_SYSROOT}/usr/include")
  message(FATAL_ERROR "POSENC_SYSROOT is \"${POSENC_SYSROOT}\"; it must be a folder made by scripts/maintain/sysroot-arm64")
endif()
set(libraries ${POSENC_SYSROOT}/usr/lib/aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH ${POSENC_SYSROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${POSENC_SYSROOT})
unset(ENV{PKG_CONFIG_PATH})

# Said to the compiler directly: pkg-config leaves out -I and -L for what it takes for the system's own folders.
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${POSENC_SYSROOT}/usr/include ${POSENC_SYSROOT}/usr/include/aarch64-linux-gnu)
foreach(kind EXE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-L${libraries} -Wl,-rpath-link,${libraries}")
endforeach()

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=${libraries})
