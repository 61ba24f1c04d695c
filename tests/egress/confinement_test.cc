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
#include "sys/memory_file.h"
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

// A gateway whose channel the test holds itself, to say what GatewayClient would not.
class BareGateway {
 public:
  BareGateway() {
    auto ends = sys::socket_pair();
    const std::array<std::string, 1> argv = {gateway_binary()};
    auto started = sys::start_program(argv, ends->second.get(), egress::kGatewayChannelFd);
    channel_ = std::move(ends->first);
    started_ = std::move(*started);
  }
  ~BareGateway() { (void)stop(); }
  void say(const egress::ToGateway& message, int fd) {
    EXPECT_TRUE(sys::send_message(channel_.get(), egress::encode(message), std::span(&fd, 1)));
  }
  template <class T>
  T hear() {
    auto message = sys::receive_message(channel_.get(), egress::kMaxMessageBytes);
    EXPECT_TRUE(message);
    auto decoded = egress::decode_from_gateway(message ? message->bytes : "");
    const bool right = decoded && std::holds_alternative<T>(*decoded);
    EXPECT_TRUE(right);
    return right ? std::get<T>(*decoded) : T();
  }
  int stop() {
    channel_.reset();
    if (started_.pid < 0) return -1;
    const int status =
        sys::end_program(started_.pid, started_.process.get(), std::chrono::seconds(20));
    started_.pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  UniqueFd channel_;
  sys::StartedProgram started_;
};

UniqueFd unsealed(const TempDir& folder) {
  const std::string path = folder.write("spec", egress::serialise(egress::GatewaySpec()));
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

TEST_F(GatewayProcess, AConfigurationThatIsNotSealedIsRefused) {
  const TempDir folder;
  BareGateway gateway;
  gateway.say(egress::Configure{}, unsealed(folder).get());
  EXPECT_EQ(gateway.hear<egress::Failed>().error, "a descriptor that is not sealed memory");
  EXPECT_EQ(gateway.stop(), 1);
}

TEST_F(GatewayProcess, ABadReloadChangesNothing) {
  const TempDir folder;
  BareGateway gateway;
  const std::string bytes = egress::serialise(egress::GatewaySpec());
  gateway.say(egress::Configure{}, sys::sealed_memory("spec", bytes)->get());
  (void)gateway.hear<egress::Ready>();
  gateway.say(egress::Reconfigure{}, unsealed(folder).get());
  EXPECT_EQ(gateway.hear<egress::Reconfigured>().error, "a descriptor that is not sealed memory");
  gateway.say(egress::Reconfigure{}, sys::sealed_memory("spec", bytes.substr(0, 9))->get());
  EXPECT_NE(gateway.hear<egress::Reconfigured>().error, "");
  gateway.say(egress::Reconfigure{}, sys::sealed_memory("spec", bytes)->get());
  EXPECT_EQ(gateway.hear<egress::Reconfigured>().error, "");
  EXPECT_EQ(gateway.stop(), 0);
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
