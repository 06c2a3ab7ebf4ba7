# Installs into a folder of its own, builds the outside project against it and runs it.
# cmake -DBINARY_DIR=... -DSOURCE_DIR=... -DGENERATOR=... -DCXX=... -DFLAGS=... -P install_test.cmake
set(work ${BINARY_DIR}/install_test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV} ended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/install -B ${work}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${work}/prefix
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/outside)

# Outsiders get no warnings of ours and nothing of this source tree, but do get what keeps our bits.
file(READ ${work}/build/compile_commands.json commands)
foreach(wanted -std=.*20 -ffp-contract=off ${work}/prefix/include)
  if(NOT commands MATCHES "${wanted}")
    message(FATAL_ERROR "an outside project is not compiled with ${wanted}:\n${commands}")
  endif()
endforeach()
foreach(ours -Wall -Wconversion -march=native -fno-math-errno ${SOURCE_DIR}/include)
  if(commands MATCHES "${ours}")
    message(FATAL_ERROR "an outside project is compiled with ${ours}:\n${commands}")
  endif()
endforeach()
