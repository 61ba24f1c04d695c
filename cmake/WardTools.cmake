# The compiler cache and the options every target is built with.
#
# Paths are hashed relative to this tree, so that two checkouts of it share their cache; the
# precompiled header needs the sloppiness settings (see "Precompiled headers" in ccache's manual).
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

add_library(ward_options INTERFACE)
# -iquote, not -I: "sys/socket.h" is ours and <sys/socket.h> is the system's.
target_compile_options(ward_options INTERFACE "SHELL:-iquote ${CMAKE_SOURCE_DIR}/src"
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  -Wno-missing-field-initializers  # designated initialisers name what differs from the default
  -fno-omit-frame-pointer -ffunction-sections -fdata-sections)
target_compile_definitions(ward_options INTERFACE FMT_HEADER_ONLY= _GNU_SOURCE=1)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # In C++, g++'s -Wconversion leaves signs to -Wsign-conversion; clang's does not. And libstdc++ 12
  # calls a function that it has deprecated itself, in std::stable_sort.
  target_compile_options(ward_options INTERFACE
    -Wno-sign-conversion -Wno-deprecated-declarations)
  # dtl's headers have a member function that no compiler could instantiate and nobody calls.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/review/diff.cc PROPERTIES COMPILE_OPTIONS
    "-fdelayed-template-parsing;-Wno-delayed-template-parsing-in-cxx20")
endif()
if(WARD_SANITIZE)
  target_compile_options(ward_options INTERFACE
    -fsanitize=${WARD_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(ward_options INTERFACE -fsanitize=${WARD_SANITIZE})
endif()
if(WARD_SANITIZE MATCHES "undefined")
  # The check of dynamic types looks whether memory is there by writing it to a pipe, and aborts where
  # a test lets every write fail.
  target_compile_options(ward_options INTERFACE -fno-sanitize=vptr)
endif()
if(WARD_FUZZ)
  target_compile_options(ward_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(ward_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
elseif(CCACHE)
  target_compile_options(ward_options INTERFACE -fpch-preprocess)
endif()

# Test programs are many and linked often: by mold where it is installed. What ships is always
# linked by the system's own linker.
find_program(MOLD mold)
add_library(ward_test_options INTERFACE)
if(MOLD)
  target_link_options(ward_test_options INTERFACE -fuse-ld=mold)
endif()
