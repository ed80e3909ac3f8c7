# margay_embed_sources(<folder>): every .cl file of src/<folder>/ as a string in the program, found by
# name (without folder) through margay::<folder>::EmbeddedSource() of "<folder>/embedded_sources.hpp".
# Leaves the generated source file in MARGAY_GENERATED_SOURCES for margay_add_layer.
function(margay_embed_sources folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cl
       ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cl)
  set(script ${PROJECT_SOURCE_DIR}/cmake/write_embedded_sources.cmake)
  set(output ${CMAKE_BINARY_DIR}/generated/${folder}/embedded_sources.cpp)
  set(MARGAY_FOLDER ${folder})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded_sources.hpp.in
                 ${CMAKE_BINARY_DIR}/generated/${folder}/embedded_sources.hpp @ONLY)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${output} "-DFILES=${files}" -P ${script}
    DEPENDS ${files} ${script}
    VERBATIM)
  set(MARGAY_GENERATED_SOURCES ${output} PARENT_SCOPE)
endfunction()
