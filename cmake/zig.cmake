# Toolchain: Zig's C compiler, which is Clang with the headers and link libraries of many systems. For the library alone, without SLEEF
# and the tools, whose dependencies Zig has not: scripts/wheels uses it.
#
#     cmake -DCMAKE_TOOLCHAIN_FILE=cmake/zig.cmake -DPOSENC_ZIG=.../ziglang/zig -DPOSENC_ZIG_TARGET=x86_64-windows-gnu ...
#
# Targets of macOS need the oldest version that is meant, as in aarch64-macos.11.0: it goes into the library.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POSENC_ZIG POSENC_ZIG_TARGET)
if(NOT POSENC_ZIG_TARGET MATCHES "^(x86_64|aarch64)-(linux|macos|windows)")
  message(FATAL_ERROR "POSENC_ZIG_TARGET is \"${POSENC_ZIG_TARGET}\"; it must begin with x86_64- or aarch64- and linux, macos or windows")
endif()
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(name_linux Linux)
set(name_macos Darwin)
set(name_windows Windows)
set(CMAKE_SYSTEM_NAME ${name_${CMAKE_MATCH_2}})
set(CMAKE_C_COMPILER ${POSENC_ZIG} cc -target ${POSENC_ZIG_TARGET})
set(CMAKE_INSTALL_NAME_TOOL /bin/false) # CMake wants one for macOS; a library that is edited after it is signed does not load there
set(POSENC_MATH_LIBRARY m CACHE STRING "Zig has one for every target")
