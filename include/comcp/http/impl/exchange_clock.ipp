// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/http/exchange_clock.hpp>

namespace comcp::http_detail {

COMCP_DECL error exchange_clock::why() const {
  if (why_ == errc::response_timeout) return error(why_, "no response began in time");
  if (why_ == errc::idle_timeout) return error(why_, "the response stopped coming");
  return error(why_, "the exchange took too long");
}

COMCP_DECL void exchange_clock::arm() {
  if (!alarm_) alarm_ = time_->make_deadline(on_);
  armed_ = due_;
  alarm_->arm(armed_, [this] { on_alarm(); });
}

COMCP_DECL void exchange_clock::on_alarm() {
  armed_ = time_point::max();
  if (due_ == time_point::max()) return;
  if (!is_due()) return arm();
  late_();  // this may be gone
}

}  // namespace comcp::http_detail
