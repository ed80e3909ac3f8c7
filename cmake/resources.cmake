# What a running program looks for beside itself stands beside it in a build folder too, under the same
# names as in a package: see scripts/package.
function(margay_link_resource target name)
  get_filename_component(folder ${CMAKE_BINARY_DIR}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${target} ${CMAKE_BINARY_DIR}/${name} SYMBOLIC)
endfunction()

margay_link_resource(${MARGAY_DEPENDENCIES}/bin/tpchgen-cli tpchgen-cli)
margay_link_resource(${MARGAY_DUCKDB_SOURCE}/extension/tpch/dbgen/queries share/tpch/queries)
margay_link_resource(${PROJECT_SOURCE_DIR}/bench/ssb share/ssb/queries)
margay_link_resource(${MARGAY_DEPENDENCIES}/intel-opencl intel-opencl)
margay_link_resource(${MARGAY_DEPENDENCIES}/intel-opencl tests/intel-opencl)
