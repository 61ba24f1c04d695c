# One static library and one test program per directory of src/: every *.cc is part of the library
# but for *_test.cc (tests) and main.cc (programs). cmake/layers.txt names the directories and the
# arrows between them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
if(WARD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# Third-party libraries by the directory that may use them (docs/decisions/dependencies.md has a
# line for each, and scripts/check-includes knows their headers).
set(ward_libs_base sodium)
set(ward_libs_policy yaml sodium)
set(ward_libs_journal sqlite3 sodium)
set(ward_libs_confine sodium)
set(ward_libs_egress_gateway ldns cares ssl crypto)
# Asio and Beast are compiled once, in third_party_src.cc; only epoll is used.
set(ward_defines_egress_gateway BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_DISABLE_BOOST_REGEX CARES_STATICLIB)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 takes a coroutine's frame for something that is no heap object, and what is in it for unset.
  set(ward_warnings_egress_gateway -Wno-free-nonheap-object -Wno-maybe-uninitialized
    -Wno-mismatched-new-delete)
endif()
set(ward_libs_layers_process z)

function(ward_modules_from table)
  file(STRINGS ${CMAKE_SOURCE_DIR}/${table} lines REGEX "^[a-z]")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${table})
  foreach(line IN LISTS lines)
    separate_arguments(words UNIX_COMMAND "${line}")
    list(POP_FRONT words dir)
    ward_module(${dir} ${words})
  endforeach()
endfunction()

function(ward_module dir)
  string(REPLACE "/" "_" name ${dir})
  set(lib ward_${name})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${dir}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
  if(sources)
    add_library(${lib} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${lib} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${lib} ${scope} ward_options ${ward_libs_${name}})
  if(ward_defines_${name})
    target_compile_definitions(${lib} ${scope} ${ward_defines_${name}})
    target_compile_options(${lib} ${scope} ${ward_warnings_${name}})
  endif()
  foreach(used IN LISTS ARGN)
    string(REPLACE "/" "_" used_name ${used})
    target_link_libraries(${lib} ${scope} ward_${used_name})
  endforeach()
  if(tests AND WARD_TESTS)
    ward_test(${name}_test LABEL ${name} SOURCES ${tests} USES ${lib})
  endif()
endfunction()

# A GoogleTest program; each of its tests is one process under ctest. scripts/run-tests runs the
# same list again as an ordinary user, but for the labels it knows to be pure.
function(ward_test target)
  cmake_parse_arguments(arg "" "LABEL" "SOURCES;USES" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE
    ${arg_USES} ward_test_support ward_test_options GTest::gmock GTest::gtest_main)
  if(WARD_PCH)
    target_precompile_headers(${target} REUSE_FROM ward_test_support)
  endif()
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${arg_LABEL} TIMEOUT 120)
endfunction()

# A program that ships: build/PRESET/NAME. docs/decisions/static-link.md says why it is linked so.
function(ward_program name main module)
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ward_${module})
  target_compile_definitions(${name} PRIVATE WARD_VERSION="${PROJECT_VERSION}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_link_options(${name} PRIVATE
    -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  if(WARD_STATIC)
    target_link_options(${name} PRIVATE -static-pie)
  endif()
endfunction()
