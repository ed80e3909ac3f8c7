# Compiler settings shared by every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Release keeps assertions off and line numbers in: packages are stripped, crashes here are not.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

# Programs and the extension find libduckdb.so beside them or one folder up, wherever they are moved.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/..")

find_package(Threads REQUIRED)

add_library(margay_flags INTERFACE)
target_compile_options(margay_flags INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Warnings are errors with the compiler that the project is developed with; another one's new
  # warnings must not stop a user's build. GCC 12 sees overlaps in std::string where there are none
  # (its bug 105651).
  target_compile_options(margay_flags INTERFACE -Werror -Wno-restrict)
  if(MARGAY_SANITIZER)
    # Instrumented code makes this one guess wrong.
    target_compile_options(margay_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
target_include_directories(margay_flags INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                  ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(margay_flags INTERFACE Threads::Threads)

if(MARGAY_SANITIZER STREQUAL "address")
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined
                      -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
elseif(MARGAY_SANITIZER STREQUAL "thread")
  add_compile_options(-O1 -g1 -fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(MARGAY_SANITIZER)
  message(FATAL_ERROR "MARGAY_SANITIZER must be empty, address or thread")
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # The sloppiness is what ccache asks for with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_DIR=${PROJECT_SOURCE_DIR}/build/ccache
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()
