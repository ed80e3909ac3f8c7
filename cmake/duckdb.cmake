# DuckDB as a library, and extension modules for it.

if(MARGAY_WITH_DUCKDB)
  if(NOT EXISTS ${MARGAY_DEPENDENCIES}/libduckdb/libduckdb.so OR NOT EXISTS
                                                               ${MARGAY_DUCKDB_SOURCE}/src/include)
    message(FATAL_ERROR "DuckDB is not in ${MARGAY_DEPENDENCIES}: run scripts/dependencies first")
  endif()

  # What was fetched last is the version that the extension says it is for, unless one of both was
  # changed alone, or a build folder remembers an older one.
  set(stamp ${MARGAY_DEPENDENCIES}/.stamps/duckdb-source)
  if(EXISTS ${stamp})
    file(STRINGS ${stamp} pin LIMIT_COUNT 1)
    string(REGEX REPLACE "^v" "" version ${MARGAY_DUCKDB_VERSION})
    string(FIND "${pin}" " ${version} " place)
    if(place EQUAL -1)
      message(FATAL_ERROR "MARGAY_DUCKDB_VERSION is ${MARGAY_DUCKDB_VERSION}, but "
                          "scripts/dependencies has fetched: ${pin}")
    endif()
  endif()

  # A copy stands beside what links to it.
  configure_file(${MARGAY_DEPENDENCIES}/libduckdb/libduckdb.so ${CMAKE_BINARY_DIR}/libduckdb.so
                 COPYONLY)
  add_library(margay::libduckdb SHARED IMPORTED GLOBAL)
  set_target_properties(margay::libduckdb PROPERTIES IMPORTED_LOCATION
                                                     ${CMAKE_BINARY_DIR}/libduckdb.so)
endif()

# margay_add_extension(<target> OUTPUT <file> LINK <library>... [STATIC_DUCKDB]): the loadable
# extension, a module plus the footer that DuckDB checks when it loads one.
function(margay_add_extension target)
  cmake_parse_arguments(ARG "STATIC_DUCKDB" "OUTPUT" "LINK" ${ARGN})
  add_library(${target}_module MODULE ${CMAKE_CURRENT_SOURCE_DIR}/extension_entry.cpp)
  target_compile_definitions(${target}_module PRIVATE DUCKDB_BUILD_LOADABLE_EXTENSION)
  target_link_libraries(${target}_module PRIVATE margay_integration)
  set_target_properties(${target}_module PROPERTIES PREFIX "")
  set(prepare "")
  if(ARG_STATIC_DUCKDB)
    # DuckDB's archives are C++11, where static constexpr members have a definition of their own;
    # in C++20 they are inline, so the linker sees both (muldefs).
    target_link_options(${target}_module PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL
                        -Wl,-z,muldefs)
    target_link_libraries(${target}_module PRIVATE -Wl,--start-group ${ARG_LINK} -Wl,--end-group)
    set_target_properties(${target}_module PROPERTIES EXCLUDE_FROM_ALL ON)
    set(prepare COMMAND ${CMAKE_STRIP} $<TARGET_FILE:${target}_module>)
    set(all "")
  else()
    target_link_libraries(${target}_module PRIVATE ${ARG_LINK})
    set(all ALL)
  endif()
  set(footer ${PROJECT_SOURCE_DIR}/scripts/append_footer)
  add_custom_command(
    OUTPUT ${ARG_OUTPUT}
    ${prepare}
    COMMAND ${footer} $<TARGET_FILE:${target}_module> ${ARG_OUTPUT} ${MARGAY_DUCKDB_VERSION}
            ${PROJECT_VERSION} ${MARGAY_PLATFORM}
    DEPENDS ${target}_module ${footer}
    VERBATIM)
  add_custom_target(${target} ${all} DEPENDS ${ARG_OUTPUT})
endfunction()
