// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An extension of your own, here the demo server's com.example/jobs: one type says what it brings. A tool answers with a
// job, and whoever calls it gets the tool's result all the same; a job can be looked at; its end is told.
//
//   own_extension URL TOKEN            over HTTP
//   own_extension SERVER [ARGUMENT...] over stdio, in both protocol eras
#include <array>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <comcp/client/extension.hpp>
#include <comcp/http.hpp>

// A notification is a type that says how it is read, and its method.
struct job_done {
  static constexpr std::string_view method = "notifications/jobs/done";
  std::string id;
};
constexpr auto describe(std::type_identity<job_done>) {
  return comcp::json::fields(comcp::json::field("jobId", &job_done::id));
}

class job_operations;

struct jobs {
  static constexpr std::string_view identifier = "com.example/jobs";
  // Needs the server's declaration; over HTTP the job's id is its Mcp-Name.
  static constexpr std::array methods = {comcp::extension_method{
      .name = "jobs/get", .missing = comcp::undeclared<jobs>, .subject = "jobId", .is_mirrored = true}};
  using notifications = std::tuple<job_done>;
  using operations = job_operations;

  bool claims(std::string_view method, std::string_view result_type) const {
    return method == "tools/call" && result_type == "job";
  }
  // The call is not over yet: asks until the job is done. What is awaited here ends with the call, however that ends.
  asio::awaitable<comcp::json::value> complete(comcp::unfinished_call& call) {
    auto const id = call.result()["jobId"].as<std::string>();
    for (;;) {
      auto asking = call.request(methods[0], comcp::args("jobId", id));
      auto const job = co_await std::move(asking);
      if (job.contains("result")) co_return job["result"];
      std::cout << "  " << id << " is " << job["status"].as<std::string>() << '\n';
      auto pause = call.wait(std::chrono::milliseconds(20));
      co_await std::move(pause);
    }
  }
  void on(job_done const& n) const { std::cout << "  " << n.id << " is done\n"; }
  // In the modern era notifications come to who asks for them.
  comcp::subscription_filter listen() const { return comcp::subscription_filter().add("jobs", comcp::json::raw("true")); }
};

// What client.extension<jobs>() gives.
class job_operations {
 public:
  explicit job_operations(comcp::extension_client client) noexcept : client_(std::move(client)) {}
  asio::awaitable<comcp::json::value> get(std::string_view id) const {
    return client_.call(jobs::methods[0], comcp::args("jobId", id));
  }

 private:
  comcp::extension_client client_;
};

template <class Transport>
asio::awaitable<bool> visit(Transport server, comcp::connect_options options) {
  options.extension(jobs());
  auto client = co_await comcp::connect(std::move(server), options);
  std::cout << "version " << client.protocol_version().text() << '\n';
  auto const answer = co_await client.call_tool("job", comcp::args("text", "hello"));
  std::cout << "  the tool said " << answer.text() << '\n';
  auto const job = co_await client.template extension<jobs>().get("job-1");
  auto const status = job["status"].template as<std::string>();
  co_await client.close();
  co_return answer.text() == "hello" && status == "done";
}

asio::awaitable<bool> visit_all(std::vector<std::string> arguments) {
  if (arguments.at(0).starts_with("http")) {
    auto server = comcp::http(arguments[0], comcp::bearer(comcp::secret(arguments.at(1))));
    auto visiting = visit(std::move(server), comcp::connect_options());
    co_return co_await std::move(visiting);
  }
  auto first = visit(comcp::stdio(arguments), comcp::connect_options().legacy());
  bool const legacy = co_await std::move(first);
  auto second = visit(comcp::stdio(arguments), comcp::connect_options());
  bool const modern = co_await std::move(second);
  co_return legacy && modern;
}

int main(int argc, char* argv[]) try {
  return argc > 1 && comcp::run(visit_all({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
