// SPDX-License-Identifier: BSD-3-Clause
// The text of the knob `coll`: items OPERATION[:SIZES][@RANKS]=ALGORITHM[:PARAMETER], separated by commas.
#include "coll/forced.h"

#include <algorithm>
#include <string>

#include "coll/select.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::coll {

namespace {

// A whole number, with k or m behind it for powers of 1024; -1: it is none.
Count parse_number(std::string_view text) {
  Count value = 0, unit = 1;
  if (!text.empty() && (text.back() == 'k' || text.back() == 'K')) unit = 1 << 10;
  if (!text.empty() && (text.back() == 'm' || text.back() == 'M')) unit = 1 << 20;
  if (unit > 1) text.remove_suffix(1);
  if (text.empty() || text.size() > 12) return -1;
  for (char digit : text) {
    if (digit < '0' || digit > '9') return -1;
    value = value * 10 + (digit - '0');
  }
  return value * unit;
}

Error parse_parameter(const char* operation, const AlgorithmRow& row, std::string_view text, Choice& choice) {
  const ParameterRange& range = row.parameter;
  if (range.name == nullptr) return make_error(ErrorClass::arg, "coll: %s=%s takes no parameter", operation, row.name);
  choice.parameter = parse_number(text);
  if (choice.parameter >= range.least && choice.parameter <= range.most) return {};
  return make_error(ErrorClass::arg, "coll: %s=%s:%.*s: the %s is a number from %lld to %lld", operation, row.name,
                    static_cast<int>(text.size()), text.data(), range.name, static_cast<long long>(range.least),
                    static_cast<long long>(range.most));
}

// The small slots of a node are called by what they do, too.
const char* usual_name(const std::string& name) { return name == "oneshot" ? "node" : name.c_str(); }

// The word before the first `mark`; takes both away from the text.
std::string_view take_word(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return word;
}

}  // namespace

// "64-4k", "64-", "-4k", "64".
Error ForcedAlgorithms::parse_range(std::string_view text, Range& range) {
  const std::size_t dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : text.substr(dash + 1);
  Range wanted;
  if (!first.empty()) wanted.least = parse_number(first);
  if (!last.empty()) wanted.most = parse_number(last);
  if (wanted.least < 0 || wanted.most < wanted.least || (first.empty() && last.empty()))
    return make_error(ErrorClass::arg, "\"%.*s\" is no range: write 64, 64-4k, 64- or -4k", static_cast<int>(text.size()),
                      text.data());
  range = wanted;
  return {};
}

// "p<=16", "p>=4", "p<16", "p>4", "p=8", "p=4-16".
Error ForcedAlgorithms::parse_ranks(std::string_view text, Range& range) {
  const auto wrong = [&] {
    return make_error(ErrorClass::arg, "\"%.*s\" is no number of ranks: write p<=16, p>=4, p<16, p>4, p=8 or p=4-16",
                      static_cast<int>(text.size()), text.data());
  };
  if (text.size() < 3 || text[0] != 'p') return wrong();
  const char way = text[1];
  if (way == '=') {
    if (parse_range(text.substr(2), range)) return wrong();
    return {};
  }
  if (way != '<' && way != '>') return wrong();
  const bool equal = text[2] == '=';
  const Count number = parse_number(text.substr(equal ? 3 : 2));
  if (number < 0) return wrong();
  if (way == '<') range.most = equal ? number : number - 1;
  if (way == '>') range.least = equal ? number : number + 1;
  return {};
}

Error ForcedAlgorithms::parse_item(std::string_view item) {
  const auto table = operation_table();
  const std::size_t equals = item.rfind('=');  // "p<=16" has one too
  std::string_view calls = item.substr(0, equals);
  std::string_view wanted = equals == std::string_view::npos ? "" : item.substr(equals + 1);
  std::string_view ranks = calls;
  calls = take_word(ranks, '@');
  std::string_view sizes = calls;
  const std::string operation(take_word(sizes, ':'));
  const auto row = std::ranges::find(table, operation, &OperationRow::name);
  if (row == table.end()) {
    return make_error(ErrorClass::arg, "coll: no operation is named \"%s\"; known are %s", operation.c_str(),
                      list_names(table, [](const OperationRow& each) { return each.name; }).c_str());
  }
  Rule rule{row->operation, {}, {}, {}};
  const bool for_some = calls.size() != operation.size() || calls.size() != item.substr(0, equals).size();
  const auto in_item = [&](const Error& error) {
    return make_error(ErrorClass::arg, "coll: %.*s: %s", static_cast<int>(item.size()), item.data(), error.sentence());
  };
  if (calls.size() != operation.size()) {
    if (Error error = parse_range(sizes, rule.bytes)) return in_item(error);
  }
  if (calls.size() != item.substr(0, equals).size()) {
    if (Error error = parse_ranks(ranks, rule.ranks)) return in_item(error);
  }
  const bool has_parameter = wanted.find(':') != std::string_view::npos;
  const std::string name(take_word(wanted, ':'));
  const auto algorithm = std::ranges::find(row->algorithms, std::string_view(usual_name(name)), &AlgorithmRow::name);
  if (algorithm == row->algorithms.end()) {
    return make_error(ErrorClass::arg, "coll: %s has no algorithm \"%s\"; known are %s", operation.c_str(), name.c_str(),
                      list_names(row->algorithms, [](const AlgorithmRow& each) { return each.name; }).c_str());
  }
  rule.choice = {algorithm->number, 0};
  if (has_parameter) OL_TRY(parse_parameter(row->name, *algorithm, wanted, rule.choice));
  if (for_some) {
    some_.push_back(rule);
    return {};
  }
  std::erase_if(some_, [&](const Rule& each) { return each.operation == rule.operation; });
  all_[static_cast<std::size_t>(rule.operation)] = rule.choice;
  return {};
}

Choice ForcedAlgorithms::of_some(const Question& question) const {
  const auto fits = [&](const Rule& rule) {
    return rule.operation == question.operation && rule.bytes.has(question.bytes) && rule.ranks.has(question.ranks);
  };
  const auto found = std::find_if(some_.rbegin(), some_.rend(), fits);
  return found != some_.rend() ? found->choice : all_[static_cast<std::size_t>(question.operation)];
}

Result<ForcedAlgorithms> parse_forced(std::string_view text) {
  ForcedAlgorithms forced;
  while (!text.empty()) {
    const std::string_view item = take_word(text, ',');
    if (item.empty()) continue;
    if (Error error = forced.parse_item(item)) return error;
  }
  return forced;
}

}  // namespace ompi_lite::coll
