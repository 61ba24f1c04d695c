// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <array>

#include "egress/lab.h"
#include "support/needs.h"
#include "support/temp_dir.h"
#include "sys/program.h"
#include "sys/socket.h"

namespace ward::test {
namespace {

using ::testing::HasSubstr;

class GatewayProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    NEEDS(user_namespaces, landlock_abi >= 1);
    enter_own_network();
  }
};

TEST_F(GatewayProcess, IsConfinedBeforeItSaysThatItIsReady) {
  Gateway gateway{egress::GatewaySpec()};
  (void)gateway.next<egress::Ready>();
  const std::string status =
      read_text("/proc/" + std::to_string(gateway.client().pid()) + "/status");
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(status, HasSubstr("Seccomp:\t2\n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
    EXPECT_THAT(status, HasSubstr(std::string(set) + ":\t0000000000000000\n"));
}

TEST_F(GatewayProcess, EndsWithItsChannel) {
  Gateway gateway{egress::GatewaySpec()};
  (void)gateway.next<egress::Ready>();
  EXPECT_EQ(gateway.client().stop(std::chrono::seconds(20)), 0);
}

TEST_F(GatewayProcess, AConfigurationThatIsNotSealedIsRefused) {
  auto ends = sys::socket_pair();
  ASSERT_TRUE(ends);
  const TempDir folder;
  const std::string path = folder.write("spec", egress::serialise(egress::GatewaySpec()));
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int fd = file.get();
  const std::string configure = egress::encode(egress::ToGateway(egress::Configure{}));
  ASSERT_TRUE(sys::send_message(ends->first.get(), configure, std::span(&fd, 1)));
  const std::array<std::string, 1> argv = {gateway_binary()};
  auto started = sys::start_program(argv, ends->second.get(), egress::kGatewayChannelFd);
  ASSERT_TRUE(started);
  ends->second.reset();
  auto message = sys::receive_message(ends->first.get(), egress::kMaxMessageBytes);
  ASSERT_TRUE(message);
  auto decoded = egress::decode_from_gateway(message->bytes);
  ASSERT_TRUE(decoded);
  ASSERT_TRUE(std::holds_alternative<egress::Failed>(*decoded));
  EXPECT_EQ(std::get<egress::Failed>(*decoded).error, "a descriptor that is not sealed memory");
  const int status =
      sys::end_program(started->pid, started->process.get(), std::chrono::seconds(20));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

TEST_F(GatewayProcess, AConfigurationThatCannotBeSetUpIsRefused) {
  egress::GatewaySpec spec;
  spec.name_servers = {"not an address"};
  auto client = egress::GatewayClient::start(gateway_binary(), spec);
  ASSERT_TRUE(client);
  struct pollfd item = {client->channel(), POLLIN, 0};
  ASSERT_EQ(::poll(&item, 1, 20000), 1);
  auto received = client->receive();
  ASSERT_TRUE(received && *received);
  const auto* message = std::get_if<egress::FromGateway>(&**received);
  ASSERT_NE(message, nullptr);
  EXPECT_TRUE(std::holds_alternative<egress::Failed>(*message));
}

}  // namespace
}  // namespace ward::test
