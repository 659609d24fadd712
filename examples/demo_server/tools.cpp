// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "tools.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "jobs.hpp"
#include "resources.hpp"
#include "tasks.hpp"

namespace demo {

namespace {

constexpr std::int64_t max_big = std::int64_t{1} << 30;

json::object add_numbers(call& c) {
  auto const a = c.number("a");
  auto const b = c.number("b");
  auto const whole_a = a.get<std::int32_t>();
  auto const whole_b = b.get<std::int32_t>();
  json::object sum;
  if (whole_a && whole_b) {
    sum.set("sum", std::int64_t{*whole_a} + *whole_b);
  } else {
    sum.set("sum", a.as_double() + b.as_double());
  }
  return text_result(sum.text()).set("structuredContent", sum);
}

json::object count_down(call& c) {
  auto const steps = c.integer("steps", 5);
  if (steps < 0 || steps > 1'000'000) throw tool_failure{"steps must be between 0 and 1000000"};
  std::chrono::milliseconds const delay(std::clamp<std::int64_t>(c.integer("delay_ms", 20), 0, 60'000));
  for (std::int64_t step = 1; step <= steps; ++step) {
    c.pause(delay);
    c.progress(static_cast<double>(step), static_cast<double>(steps), std::to_string(steps - step) + " to go");
  }
  return text_result("Counted down from " + std::to_string(steps) + '.');
}

json::object wait(call& c) {
  try {
    c.wait_for_cancel();
  } catch (call_cancelled const&) {
    auto const report = "comcp_demo_server: wait " + c.id() + " was cancelled: " + c.cancel_reason() + '\n';
    std::fputs(report.c_str(), stderr);
    throw;
  }
}

// Answers calls when so many of them are here at once, each with its own text.
class gathering {
 public:
  json::object join(call& c) {
    auto const wanted = c.integer("count", 2);
    if (wanted < 1 || wanted > 10'000) throw tool_failure{"count must be between 1 and 10000"};
    auto const text = c.text("text");
    std::unique_lock lock(lock_);
    std::erase_if(waiting_, [](auto const& each) { return !each->cancel_reason().empty(); });
    if (waiting_.size() + 1 < static_cast<std::size_t>(wanted)) {
      waiting_.push_back(c.shared_from_this());
      throw call_cancelled{};  // no answer for now
    }
    auto const all = std::exchange(waiting_, {});
    lock.unlock();
    for (auto const& each : all) each->reply(text_result(each->text("text")));
    return text_result(text);
  }

 private:
  std::mutex lock_;
  std::vector<std::shared_ptr<call>> waiting_;
};

json::object big(call& c) {
  auto const bytes = c.integer("bytes", 1 << 20);
  if (bytes < 0 || bytes > max_big) throw tool_failure{"bytes must be between 0 and " + std::to_string(max_big)};
  std::string text(static_cast<std::size_t>(bytes), ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
  return text_result(text);
}

}  // namespace

json::object text_result(std::string_view text) {
  auto const block = json::object().set("type", "text").set("text", text);
  return json::object().set("content", json::array().add(block));
}

json::fragment define(std::string_view name, std::string_view description, std::string_view properties,
                      std::vector<std::string> const& required, std::string_view output_schema,
                      std::string_view task_support) {
  json::object input;
  input.set("type", "object").set("properties", json::raw(properties));
  if (!required.empty()) input.set("required", required);
  json::object tool;
  tool.set("name", name).set("description", description).set("inputSchema", input);
  if (!output_schema.empty()) tool.set("outputSchema", json::raw(output_schema));
  if (!task_support.empty()) tool.set("execution", json::object().set("taskSupport", task_support));
  return tool;
}

toolbox::toolbox(subscriptions& subscribers, jobs& work) {
  add_plain_tools();
  add_slow_tools();
  for (auto& t : asking_tools()) add(std::move(t));
  add_tools_that_change_things(subscribers);
  add_tools_that_go_wrong();
  add({"job", define("job", "Gives back the text; to clients with com.example/jobs as a job", R"({"text":{"type":"string"}})", {"text"}),
       false, [&work](call& c) { return work.run(c); }});
  add({"research", define("research", "Tells all that is known of a topic, in its own time: as a task where it may",
                          R"({"topic":{"type":"string"},"looks":{"type":"integer","minimum":0,"default":3,)"
                          R"("description":"How often it is looked at before it is done"}})",
                          {"topic"}, {}, "optional"),
       false, [](call& c) { return task_book::shared().begin(c); }});
}

void toolbox::add_plain_tools() {
  add({"echo", define("echo", "Gives back the text", R"({"text":{"type":"string"}})", {"text"}), false,
       [](call& c) { return text_result(c.text("text")); }});
  add({"add",
       define("add", "Adds two numbers", R"({"a":{"type":"number"},"b":{"type":"number"}})", {"a", "b"},
              R"({"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]})"),
       false, add_numbers});
  add({"big",
       define("big", "Gives a text of so many bytes",
              R"({"bytes":{"type":"integer","minimum":0,"maximum":1073741824,"default":1048576}})", {}),
       false, big});
  add({"log",
       define("log", "Sends one log message",
              R"({"level":{"type":"string","enum":["debug","info","notice","warning","error","critical","alert",)"
              R"("emergency"]},"message":{"type":"string"}})",
              {"level", "message"}),
       false, [](call& c) {
         c.log(c.text("level"), c.text("message"));
         return text_result("Logged.");
       }});
}

void toolbox::add_slow_tools() {
  add({"countdown",
       define("countdown", "Counts down and tells its progress",
              R"({"steps":{"type":"integer","minimum":0,"default":5},)"
              R"("delay_ms":{"type":"integer","minimum":0,"default":20,"description":"Time for each step"}})",
              {}),
       true, count_down});
  add({"gather",
       define("gather", "Gives back the text when so many calls of it are here at once",
              R"({"text":{"type":"string"},"count":{"type":"integer","minimum":1,"maximum":10000,"default":2}})", {"text"}),
       false, [all = std::make_shared<gathering>()](call& c) { return all->join(c); }});
  add({"wait", define("wait", "Runs until it is cancelled, which it reports on stderr", "{}", {}), true, wait});
}

void toolbox::add_tools_that_change_things(subscriptions& subscribers) {
  add({"add_tool", define("add_tool", "Adds a tool of this name", R"({"name":{"type":"string"}})", {"name"}), false,
       [this, &subscribers](call& c) {
         auto const name = c.text("name");
         if (name.empty() || find(name) != nullptr) throw tool_failure{"the name is empty or taken"};
         add({name, define(name, "Was added at run time", "{}", {}), false,
              [name](call&) { return text_result("I am " + name + '.'); }});
         subscribers.tools_changed();
         return text_result("Added " + name + '.');
       }});
  add({"touch", define("touch", "Pretends that a resource changed", R"({"uri":{"type":"string"}})", {"uri"}), false,
       [&subscribers](call& c) {
         auto const uri = c.text("uri");
         if (!resource_exists(uri)) throw tool_failure{"there is no resource " + uri};
         touch_resource(uri);
         subscribers.resource_updated(uri);
         return text_result("Touched " + uri + '.');
       }});
  add({"end_listens",
       define("end_listens", "Ends every subscriptions/listen stream (modern)",
              R"({"abruptly":{"type":"boolean","default":false,"description":"Without a result"}})", {}),
       false, [&subscribers](call& c) {
         subscribers.end_all(c.flag("abruptly"));
         return text_result("Ended.");
       }});
}

void toolbox::add_tools_that_go_wrong() {
  add({"fail", define("fail", "Answers with isError", R"({"message":{"type":"string"}})", {}), false,
       [](call& c) -> json::object {
         auto const arguments = c.params().find("arguments");
         throw tool_failure{arguments && arguments->contains("message") ? c.text("message")
                                                                        : "This tool always fails."};
       }});
  add({"crash", define("crash", "Ends the server with status 3, without an answer", "{}", {}), false,
       [](call&) -> json::object { std::_Exit(3); }});
}

std::vector<json::fragment> toolbox::list() const {
  std::vector<json::fragment> all;
  all.reserve(tools_.size());
  for (auto const& t : tools_) all.push_back(t.definition);
  return all;
}

tool const* toolbox::find(std::string_view name) const {
  auto const at = std::find_if(tools_.begin(), tools_.end(), [&](tool const& t) { return t.name == name; });
  return at == tools_.end() ? nullptr : &*at;
}

}  // namespace demo
