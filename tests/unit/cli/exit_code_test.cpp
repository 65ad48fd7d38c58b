#include "daemon/cli/exit_code.hpp"

#include <gtest/gtest.h>

#include "protocol/client.hpp"

namespace toolhost::cli {
namespace {

ExitCode of_kind(std::string_view kind) {
  json::object error;
  error["kind"] = kind;
  json::object result;
  result["isError"] = true;
  result["error"] = error;
  return exit_code_of_result(result);
}

Error with_fault(ClientFault fault) {
  Error error;
  error.details["clientFault"] = name(fault);
  return error;
}

TEST(ExitCode, OfAResultFollowsWhatHappenedToTheCall) {
  EXPECT_EQ(exit_code_of_result(json::object()), kOk);
  EXPECT_EQ(of_kind("toolFailed"), kToolError);
  EXPECT_EQ(of_kind("invalidArguments"), kUsage);
  EXPECT_EQ(of_kind("approvalDenied"), kDenied);
  EXPECT_EQ(of_kind("approvalExpired"), kDenied);
  EXPECT_EQ(of_kind("permissionDenied"), kDenied);
  EXPECT_EQ(of_kind("cancelled"), kCancelled);
  EXPECT_EQ(of_kind("timedOut"), kCancelled);
  EXPECT_EQ(of_kind("tooManyApprovals"), kOverloaded);
  EXPECT_EQ(of_kind("internal"), kInternal);
}

TEST(ExitCode, AnErrorOfAnUnknownKindIsStillAFailure) {
  EXPECT_EQ(of_kind("somethingNew"), kToolError);
}

TEST(ExitCode, OfNoAnswerSaysWhyThereIsNone) {
  EXPECT_EQ(exit_code(with_fault(ClientFault::unreachable)), kUnreachable);
  EXPECT_EQ(exit_code(with_fault(ClientFault::closed)), kUnreachable);
  EXPECT_EQ(exit_code(with_fault(ClientFault::timed_out)), kCancelled);
  EXPECT_EQ(exit_code(with_fault(ClientFault::garbled)), kProtocol);
}

TEST(ExitCode, OfARefusedRequestIsASysexitsNumber) {
  EXPECT_EQ(exit_code(make_error(Code::invalid_params, "")), kUsage);
  EXPECT_EQ(exit_code(make_error(Code::internal, "")), kInternal);
  EXPECT_EQ(exit_code(make_error(Code::overloaded, "")), kOverloaded);
  EXPECT_EQ(exit_code(make_error(Code::unsupported_version, "")), kProtocol);
  EXPECT_EQ(exit_code(make_error(Code::forbidden, "")), kForbidden);
  EXPECT_EQ(exit_code(make_error(Code::config_invalid, "")), kConfig);
}

}  // namespace
}  // namespace toolhost::cli
