// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which neutral type covers which definition of the specification's schemas; for examples.cpp and
// schema_coverage.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <comcp/protocol/completion.hpp>
#include <comcp/protocol/errors.hpp>
#include <comcp/protocol/meta.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/prompts.hpp>
#include <comcp/protocol/roots.hpp>
#include <comcp/protocol/sampling.hpp>
#include <comcp/protocol/tools.hpp>

namespace definitions {

/// `at` names the part of a whole message that the type covers; the rest of it is the envelope.
struct entry {
  std::string_view name;
  std::string_view at;
  comcp::result<std::string> (*again)(comcp::json::value const&);  // decoded and encoded
  std::span<std::string_view const> keys;
};

template <class T>
comcp::result<std::string> again(comcp::json::value const& v) {
  auto typed = v.get<T>();
  if (!typed) return typed.error();
  return comcp::json::to_text(*typed);
}

template <class T>
inline constexpr std::array<std::string_view, 0> keys_of = {};
template <comcp::json::described T>
inline constexpr auto keys_of<T> = comcp::json::keys<T>();

template <class T>
constexpr entry is(std::string_view name, std::string_view at = {}) {
  return {name, at, &again<T>, keys_of<T>};
}

inline auto all() {
  using namespace comcp;
  static constexpr entry table[] = {
      // content
      is<annotations>("Annotations"),
      is<resource>("Annotated"),
      is<annotations>("Annotated/annotations"),
      is<annotations>("EmbeddedResource/annotations"),
      is<annotations>("ImageContent/annotations"),
      is<annotations>("Resource/annotations"),
      is<annotations>("ResourceTemplate/annotations"),
      is<annotations>("TextContent/annotations"),
      is<icon>("Icon"),
      is<tool>("Icons"),
      is<tool>("BaseMetadata"),
      is<text_content>("TextContent"),
      is<image_content>("ImageContent"),
      is<audio_content>("AudioContent"),
      is<resource_link>("ResourceLink"),
      is<embedded_resource>("EmbeddedResource"),
      is<resource_contents>("ResourceContents"),
      is<resource_contents>("TextResourceContents"),
      is<resource_contents>("BlobResourceContents"),
      is<tool_use_content>("ToolUseContent"),
      is<tool_result_content>("ToolResultContent"),
      is<content_block>("ContentBlock"),
      is<sampling_message_content_block>("SamplingMessageContentBlock"),
      is<role>("Role"),
      // lifecycle and capabilities
      is<implementation>("Implementation"),
      is<initialize_params>("InitializeRequest", "params"),
      is<initialize_params>("InitializeRequestParams"),
      is<initialize_result>("InitializeResult"),
      is<initialized>("InitializedNotification", "params"),
      is<discover_result>("DiscoverResult"),
      is<discover_result>("DiscoverResultResponse", "result"),
      is<client_capabilities>("ClientCapabilities"),
      is<list_capability>("ClientCapabilities/roots"),
      is<sampling_capability>("ClientCapabilities/sampling"),
      is<elicitation_capability>("ClientCapabilities/elicitation"),
      is<tasks_capability>("ClientCapabilities/tasks"),
      is<server_capabilities>("ServerCapabilities"),
      is<list_capability>("ServerCapabilities/prompts"),
      is<list_capability>("ServerCapabilities/tools"),
      is<resources_capability>("ServerCapabilities/resources"),
      is<tasks_capability>("ServerCapabilities/tasks"),
      is<request_meta>("RequestMetaObject"),
      is<result_meta>("ResultMetaObject"),
      is<result_meta>("SubscriptionsListenResultMetaObject"),
      is<notification_meta>("NotificationMetaObject"),
      // tools
      is<tool>("Tool"),
      is<tool_annotations>("ToolAnnotations"),
      is<tool_execution>("ToolExecution"),
      is<paginated_params>("ListToolsRequest", "params"),
      is<list_tools_result>("ListToolsResult"),
      is<list_tools_result>("ListToolsResultResponse", "result"),
      is<call_tool_params>("CallToolRequest", "params"),
      is<call_tool_params>("CallToolRequestParams"),
      is<call_tool_result>("CallToolResult"),
      is<call_tool_result>("CallToolResultResponse", "result"),
      is<tools_list_changed>("ToolListChangedNotification", "params"),
      // pages and caching
      is<paginated_params>("PaginatedRequest", "params"),
      is<paginated_params>("PaginatedRequestParams"),
      is<list_tools_result>("PaginatedResult"),
      is<list_tools_result>("CacheableResult"),
      // resources
      is<resource>("Resource"),
      is<resource_template>("ResourceTemplate"),
      is<paginated_params>("ListResourcesRequest", "params"),
      is<list_resources_result>("ListResourcesResult"),
      is<list_resources_result>("ListResourcesResultResponse", "result"),
      is<paginated_params>("ListResourceTemplatesRequest", "params"),
      is<list_resource_templates_result>("ListResourceTemplatesResult"),
      is<list_resource_templates_result>("ListResourceTemplatesResultResponse", "result"),
      is<read_resource_params>("ReadResourceRequest", "params"),
      is<read_resource_params>("ReadResourceRequestParams"),
      is<read_resource_params>("ResourceRequestParams"),
      is<read_resource_result>("ReadResourceResult"),
      is<read_resource_result>("ReadResourceResultResponse", "result"),
      is<subscribe_params>("SubscribeRequest", "params"),
      is<subscribe_params>("SubscribeRequestParams"),
      is<unsubscribe_params>("UnsubscribeRequest", "params"),
      is<unsubscribe_params>("UnsubscribeRequestParams"),
      is<resources_list_changed>("ResourceListChangedNotification", "params"),
      is<resource_updated>("ResourceUpdatedNotification", "params"),
      is<resource_updated>("ResourceUpdatedNotificationParams"),
      // prompts and completion
      is<prompt>("Prompt"),
      is<prompt_argument>("PromptArgument"),
      is<prompt_message>("PromptMessage"),
      is<paginated_params>("ListPromptsRequest", "params"),
      is<list_prompts_result>("ListPromptsResult"),
      is<list_prompts_result>("ListPromptsResultResponse", "result"),
      is<get_prompt_params>("GetPromptRequest", "params"),
      is<get_prompt_params>("GetPromptRequestParams"),
      is<get_prompt_result>("GetPromptResult"),
      is<get_prompt_result>("GetPromptResultResponse", "result"),
      is<prompts_list_changed>("PromptListChangedNotification", "params"),
      is<prompt_reference>("PromptReference"),
      is<resource_template_reference>("ResourceReference"),
      is<resource_template_reference>("ResourceTemplateReference"),
      is<complete_params>("CompleteRequest", "params"),
      is<completion_argument>("CompleteRequest/params/argument"),
      is<completion_context>("CompleteRequest/params/context"),
      is<complete_params>("CompleteRequestParams"),
      is<completion_argument>("CompleteRequestParams/argument"),
      is<completion_context>("CompleteRequestParams/context"),
      is<complete_result>("CompleteResult"),
      is<completion>("CompleteResult/completion"),
      is<complete_result>("CompleteResultResponse", "result"),
      // sampling
      is<sampling_message>("SamplingMessage"),
      is<model_hint>("ModelHint"),
      is<model_preferences>("ModelPreferences"),
      is<tool_choice>("ToolChoice"),
      is<create_message_params>("CreateMessageRequest", "params"),
      is<create_message_params>("CreateMessageRequestParams"),
      is<create_message_result>("CreateMessageResult"),
      // elicitation
      is<elicit_params>("ElicitRequest", "params"),
      is<elicit_params>("ElicitRequestParams"),
      is<elicit_params>("ElicitRequestFormParams"),
      is<elicit_params>("ElicitRequestURLParams"),
      is<elicit_result>("ElicitResult"),
      is<elicitation_complete>("ElicitationCompleteNotification", "params"),
      is<string_schema>("StringSchema"),
      is<number_schema>("NumberSchema"),
      is<boolean_schema>("BooleanSchema"),
      is<untitled_single_select_enum_schema>("UntitledSingleSelectEnumSchema"),
      is<titled_single_select_enum_schema>("TitledSingleSelectEnumSchema"),
      is<titled_option>("TitledSingleSelectEnumSchema/oneOf"),
      is<legacy_titled_enum_schema>("LegacyTitledEnumSchema"),
      is<legacy_titled_enum_schema>("EnumSchema"),
      is<untitled_multi_select_enum_schema>("UntitledMultiSelectEnumSchema"),
      is<untitled_items>("UntitledMultiSelectEnumSchema/items"),
      is<titled_multi_select_enum_schema>("TitledMultiSelectEnumSchema"),
      is<titled_items>("TitledMultiSelectEnumSchema/items"),
      is<titled_option>("TitledMultiSelectEnumSchema/items/anyOf"),
      is<primitive_schema_definition>("PrimitiveSchemaDefinition"),
      is<primitive_schema_definition>("SingleSelectEnumSchema"),
      is<primitive_schema_definition>("MultiSelectEnumSchema"),
      // roots
      is<root>("Root"),
      is<list_roots_result>("ListRootsResult"),
      is<roots_list_changed>("RootsListChangedNotification", "params"),
      // logging, progress, cancelling
      is<log_level>("LoggingLevel"),
      is<set_level_params>("SetLevelRequest", "params"),
      is<set_level_params>("SetLevelRequestParams"),
      is<logging_message>("LoggingMessageNotification", "params"),
      is<logging_message>("LoggingMessageNotificationParams"),
      is<progress_token>("ProgressToken"),
      is<peer_id>("RequestId"),
      is<progress_notification>("ProgressNotification", "params"),
      is<progress_notification>("ProgressNotificationParams"),
      is<cancelled>("CancelledNotification", "params"),
      is<cancelled>("CancelledNotificationParams"),
      // rounds and subscriptions
      is<input_request>("InputRequest"),
      is<input_requests>("InputRequests"),
      is<json::value>("InputResponse"),
      is<input_responses>("InputResponses"),
      is<input_required_result>("InputRequiredResult"),
      is<call_tool_params>("InputResponseRequestParams"),
      is<subscription_filter>("SubscriptionFilter"),
      is<subscriptions_listen_params>("SubscriptionsListenRequest", "params"),
      is<subscriptions_listen_params>("SubscriptionsListenRequestParams"),
      is<subscriptions_listen_result>("SubscriptionsListenResult"),
      is<subscriptions_listen_result>("SubscriptionsListenResultResponse", "result"),
      is<subscriptions_acknowledged>("SubscriptionsAcknowledgedNotification", "params"),
      is<subscriptions_acknowledged>("SubscriptionsAcknowledgedNotificationParams"),
      // tasks
      is<task>("Task"),
      is<task_status>("TaskStatus"),
      is<task_metadata>("TaskMetadata"),
      is<related_task_metadata>("RelatedTaskMetadata"),
      is<call_tool_params>("TaskAugmentedRequestParams"),
      is<create_task_result>("CreateTaskResult"),
      is<task_params>("GetTaskRequest", "params"),
      is<task_params>("GetTaskPayloadRequest", "params"),
      is<task_params>("CancelTaskRequest", "params"),
      is<task>("GetTaskResult"),
      is<task>("CancelTaskResult"),
      is<paginated_params>("ListTasksRequest", "params"),
      is<list_tasks_result>("ListTasksResult"),
      is<task>("TaskStatusNotification", "params"),
      is<task>("TaskStatusNotificationParams"),
      // requests whose parameters are `_meta` alone
      is<paginated_params>("RequestParams"),
      is<paginated_params>("PingRequest", "params"),
      is<paginated_params>("DiscoverRequest", "params"),
      is<paginated_params>("ListRootsRequest", "params"),
      is<initialized>("NotificationParams"),
      // errors
      is<error_object>("Error"),
      is<error_object>("ParseError"),
      is<error_object>("InvalidRequestError"),
      is<error_object>("MethodNotFoundError"),
      is<error_object>("InvalidParamsError"),
      is<error_object>("InternalError"),
      is<error_object>("HeaderMismatchError", "error"),
      is<error_object>("MissingRequiredClientCapabilityError", "error"),
      is<missing_capability_data>("MissingRequiredClientCapabilityError/error/data"),
      is<error_object>("UnsupportedProtocolVersionError", "error"),
      is<unsupported_version_data>("UnsupportedProtocolVersionError/error/data"),
      is<error_object>("URLElicitationRequiredError", "error"),
      is<url_elicitation_required_data>("URLElicitationRequiredError/error/data"),
      is<error_object>("JSONRPCError", "error"),
      is<error_object>("JSONRPCErrorResponse", "error"),
  };
  return std::span<entry const>(table);
}

inline entry const* find(std::string_view name) {
  for (auto const& e : all()) {
    if (e.name == name) return &e;
  }
  return nullptr;
}


}  // namespace definitions
