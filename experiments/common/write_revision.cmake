cmake_minimum_required(VERSION 3.25)
# Writes revision.hpp, and only when it changes: cmake -DSOURCE=... -DOUTPUT=... -P write_revision.cmake
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#pragma once\n#define ROOTDK_REVISION \"@revision@\"\n" @ONLY)
