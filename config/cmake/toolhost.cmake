# What every target of the tree shares: warnings, sanitizers, precompiled
# headers, and how a folder becomes a library.

add_library(toolhost_flags INTERFACE)
target_include_directories(toolhost_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(toolhost_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fpch-preprocess)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12: std::string concatenation as overlapping copies
  # (gcc 105329) and as out-of-bounds copies, coroutine frames as freed by the
  # wrong operator delete (gcc 109867). clang looks for the real ones.
  target_compile_options(toolhost_flags INTERFACE
    -fcoroutines -Wno-restrict -Wno-maybe-uninitialized
    -Wno-mismatched-new-delete -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-array-bounds)
else()
  target_compile_options(toolhost_flags INTERFACE
    -Wno-missing-field-initializers -Wno-unused-command-line-argument)
endif()
# Asio is compiled once (providers/support/asio_impl.cpp); this must be the same
# in every translation unit.
target_compile_definitions(toolhost_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(toolhost_flags INTERFACE
  Boost::headers Boost::json Threads::Threads)
target_compile_features(toolhost_flags INTERFACE cxx_std_20)

if(TOOLHOST_SANITIZE STREQUAL "address" OR TOOLHOST_SANITIZE STREQUAL "fuzzer")
  set(sanitize -fsanitize=address,undefined
    -fno-sanitize=null,alignment,object-size,vptr -fno-sanitize-recover=all)
elseif(TOOLHOST_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread)
endif()
if(sanitize)
  target_compile_options(toolhost_flags INTERFACE ${sanitize})
  target_link_options(toolhost_flags INTERFACE ${sanitize})
  target_compile_definitions(toolhost_flags INTERFACE TOOLHOST_SANITIZED)
endif()
if(TOOLHOST_SANITIZE STREQUAL "fuzzer")
  target_compile_options(toolhost_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The light header set (stack note: asio.hpp as a whole, spdlog and CLI11 stay
# in the few files that wrap them).
set(TOOLHOST_PCH
  <array> <atomic> <chrono> <cstdint> <deque> <filesystem> <functional> <map>
  <memory> <optional> <set> <span> <string> <string_view> <unordered_map>
  <utility> <variant> <vector>
  <boost/json.hpp>)
set(TOOLHOST_PCH_ASIO ${TOOLHOST_PCH}
  <boost/asio/awaitable.hpp> <boost/asio/io_context.hpp>
  <boost/asio/steady_timer.hpp> <boost/asio/use_awaitable.hpp>)

# toolhost_library(NAME FOLDER... ): every .cpp directly in the folders.
function(toolhost_library name)
  set(sources)
  foreach(folder IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC toolhost_flags)
endfunction()
