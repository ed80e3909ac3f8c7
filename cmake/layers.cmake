# One library per folder of src/, and one program per folder elsewhere. Files are found by name, so a
# new source file needs no change here.

# margay_add_layer(<folder> [USES <folder>...]): the library margay_<folder>. USES lists the folders
# whose headers it may include; tests/checks/include_rules.sh holds the code to the same table. A
# folder with no source file yet becomes a header-only library. Sets MARGAY_LAYER_SCOPE (PUBLIC or
# INTERFACE) for what the caller adds to the library.
function(margay_add_layer folder)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  set(target margay_${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/extension_entry\\.cpp$")
  list(APPEND sources ${MARGAY_GENERATED_SOURCES})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  list(TRANSFORM ARG_USES PREPEND margay_)
  target_link_libraries(${target} ${scope} margay_flags ${ARG_USES})
  set(MARGAY_LAYER_SCOPE ${scope} PARENT_SCOPE)
endfunction()

# margay_add_program(<target> <folder> [LINK <library>...] [LIBRARY <library>]): a program from all
# sources of a folder (relative to the root), linked to all layers and libduckdb.so. Nothing where the
# folder has none. LIBRARY names a library of everything but main.cpp, so that tests reach it.
function(margay_add_program target folder)
  cmake_parse_arguments(ARG "" "LIBRARY" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(libraries margay_integration margay::libduckdb ${ARG_LINK})
  if(ARG_LIBRARY)
    set(main ${PROJECT_SOURCE_DIR}/${folder}/main.cpp)
    list(REMOVE_ITEM sources ${main})
    add_library(${ARG_LIBRARY} STATIC ${sources})
    target_include_directories(${ARG_LIBRARY} PUBLIC ${PROJECT_SOURCE_DIR}/${folder})
    target_link_libraries(${ARG_LIBRARY} PUBLIC ${libraries})
    set(sources ${main})
    set(libraries ${ARG_LIBRARY})
  endif()
  add_executable(${target} ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${folder}
                                               ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${libraries})
endfunction()
