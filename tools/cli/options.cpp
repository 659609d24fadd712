// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include <comcp/trace/record.hpp>
#include <comcp/version.hpp>

#include "command_line.hpp"
#include "configured.hpp"
#include "exit_codes.hpp"
#include "help.hpp"
#include "option_values.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr auto* examples = R"(
Everything behind the first -- is the server's command line. It is started as it is, without a shell.
--url in its place goes to a server over HTTP, --config or --server to one of a configuration file.

Examples:
  comcp info   -- npx -y @modelcontextprotocol/server-everything
  comcp tools  -- ./my-server --its-own-option
  comcp call add a=2 b=3 -- ./my-server
  comcp call search text="two words" limit=5 tags:='["a","b"]' -- ./my-server
  comcp call search --args '{"text":"two words"}' --json -- ./my-server
  comcp read demo://greeting -- ./my-server
  comcp read 'demo://notes/{topic}' topic=birds -- ./my-server
  comcp listen demo://changes --count 3 -- ./my-server
  comcp tools --trace messages.jsonl --stderr inherit -- ./my-server
  comcp tools --url https://example.com/mcp --bearer-env MCP_TOKEN
  comcp --url https://example.com/mcp login
  comcp --url https://example.com/mcp doctor
  comcp --config .mcp.json tools --watch
  comcp --config .mcp.json --server github tools
  comcp config list

Exit status:
  0    done
  1    the tool said that it failed (isError)
  2    wrong command line or configuration
  3    no connection, or it broke
  4    the server answered with an error, lacks the feature or broke the protocol
  5    timeout
  6    the server wants a login, and there is none: comcp login
  7    done, but servers of the configuration are missing; --json lists them with an "error"
  8    the output could not be written
  130  interrupted by Ctrl-C (143: by SIGTERM); the call is cancelled, the server told and ended

COMMAND --help explains a command and shows its examples, COMMAND --help-all all of its options.)";

void add_server_options(CLI::App& app, target& server, options& o) {
  auto* const env = take(
      app, "--env", [&server](auto const& t) { server.environment.push_back(parse_variable(t)); },
      "A variable for the server (it gets PATH, HOME and few others anyway); may be repeated", "NAME=VALUE");
  auto* const all = app.add_flag("--inherit-env", server.inherit_environment, "The server gets the whole environment");
  auto* const cwd = take(app, "--cwd", [&server](auto const& t) { server.directory = t; },
                         "Where the server is started", "DIR");
  auto* const err = take(app, "--stderr", [&server](auto const& t) { server.show_stderr = parse_stderr(t); },
                         "Show the server's stderr as it comes, or (the default) only its end, after a failure",
                         "inherit|hide");
  auto* const era = take(app, "--era", [&o](auto const& t) { o.era = parse_era(t); },
                         "Find out what the server speaks (auto, the default), or: legacy, modern, a version such as "
                         "2025-06-18", "ERA");
  auto* const root = take(app, "--root", [&o](auto const& d) { o.roots.push_back(parse_root(d)); },
                          "A directory that the server may work in; may be repeated", "DIR");
  for (auto* const option : {env, all, cwd, err, era, root}) option->group(option_group::server);
}

void add_http_options(CLI::App& app, http_target& http) {
  auto* const url = take(app, "--url", [&http](auto const& t) { http.url = t; },
                         "The server's endpoint, as https://example.com/mcp: Streamable HTTP, else HTTP+SSE", "URL");
  auto const with_header = [&http](std::string const& text) {
    auto const& name = http.headers.emplace_back(parse_header(text)).first;
    if (comcp::is_secret_key(name)) http.shown_headers.push_back(name);
  };
  auto* const header = take(app, "--header", with_header,
                            "A header for every request; may be repeated. A secret belongs into --header-env", "'NAME: VALUE'");
  auto* const header_env = take(
      app, "--header-env", [&http](auto const& t) { http.headers.push_back(parse_header_variable(t)); },
      "The same with the value in a variable", "'NAME: VARIABLE'");
  auto* const from_env = take(
      app, "--bearer-env", [&http](auto const& t) { http.bearer = token_from_environment(t); },
      "Send the token in this variable as Authorization: Bearer", "VARIABLE");
  auto* const from_file = take(app, "--bearer-file", [&http](auto const& t) { http.bearer = token_from_file(t); },
                               "The same with the token in a file", "FILE");
  auto* const bearer = take(app, "--bearer", [&http](auto const& t) { http.bearer = comcp::secret(t); },
                            "The same with this token. Everybody on this machine can read it in the list of processes, "
                            "and your shell keeps it: use one of the two above", "TOKEN");
  auto* const ca = take(app, "--ca-file", [&http](auto const& t) { http.ca_file = t; },
                        "The certificates (PEM) to trust for https, in place of the system's", "FILE");
  auto* const certificate = take(app, "--client-cert", [&http](auto const& t) { http.client_certificate = t; },
                                 "A certificate (PEM) to show to the server (no authorization server sees it), with "
                                 "--client-key", "FILE");
  auto* const key = take(app, "--client-key", [&http](auto const& t) { http.client_key = private_file("--client-key", t); }, "Its key (PEM)", "FILE");
  auto* const insecure = app.add_flag("--insecure", http.insecure,
                                      "DANGEROUS: believe any certificate of the server. Whoever is between can then read "
                                      "and change everything, tokens too. A login's requests are checked all the same: "
                                      "give --ca-file");
  auto* const proxy = take(app, "--proxy", [&http](auto const& t) { http.proxy = t; },
                           "Go through this proxy (default: what http_proxy, https_proxy and no_proxy say)", "URL");
  auto* const direct = app.add_flag("--no-proxy", http.no_proxy, "Go through none, whatever the environment says");
  auto* const sse = app.add_flag("--sse", http.sse, "HTTP+SSE of 2024-11-05 only: the URL is that of its event stream");
  for (auto* const option :
       {url, header, header_env, from_env, from_file, bearer, ca, certificate, key, insecure, proxy, direct, sse})
    option->group(option_group::http);
}

void add_config_options(CLI::App& app, config_choice& config) {
  auto* const file = take(app, "--config", [&config](auto const& t) { config.files.push_back(t); },
                          "A file that configures servers, as Claude, VS Code and Cursor have it; may be repeated, the "
                          "first file that has the server counts", "FILE");
  auto* const server = take(app, "--server", [&config](auto const& t) { config.server = t; },
                            "Which of its servers (default: the only one); without --config, one of comcp's own file, "
                            "which comcp config import writes", "NAME");
  auto* const yes = app.add_flag("--yes", config.yes,
                                 "Let a project's file read the variables of the environment that it names, and remember "
                                 "that until it changes (default: show them and ask)");
  for (auto* const option : {file, server, yes}) option->group(option_group::config);
}

// A word that is no argument may begin the server's command line.
void check_dashes(options const& o) {
  auto const& words = o.what == command::listen ? o.uris : o.pairs;
  auto const mark = o.what == command::listen ? ':' : '=';
  auto const first = std::find_if(words.begin(), words.end(), [mark](auto const& w) { return w.find(mark) == w.npos; });
  if (first == words.end()) return;
  auto const at = static_cast<std::size_t>(first - words.begin());
  throw usage_error("a server's command line stands behind --; did you mean: " +
                    with_dashes("comcp " + o.command_name + (o.name.empty() ? "" : " " + one_line(o.name)), words, at));
}

// What goes with a server that is started does not go with one that is called, and the other way round.
void check_target(options const& o) {
  auto const& server = o.server;
  auto const& http = server.http;
  bool const started = !server.environment.empty() || server.inherit_environment || !server.directory.empty() ||
                       server.show_stderr;
  bool const called = !http.headers.empty() || !http.bearer.empty() || http.insecure || http.no_proxy || http.sse ||
                      !(http.ca_file + http.client_certificate + http.client_key + http.proxy).empty();
  if (!o.servers.empty()) {
    if (started || called) throw usage_error("options for one server need --server");
    return;
  }
  if (o.watch) throw usage_error("--watch needs --config without --server; listen shows what one server tells");
  if (server.command.empty() && http.url.empty()) check_dashes(o);
  if (server.command.empty() && http.url.empty())
    throw usage_error("no server: put its command line behind --, as in: comcp tools -- ./my-server; or give --url, "
                      "--config or --server");
  if (!server.command.empty() && !http.url.empty()) throw usage_error("either --url or a command behind --, not both");
  if (!http.url.empty() && started) throw usage_error("--env, --inherit-env, --cwd and --stderr do not go with --url");
  if (http.url.empty() && called) throw usage_error("options for servers over HTTP need --url");
  if (http.client_certificate.empty() != http.client_key.empty())
    throw usage_error("--client-cert and --client-key go together");
  if (!http.proxy.empty() && http.no_proxy) throw usage_error("either --proxy or --no-proxy, not both");
}

void add_common_options(CLI::App& app, options& o) {
  auto* const json = app.add_flag("--json", o.json, "Machine output: JSON on stdout, errors as JSON on stderr");
  auto* const timeout = take(app, "--timeout", [&o](auto const& t) { o.timeout = parse_duration(t); },
                             "Give up when nothing comes for so long (default 30 s, and 60 s for the start of a "
                             "configured server); progress counts as something. Also 500ms, 2m", "SECONDS");
  auto* const most = take(app, "--max-time", [&o](auto const& t) { o.max_time = parse_duration(t); },
                          "Give up after this long, whatever comes (default 10 minutes; a user who logs in: 5)", "SECONDS");
  auto const level = [&o](std::string const& t) {
    o.log_level = parse_log_level(t);
    o.hide_log = !o.log_level;
  };
  auto* const log = take(app, "--log-level", level,
                         "Ask the server for log messages from here on, shown on stderr: debug, info, notice, warning, "
                         "error, critical, alert, emergency; off shows none", "LEVEL");
  auto* const trace = take(app, "--trace", [&o](auto const& t) { o.trace_file = t; },
                           "Write every message to FILE as JSON lines (time, direction, message), with passwords, "
                           "tokens and the like replaced by ***", "FILE");
  auto* const verbose = app.add_flag("-v,--verbose", o.verbose, "Tell on stderr what goes wrong without harm");
  for (auto* const option : {json, timeout, most, log, trace, verbose}) option->group(option_group::output);
  add_server_options(app, o.server, o);
  add_http_options(app, o.server.http);
  add_login_options(app, o.server.login);
  add_config_options(app, o.config);
}

}  // namespace

CLI::Option* take(CLI::App& app, std::string const& names, std::function<void(std::string const&)> f,
                  std::string const& help, std::string const& value) {
  return app.add_option_function<std::string>(names, f, help)->type_name(value)->trigger_on_parse();
}

CLI::App* add_command(CLI::App& app, options& o, command what, char const* name, char const* help, char const* footer) {
  auto* const sub = app.add_subcommand(name, help);
  sub->footer(std::string("\nExamples:\n") + footer);
  sub->callback([&o, what, name] {
    o.what = what;
    o.command_name = name;
  });
  add_common_options(*sub, o);
  return sub;
}

namespace {

void add_pairs(CLI::App& app, options& o, char const* help) {
  app.add_option("arguments", o.pairs, help)->type_name("KEY=VALUE");
}

void add_list(CLI::App& app, options& o, command what, char const* name, char const* help, char const* footer) {
  auto* const sub = add_command(app, o, what, name, help, footer);
  sub->add_flag("--watch", o.watch, "With --config: list again after each change, until Ctrl-C")->group(option_group::output);
  sub->add_option("-n,--count", o.count, "With --watch: end after so many lists")
      ->check(CLI::Range(1, 1'000'000))->type_name("N")->group(option_group::output);
}

void add_lists(CLI::App& app, options& o) {
  add_list(app, o, command::tools, "tools", "List the tools with their arguments", "  comcp tools -- ./my-server\n"
              "  comcp tools --json -- ./my-server | jq -r '.[].name'");
  add_list(app, o, command::resources, "resources", "List the resources", "  comcp resources -- ./my-server");
  add_list(app, o, command::templates, "templates", "List the resource templates",
              "  comcp templates -- ./my-server");
  add_list(app, o, command::prompts, "prompts", "List the prompts with their arguments",
              "  comcp prompts -- ./my-server");
  add_command(app, o, command::info, "info", "Show the server's name, version, era, capabilities and instructions",
              "  comcp info -- ./my-server\n  comcp info --era legacy --json -- ./my-server");
}

void add_calls(CLI::App& app, options& o) {
  auto* const call = add_command(app, o, command::call, "call", "Call a tool",
      "  comcp call add a=2 b=3 -- ./my-server\n"
      "  comcp call search text=\"two words\" tags=a tags=b filter:='{\"year\":2026}' -- ./my-server\n"
      "\n"
      "KEY=VALUE is read as the tool's input schema says (number, boolean, list, ...; a repeated key fills a list).\n"
      "KEY:=JSON is taken as it is. The server's questions are asked on a terminal, and declined elsewhere.");
  call->add_option("name", o.name, "The tool")->required()->type_name("NAME");
  add_pairs(*call, o, "Its arguments");
  call->add_option("--args", o.arguments, "All arguments as one JSON object; KEY=VALUE wins over it")
      ->type_name("JSON");
  call->add_flag("--task", o.as_task, "As a task, whose id is told");
  call->add_flag("--detach", o.detach, "With --task: print its id and leave")->needs("--task");

  auto* const read = add_command(app, o, command::read, "read", "Read a resource: text as it is, binary data as bytes",
      "  comcp read demo://greeting -- ./my-server\n  comcp read demo://logo -- ./my-server > logo.png\n"
      "  comcp read 'demo://notes/{topic}' topic=birds -- ./my-server");
  read->add_option("uri", o.name, "The resource's uri, or a uri template")->required()->type_name("URI");
  add_pairs(*read, o, "Variables for a uri template (RFC 6570)");

  auto* const prompt = add_command(app, o, command::prompt, "prompt", "Get a prompt's messages",
      "  comcp prompt greet name=Ann -- ./my-server");
  prompt->add_option("name", o.name, "The prompt")->required()->type_name("NAME");
  add_pairs(*prompt, o, "Its arguments, always strings");

  auto* const complete = add_command(app, o, command::complete, "complete",
      "Ask for completions of an argument of a prompt or of a resource template",
      "  comcp complete greet name=A -- ./my-server\n"
      "  comcp complete code_review framework= language=python -- ./my-server\n"
      "  comcp complete 'demo://notes/{topic}' topic=b -- ./my-server");
  complete->add_option("of", o.name, "A prompt's name, or a uri template (which has \"://\" in it)")
      ->required()->type_name("NAME|TEMPLATE");
  complete
      ->add_option("arguments", o.pairs, "The argument to complete with what is typed of it; then those known already")
      ->required()
      ->type_name("KEY=VALUE");
}

void add_others(CLI::App& app, options& o) {
  auto* const ping = add_command(app, o, command::ping, "ping",
      "Measure round trips (ping, or server/discover in the modern era)", "  comcp ping --count 10 -- ./my-server");
  ping->add_option("-n,--count", o.count, "How many (default 4)")->check(CLI::Range(1, 1'000'000))->type_name("N");

  auto* const tasks = add_command(app, o, command::tasks, "tasks",
      "What becomes of tools that were called as tasks, at a server that goes on without us",
      "  comcp tasks list --url http://127.0.0.1:8080/mcp\n"
      "  comcp tasks result 786512e2 --url http://127.0.0.1:8080/mcp\n\n"
      "`list` exists in protocol 2025-11-25 alone.");
  tasks->add_option("action", o.action, "list, get, result (waits for it) or cancel")->required()
      ->check(CLI::IsMember({"list", "get", "result", "cancel"}))->type_name("ACTION");
  tasks->add_option("id", o.name, "Which one")->type_name("ID");

  auto* const listen = add_command(app, o, command::listen, "listen",
      "Print notifications as they come: changed lists, updates of the given resources",
      "  comcp listen -- ./my-server\n  comcp listen demo://changes --count 1 --json -- ./my-server");
  listen->add_option("uris", o.uris, "Resources to subscribe to")->type_name("URI");
  listen->add_option("-n,--count", o.count, "End after so many (default: at Ctrl-C; exit status 3 when the server ends)")
      ->check(CLI::Range(1, 1'000'000'000))->type_name("N");
}

void add_config_command(CLI::App& config, options& o, config_action action, char const* name, char const* help,
                        char const* footer) {
  auto* const sub = config.add_subcommand(name, help);
  sub->footer(std::string("\nExamples:\n") + footer);
  sub->callback([&o, action] { o.config.action = action; });
  sub->add_option("source", o.config.source,
                  "A file, or a program: comcp, claude-code, vscode, cursor, claude-desktop (default: all files that "
                  "are found)")
      ->type_name("FILE|PROGRAM");
  sub->add_flag("--json", o.json, "Machine output: JSON on stdout");
  if (action != config_action::import) return;
  sub->add_flag("--force", o.config.force, "Replace servers of the same name");
  sub->add_flag("--dry-run", o.config.dry_run, "Only tell what would be done");
  sub->add_flag("--yes", o.config.yes, "Write without asking");
}

void add_config(CLI::App& app, options& o) {
  auto* const config = app.add_subcommand("config", "List, check and import the servers that other programs configure");
  config->require_subcommand(1);
  config->footer("\nExamples:\n  comcp config list\n  comcp config check .mcp.json\n  comcp config import cursor");
  add_config_command(*config, o, config_action::list, "list",
                     "List configuration files and their servers",
                     "  comcp config list\n  comcp config list vscode --json\n\n"
                     "Values of env and headers are not shown.");
  add_config_command(*config, o, config_action::check, "check",
                     "Read files, expand their variables and check what comes out",
                     "  comcp config check\n  comcp config check .mcp.json\n\n"
                     "Exit status 2 where something is wrong. Nothing is started, nobody is asked.");
  add_config_command(*config, o, config_action::import, "import",
                     "Copy servers into comcp's own file, which --server reads",
                     "  comcp config import --dry-run\n  comcp config import cursor --force\n"
                     "  comcp config import .mcp.json\n\n"
                     "A file of the current project, which somebody else may have written, is read only where it is named\n"
                     "itself. What would be started or called is shown, with all that stands there, and nothing is\n"
                     "written without a yes.\n"
                     "The file is $XDG_CONFIG_HOME/comcp/mcp.json, for its owner alone: servers are copied as they\n"
                     "are written, secrets too. Variables stay variables. Exit status 2 where something was left out.");
}

}  // namespace

std::optional<int> parse_command_line(int argc, char const* const* argv, options& out) {
  auto const* const last = argv + argc;
  auto const* const dashes = std::find(argv + 1, last, std::string_view("--"));
  if (dashes != last) out.server.command.assign(dashes + 1, last);

  CLI::App app("Talks to a server of the Model Context Protocol.", "comcp");
  app.set_version_flag("--version", "comcp " COMCP_VERSION_STRING);
  app.require_subcommand(1);
  app.formatter(help_format());
  app.set_help_all_flag("--help-all", "Print every option and exit");
  app.footer(examples);
  // What is wrong may stand before it.
  auto const wants_json = [&] { return out.json || std::find(argv, dashes, std::string_view("--json")) != dashes; };
  add_common_options(app, out);
  add_lists(app, out);
  add_calls(app, out);
  add_others(app, out);
  add_login_commands(app, out);
  add_config(app, out);
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
    if (out.config.action) return {};
    use_configured_server(out);
    check_target(out);
    check_login(out);
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) return app.exit(e), exit_ok;
    out.json = wants_json();
    throw usage_error(explained(app, e, dashes != last));
  } catch (usage_error const&) {
    out.json = wants_json();
    throw;
  }
  return {};
}

}  // namespace cli
