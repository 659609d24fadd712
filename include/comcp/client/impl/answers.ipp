// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/answers.hpp>
#include <comcp/client/validation_plan.hpp>
#include <comcp/protocol/elicitation.hpp>
#include <comcp/protocol/roots.hpp>
#include <comcp/schema/elicitation.hpp>

namespace comcp::detail {

COMCP_DECL result<json::fragment> complete_elicitation(context const& ctx, json::view request,
                                                       json::fragment const& answered) {
  auto const parsed = json::parse(answered.text());
  if (!parsed) return parsed.error();
  auto answer = parsed->get<elicit_result>();
  if (!answer) return answer.error();
  auto const mode = request.find("mode");
  if (answer->action != elicit_action::accept || (mode && mode->get_string() == "url")) {
    answer->content = json::value();
    return json::fragment::of(*answer);
  }
  auto const asked = request.find("requestedSchema");
  if (!asked) return json::fragment::of(*answer);
  if (answer->content.is_null()) answer->content = json::parse("{}").value();
  auto filled = fill_defaults(*asked, answer->content.view());
  if (!filled) return filled.error();
  auto const* const plan = ctx.validation_.get();
  auto const ok = plan ? plan->check_answer(*asked, filled->view()) : check_content(*asked, filled->view());
  if (!ok) {
    auto const& why = ok.error();
    if (plan && plan->only_warns_of_answers()) {
      ctx.fault(why);
    } else if (why == errc::validation_failed || why == errc::limit_exceeded) {
      return why;
    } else {  // it is the question that is wrong
      return error::from_peer({-32602, "Invalid params: requestedSchema: " + std::string(why.message()), {}});
    }
  }
  answer->content = std::move(*filled);
  return json::fragment::of(*answer);
}

COMCP_DECL result<void> check_roots(json::fragment const& answered) {
  auto const parsed = json::parse(answered.text());
  auto const list = parsed ? parsed->get<list_roots_result>() : result<list_roots_result>(parsed.error());
  if (!list) return list.error();
  for (auto const& r : list->roots) {
    if (auto ok = check_root(r); !ok) return ok;
  }
  return {};
}

}  // namespace comcp::detail
