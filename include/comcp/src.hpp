// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// All of comcp that is no template, for programs that compile it once: every source is compiled with
// COMCP_SEPARATE_COMPILATION, and one of them includes this. Where ASIO_SEPARATE_COMPILATION is defined too, it holds
// Asio's definitions as well, as <asio/impl/src.hpp> does. CMake makes the sources of comcp::compiled from this list.
#pragma once

#include <comcp/requirements.hpp>

#if !defined(COMCP_SEPARATE_COMPILATION)
#error "comcp: define COMCP_SEPARATE_COMPILATION for every source of the program; one of them includes comcp/src.hpp."
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"  // lambdas in the frame of an included coroutine, says g++ 12
#endif

#include <comcp/auth/impl/authenticator.ipp>
#include <comcp/auth/impl/authorization.ipp>
#include <comcp/auth/impl/bearer.ipp>
#include <comcp/auth/impl/challenge.ipp>
#include <comcp/auth/impl/endpoint_policy.ipp>
#include <comcp/auth/impl/file_token_store.ipp>
#include <comcp/auth/impl/form.ipp>
#include <comcp/auth/impl/header_auth.ipp>
#include <comcp/auth/impl/loopback_redirect.ipp>
#include <comcp/auth/impl/metadata.ipp>
#include <comcp/auth/impl/open_browser.ipp>
#include <comcp/auth/impl/pkce.ipp>
#include <comcp/auth/impl/registration.ipp>
#include <comcp/auth/impl/token.ipp>
#include <comcp/auth/impl/token_store.ipp>
#include <comcp/auth/impl/user_agent.ipp>
#include <comcp/client/impl/answers.ipp>
#include <comcp/client/impl/awaitable_client.ipp>
#include <comcp/client/impl/blocking_client.ipp>
#include <comcp/client/impl/cache.ipp>
#include <comcp/client/impl/call_options.ipp>
#include <comcp/client/impl/calls.ipp>
#include <comcp/client/impl/capacity_line.ipp>
#include <comcp/client/impl/channel.ipp>
#include <comcp/client/impl/client_base.ipp>
#include <comcp/client/impl/completer.ipp>
#include <comcp/client/impl/connection.ipp>
#include <comcp/client/impl/context.ipp>
#include <comcp/client/impl/core.ipp>
#include <comcp/client/impl/core_link.ipp>
#include <comcp/client/impl/dispatcher.ipp>
#include <comcp/client/impl/exchange.ipp>
#include <comcp/client/impl/extensions.ipp>
#include <comcp/client/impl/completion.ipp>
#include <comcp/client/impl/guards.ipp>
#include <comcp/client/impl/handler.ipp>
#include <comcp/client/impl/handlers.ipp>
#include <comcp/client/impl/inbound.ipp>
#include <comcp/client/impl/incoming.ipp>
#include <comcp/client/impl/input_rounds.ipp>
#include <comcp/client/impl/interception.ipp>
#include <comcp/client/impl/introduction.ipp>
#include <comcp/client/impl/listen_streams.ipp>
#include <comcp/client/impl/negotiation.ipp>
#include <comcp/client/impl/operation.ipp>
#include <comcp/client/impl/outbound.ipp>
#include <comcp/client/impl/pipeline.ipp>
#include <comcp/client/impl/prepared.ipp>
#include <comcp/client/impl/prometheus.ipp>
#include <comcp/client/impl/recovery.ipp>
#include <comcp/client/impl/remote_call.ipp>
#include <comcp/client/impl/restarts.ipp>
#include <comcp/client/impl/server_facts.ipp>
#include <comcp/client/impl/server_lists.ipp>
#include <comcp/client/impl/shared_stream.ipp>
#include <comcp/client/impl/spans.ipp>
#include <comcp/client/impl/subscribers.ipp>
#include <comcp/client/impl/subscription.ipp>
#include <comcp/client/impl/subscription_hub.ipp>
#include <comcp/client/impl/subscriptions.ipp>
#include <comcp/client/impl/tenant.ipp>
#include <comcp/client/impl/validation.ipp>
#include <comcp/config/impl/configured_server.ipp>
#include <comcp/config/impl/connect.ipp>
#include <comcp/config/impl/env_file.ipp>
#include <comcp/config/impl/expand.ipp>
#include <comcp/config/impl/load.ipp>
#include <comcp/config/impl/locations.ipp>
#include <comcp/config/impl/read.ipp>
#include <comcp/extensions/impl/app_bridge.ipp>
#include <comcp/extensions/impl/app_requests.ipp>
#include <comcp/extensions/impl/apps.ipp>
#include <comcp/extensions/impl/serve_tasks.ipp>
#include <comcp/extensions/impl/skills.ipp>
#include <comcp/extensions/impl/tasks.ipp>
#include <comcp/extensions/impl/task_handles.ipp>
#include <comcp/hash/impl/sha256.ipp>
#include <comcp/http/impl/address_reach.ipp>
#include <comcp/http/impl/default_engine.ipp>
#include <comcp/http/impl/exchange_clock.ipp>
#include <comcp/http/impl/logging_engine.ipp>
#include <comcp/http/impl/message.ipp>
#include <comcp/http/impl/proxy.ipp>
#include <comcp/http/impl/request_writer.ipp>
#include <comcp/http/impl/response_parser.ipp>
#include <comcp/http/impl/traced_engine.ipp>
#include <comcp/http/impl/tunnel.ipp>
#include <comcp/http/impl/url.ipp>
#include <comcp/http/impl/url_warnings.ipp>
#include <comcp/impl/error.ipp>
#include <comcp/impl/replace_file.ipp>
#include <comcp/impl/visible.ipp>
#include <comcp/json/impl/access.ipp>
#include <comcp/json/impl/buffers.ipp>
#include <comcp/json/impl/build.ipp>
#include <comcp/json/impl/canonical.ipp>
#include <comcp/json/impl/document.ipp>
#include <comcp/json/impl/field_table.ipp>
#include <comcp/json/impl/fields.ipp>
#include <comcp/json/impl/indexing.ipp>
#include <comcp/json/impl/reader.ipp>
#include <comcp/json/impl/text_map.ipp>
#include <comcp/json/impl/unescape.ipp>
#include <comcp/json/impl/value.ipp>
#include <comcp/json/impl/writer.ipp>
#include <comcp/jsonrpc/impl/decode.ipp>
#include <comcp/jsonrpc/impl/framing.ipp>
#include <comcp/net/impl/child_options.ipp>
#include <comcp/net/impl/child_posix.ipp>
#include <comcp/net/impl/child_process.ipp>
#include <comcp/net/impl/child_start.ipp>
#include <comcp/net/impl/child_start_windows.ipp>
#include <comcp/net/impl/child_windows.ipp>
#include <comcp/net/impl/gate.ipp>
#include <comcp/net/impl/loopback_listener.ipp>
#include <comcp/net/impl/pipe_end.ipp>
#include <comcp/net/impl/spawn.ipp>
#include <comcp/net/impl/tcp_connect.ipp>
#include <comcp/net/impl/time_source.ipp>
#include <comcp/net/impl/utf16.ipp>
#include <comcp/net/impl/windows_command.ipp>
#include <comcp/net/impl/windows_lookup.ipp>
#include <comcp/pinning/impl/fingerprint.ipp>
#include <comcp/pinning/impl/guard.ipp>
#include <comcp/pinning/impl/lock_file.ipp>
#include <comcp/pinning/impl/pins.ipp>
#include <comcp/pinning/impl/suspicious.ipp>
#include <comcp/pool/impl/calls.ipp>
#include <comcp/pool/impl/core.ipp>
#include <comcp/pool/impl/members.ipp>
#include <comcp/pool/impl/pool.ipp>
#include <comcp/pool/impl/prometheus.ipp>
#include <comcp/protocol/impl/base64.ipp>
#include <comcp/protocol/impl/capabilities.ipp>
#include <comcp/protocol/impl/content.ipp>
#include <comcp/protocol/impl/elicitation.ipp>
#include <comcp/protocol/impl/elicitation_schema.ipp>
#include <comcp/protocol/impl/errors.ipp>
#include <comcp/protocol/impl/icon.ipp>
#include <comcp/protocol/impl/meta.ipp>
#include <comcp/protocol/impl/resources.ipp>
#include <comcp/protocol/impl/roots.ipp>
#include <comcp/protocol/impl/sampling.ipp>
#include <comcp/protocol/impl/subscriptions.ipp>
#include <comcp/protocol/impl/tool_ui.ipp>
#include <comcp/protocol/impl/tools.ipp>
#include <comcp/protocol/impl/uri_template.ipp>
#include <comcp/providers/impl/anthropic.ipp>
#include <comcp/providers/impl/call.ipp>
#include <comcp/providers/impl/gemini.ipp>
#include <comcp/providers/impl/names.ipp>
#include <comcp/providers/impl/openai.ipp>
#include <comcp/providers/impl/pieces.ipp>
#include <comcp/registry/impl/calls.ipp>
#include <comcp/registry/impl/offers.ipp>
#include <comcp/registry/impl/prometheus.ipp>
#include <comcp/registry/impl/qualified_name.ipp>
#include <comcp/registry/impl/refresher.ipp>
#include <comcp/registry/impl/registry.ipp>
#include <comcp/registry/impl/servers.ipp>
#include <comcp/sansio/impl/cache.ipp>
#include <comcp/sansio/impl/call_life.ipp>
#include <comcp/sansio/impl/handshake.ipp>
#include <comcp/sansio/impl/http_exchange.ipp>
#include <comcp/sansio/impl/oauth_choices.ipp>
#include <comcp/sansio/impl/oauth_discovery.ipp>
#include <comcp/sansio/impl/oauth_flow.ipp>
#include <comcp/sansio/impl/server_life.ipp>
#include <comcp/sansio/impl/sse_parser.ipp>
#include <comcp/sansio/impl/task_life.ipp>
#include <comcp/schema/impl/assertions.ipp>
#include <comcp/schema/impl/compiler.ipp>
#include <comcp/schema/impl/elicitation.ipp>
#include <comcp/schema/impl/equality.ipp>
#include <comcp/schema/impl/evaluated.ipp>
#include <comcp/schema/impl/evaluator.ipp>
#include <comcp/schema/impl/findings.ipp>
#include <comcp/schema/impl/formats.ipp>
#include <comcp/schema/impl/index.ipp>
#include <comcp/schema/impl/metaschemas.ipp>
#include <comcp/schema/impl/numbers.ipp>
#include <comcp/schema/impl/pattern.ipp>
#include <comcp/schema/impl/pattern_compiler.ipp>
#include <comcp/schema/impl/pattern_lexer.ipp>
#include <comcp/schema/impl/pattern_parser.ipp>
#include <comcp/schema/impl/program.ipp>
#include <comcp/schema/impl/schema.ipp>
#include <comcp/schema/impl/unicode.ipp>
#include <comcp/schema/impl/unicode_table.ipp>
#include <comcp/schema/impl/uri_reference.ipp>
#include <comcp/server/impl/bell.ipp>
#include <comcp/server/impl/connection.ipp>
#include <comcp/server/impl/live_server.ipp>
#include <comcp/skills/impl/frontmatter.ipp>
#include <comcp/skills/impl/skill.ipp>
#include <comcp/skills/impl/yaml_blocks.ipp>
#include <comcp/skills/impl/yaml_flow.ipp>
#include <comcp/skills/impl/yaml_scalars.ipp>
#include <comcp/test/impl/fake_server.ipp>
#include <comcp/test/impl/scripted_transport.ipp>
#include <comcp/trace/impl/prometheus.ipp>
#include <comcp/trace/impl/propagation.ipp>
#include <comcp/trace/impl/record.ipp>
#include <comcp/trace/impl/span.ipp>
#include <comcp/transport/impl/http.ipp>
#include <comcp/transport/impl/http_endpoint.ipp>
#include <comcp/transport/impl/http_fetch.ipp>
#include <comcp/transport/impl/http_link.ipp>
#include <comcp/transport/impl/http_listener.ipp>
#include <comcp/transport/impl/http_options.ipp>
#include <comcp/transport/impl/http_post.ipp>
#include <comcp/transport/impl/http_posts.ipp>
#include <comcp/transport/impl/http_session.ipp>
#include <comcp/transport/impl/http_spans.ipp>
#include <comcp/transport/impl/memory.ipp>
#include <comcp/transport/impl/message_queue.ipp>
#include <comcp/transport/impl/session_life.ipp>
#include <comcp/transport/impl/stdio.ipp>
#include <comcp/transport/impl/unix_socket.ipp>
#include <comcp/transport/impl/write_queue.ipp>
#include <comcp/wire/impl/codec.ipp>
#include <comcp/wire/impl/http_headers.ipp>
#include <comcp/wire/impl/legacy.ipp>
#include <comcp/wire/impl/method.ipp>
#include <comcp/wire/impl/modern.ipp>

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
#include <comcp/auth/impl/client_authentication.ipp>
#include <comcp/auth/impl/dpop.ipp>
#include <comcp/auth/impl/jose.ipp>
#include <comcp/auth/impl/jose_keys.ipp>
#include <comcp/auth/impl/oauth.ipp>
#include <comcp/auth/impl/oauth_challenge.ipp>
#include <comcp/auth/impl/oauth_flow_run.ipp>
#include <comcp/auth/impl/oauth_http.ipp>
#include <comcp/auth/impl/oauth_renewal.ipp>
#include <comcp/auth/impl/oauth_send.ipp>
#include <comcp/auth/impl/oauth_session.ipp>
#include <comcp/auth/impl/oauth_spans.ipp>
#include <comcp/auth/impl/oauth_steps.ipp>
#include <comcp/http/impl/tls_connector.ipp>
#endif

#if defined(ASIO_SEPARATE_COMPILATION)
#include <asio/impl/src.hpp>
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
#include <asio/ssl/impl/src.hpp>
#endif
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
