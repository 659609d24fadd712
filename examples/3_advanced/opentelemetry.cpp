// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Spans for OpenTelemetry, without a dependency: comcp calls a hook, and what stands behind it is yours. Here a small
// exporter prints each span as one line of OTLP-JSON, which a collector's file receiver reads; another sends it on through
// opentelemetry-cpp, where CMake finds that.
//
//   opentelemetry URL TOKEN            over HTTP: the exchanges have spans of their own
//   opentelemetry SERVER [ARGUMENT...] over stdio
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <comcp/client/spans.hpp>
#include <comcp/http.hpp>
#include <comcp/transport/http_spans.hpp>

#if defined(COMCP_EXAMPLE_OPENTELEMETRY_CPP)
#include <opentelemetry/exporters/ostream/span_exporter_factory.h>
#include <opentelemetry/sdk/trace/simple_processor_factory.h>
#include <opentelemetry/sdk/trace/tracer_provider.h>
#include <opentelemetry/sdk/trace/tracer_provider_factory.h>

#include "opentelemetry_cpp.hpp"
#endif

namespace {

// ---- The exporter ----

// Spec: opentelemetry-proto, docs/specification.md#json-protobuf-encoding
class otlp_lines {
 public:
  // Lines go to `out`, each when its span ends; both live longer than what is traced.
  explicit otlp_lines(std::ostream& out) : out_(out) {}

  comcp::span_hook hook() {
    return [this](comcp::span_start const& s) { return std::make_shared<one>(*this, s); };
  }
  std::vector<std::string> ended;  // names, for the check below

 private:
  static std::string nanoseconds() {
    return std::to_string(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
  }
  static comcp::json::fragment keyed(std::string_view key, comcp::span_value const& value) {
    comcp::json::object v;
    if (auto const* const text = std::get_if<std::string>(&value)) v.set("stringValue", *text);
    if (auto const* const n = std::get_if<std::int64_t>(&value)) v.set("intValue", std::to_string(*n));
    if (auto const* const x = std::get_if<double>(&value)) v.set("doubleValue", *x);
    if (auto const* const yes = std::get_if<bool>(&value)) v.set("boolValue", *yes);
    return comcp::args("key", key, "value", v);
  }

  class one final : public comcp::span {
   public:
    one(otlp_lines& to, comcp::span_start const& s) : to_(to), name_(s.name) {
      auto const above = comcp::trace_parent::parse(s.parent.traceparent);
      position_ = comcp::trace_parent(above ? above->trace_id : to.id(32), to.id(16), true);
      state_ = s.parent.tracestate;
      span_.set("traceId", position_.trace_id).set("spanId", position_.parent_id);
      if (above) span_.set("parentSpanId", above->parent_id);
      span_.set("name", s.name).set("kind", static_cast<int>(s.kind)).set("startTimeUnixNano", nanoseconds());
      for (auto const& a : s.attributes) set(a.key, a.value);
    }
    void set(std::string_view key, comcp::span_value value) override { attributes_.push_back(keyed(key, value)); }
    void event(std::string_view name, std::vector<comcp::span_attribute>) override {
      events_.push_back(comcp::args("timeUnixNano", nanoseconds(), "name", name));
    }
    void end(std::string_view failure) override {
      span_.set("endTimeUnixNano", nanoseconds()).set("attributes", attributes_).set("events", events_);
      if (!failure.empty()) span_.set("status", comcp::args("code", 2, "message", failure));
      auto const scope = comcp::args("scope", comcp::args("name", "comcp"), "spans", std::vector{span_});
      auto const service = std::vector{keyed("service.name", std::string("an example"))};
      auto const all = comcp::args("resource", comcp::args("attributes", service), "scopeSpans", std::vector{scope});
      to_.out_ << comcp::args("resourceSpans", std::vector{all}).text() << '\n';
      to_.ended.push_back(name_);
    }
    [[nodiscard]] comcp::trace_context context() const override { return comcp::trace_context(position_.text(), state_); }

   private:
    otlp_lines& to_;
    std::string name_, state_;
    comcp::trace_parent position_;
    comcp::json::object span_;
    std::vector<comcp::json::fragment> attributes_, events_;
  };

  std::string id(std::size_t digits) {
    std::string out;
    while (out.size() < digits) out += "123456789abcdef"[numbers_() % 15];
    return out;
  }

  std::ostream& out_;
  std::mt19937_64 numbers_{std::random_device()()};
};

// ---- Its use ----

template <class Transport>
asio::awaitable<void> use(Transport server, comcp::span_hook hook) {
  auto options = comcp::connect_options().spans(hook);
  auto client = co_await comcp::connect(std::move(server), std::move(options));
  auto tools = co_await client.list_tools();
  std::cerr << tools.size() << " tools\n";
  auto sum = co_await client.call_tool("add", comcp::args("a", 2, "b", 3));
  std::cerr << "2 + 3 = " << sum.text() << '\n';
  // What you trace yourself is the parent of what is called for it.
  auto mine = comcp::trace_context("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  auto within = comcp::call_options().trace(mine);
  (void)co_await comcp::as_result(client.call_tool("no such tool", comcp::args(), within));
  co_await client.close();
}

asio::awaitable<void> run(std::vector<std::string> words, comcp::span_hook hook) {
  if (words.at(0).starts_with("http")) {
    auto server = comcp::http(words.at(0), comcp::bearer(comcp::secret(words.at(1))));
    server.options(comcp::http_options().spans(hook));
    co_await use(std::move(server), hook);
  } else {
    co_await use(comcp::stdio(words), hook);
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  std::vector<std::string> const words(argv + 1, argv + argc);
  if (words.empty()) {
    std::cerr << "usage: opentelemetry URL TOKEN | SERVER [ARGUMENT...]\n";
    return 2;
  }
  otlp_lines exporter(std::cout);
  comcp::run(run(words, exporter.hook()));
  std::size_t calls = 0;
  for (auto const& name : exporter.ended) calls += name.starts_with("tools/");
  if (calls != 3) throw std::runtime_error("three calls, but spans of " + std::to_string(calls));
#if defined(COMCP_EXAMPLE_OPENTELEMETRY_CPP)
  // Through the SDK, to its own printer.
  namespace sdk = opentelemetry::sdk::trace;
  auto printer = opentelemetry::exporter::trace::OStreamSpanExporterFactory::Create(std::cout);
  auto processor = sdk::SimpleSpanProcessorFactory::Create(std::move(printer));
  std::shared_ptr<opentelemetry::trace::TracerProvider> const provider =
      sdk::TracerProviderFactory::Create(std::move(processor));
  opentelemetry::trace::Provider::SetTracerProvider(provider);
  comcp::run(run(words, opentelemetry_example::to_opentelemetry_cpp()));
#endif
  return 0;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
