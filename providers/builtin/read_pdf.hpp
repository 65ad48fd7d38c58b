// The text of a PDF document, by pdftotext (poppler-utils) where it is
// installed.
#pragma once

#include <memory>

#include "providers/builtin/read_output.hpp"
#include "providers/execution.hpp"

namespace toolhost::builtin {

inline constexpr std::size_t kMaxPdfBytes = 32U << 20;
inline constexpr std::size_t kMaxPdfText = 16U << 20;
inline constexpr std::chrono::seconds kPdfTime{20};

// The bytes go through a pipe, so that what is converted is the file that was
// opened. A missing pdftotext, a password, too many bytes and too long a time
// are failures that say so.
Task<ToolOutput> read_pdf(std::shared_ptr<ReadJob> job,
                          const ExecutionContext& context);

}  // namespace toolhost::builtin
