#pragma once
// One include for Catch2 2 (Debian 12) and Catch2 3 (Debian 13).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#define ROOTDK_CONTAINS(text) Catch::Matchers::ContainsSubstring(text)
#else
#include <catch2/catch.hpp>
#define ROOTDK_CONTAINS(text) Catch::Matchers::Contains(text)
#endif
