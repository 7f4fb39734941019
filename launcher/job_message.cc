// SPDX-License-Identifier: BSD-3-Clause
// Writing and reading, field by field in the same order.
#include "launcher/job_message.h"

#include <algorithm>

#include "launcher/message.h"

namespace ompi_lite::launcher {
namespace {

bool travels(const AppSpec& app, const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('='));
  return !belongs_to_host(name) || std::ranges::find(app.named, name) != app.named.end();
}

void put_app(const AppSpec& app, Writer& writer) {
  std::vector<std::string> entries;
  for (const std::string& entry : app.environment.entries()) {
    if (travels(app, entry)) entries.push_back(entry);
  }
  writer.put(app.argv).put(std::string_view(app.working_folder)).put(entries).put(app.gets_all).put(app.named);
}

AppSpec get_app(Reader& reader) {
  AppSpec app;
  reader.get(app.argv);
  reader.get(app.working_folder);
  for (const std::string& entry : reader.next<std::vector<std::string>>()) app.environment.add(entry);
  reader.get(app.gets_all);
  reader.get(app.named);
  return app;
}

bool belongs_together(const JobSpec& spec) {
  const auto within = [](const std::vector<int>& numbers, std::size_t count) {
    return std::ranges::all_of(numbers, [&](int number) { return number >= 0 && static_cast<std::size_t>(number) < count; });
  };
  return spec.app_of_rank.size() == spec.host_of_rank.size() &&
         (spec.rank_slots.empty() || spec.rank_slots.size() == spec.app_of_rank.size()) &&
         within(spec.app_of_rank, spec.apps.size()) && within(spec.host_of_rank, spec.hosts.size()) && spec.fan_out > 0 &&
         std::ranges::none_of(spec.apps, [](const AppSpec& app) { return app.argv.empty(); });
}

}  // namespace

std::string encode_job(const JobSpec& spec) {
  Writer writer;
  writer.put(std::string_view(spec.name)).put(std::string_view(spec.secret)).put(spec.hosts);
  writer.put(static_cast<std::uint64_t>(spec.apps.size()));
  for (const AppSpec& app : spec.apps) put_app(app, writer);
  writer.put(spec.app_of_rank).put(spec.host_of_rank).put(spec.universe_size);
  writer.put(std::string_view(spec.folder)).put(std::string_view(spec.search_path));
  writer.put(spec.bind_to).put(spec.map_by).put(spec.stdin_target.all).put(spec.stdin_target.rank);
  writer.put(std::string_view(spec.output_name)).put(spec.report_hang_seconds);
  writer.put(spec.report_bindings).put(spec.allow_other_mpi).put(spec.verbose);
  writer.put(std::string_view(spec.rank_file)).put(spec.rank_slots);
  writer.put(spec.agent).put(spec.agent_tail).put(std::string_view(spec.daemon)).put(spec.fan_out);
  writer.put(spec.start_seconds).put(spec.silent_seconds);
  return writer.take();
}

bool decode_job(std::string_view body, JobSpec& spec) {
  Reader reader(body);
  reader.get(spec.name);
  reader.get(spec.secret);
  reader.get(spec.hosts);
  const auto apps = reader.next<std::uint64_t>();
  for (std::uint64_t i = 0; i < apps && reader.good(); ++i) spec.apps.push_back(get_app(reader));
  reader.get(spec.app_of_rank);
  reader.get(spec.host_of_rank);
  reader.get(spec.universe_size);
  reader.get(spec.folder);
  reader.get(spec.search_path);
  reader.get(spec.bind_to);
  reader.get(spec.map_by);
  reader.get(spec.stdin_target.all);
  reader.get(spec.stdin_target.rank);
  reader.get(spec.output_name);
  reader.get(spec.report_hang_seconds);
  reader.get(spec.report_bindings);
  reader.get(spec.allow_other_mpi);
  reader.get(spec.verbose);
  reader.get(spec.rank_file);
  reader.get(spec.rank_slots);
  reader.get(spec.agent);
  reader.get(spec.agent_tail);
  reader.get(spec.daemon);
  reader.get(spec.fan_out);
  reader.get(spec.start_seconds);
  reader.get(spec.silent_seconds);
  return reader.good() && belongs_together(spec);
}

void add_variables_of_host(const Environment& own, JobSpec& spec) {
  for (AppSpec& app : spec.apps) {
    if (!app.gets_all) continue;
    for (const std::string& entry : own.entries()) {
      const std::size_t equals = entry.find('=');
      const std::string name = entry.substr(0, equals);
      if (belongs_to_host(name) && app.environment.get(name) == nullptr) {
        app.environment.set(name, std::string_view(entry).substr(equals + 1));
      }
    }
  }
}

std::string encode_event(const RankEvent& event, pid_t pid) {
  Writer writer;
  writer.put(event.news).put(event.rank).put(event.abort_code).put(std::string_view(event.abort_text)).put(pid);
  return writer.take();
}

bool decode_event(std::string_view body, RankEvent& event, pid_t& pid) {
  Reader reader(body);
  reader.get(event.news);
  reader.get(event.rank);
  reader.get(event.abort_code);
  reader.get(event.abort_text);
  reader.get(pid);
  return reader.good();
}

std::string encode_end(const RankEnd& end, bool aborted) {
  Writer writer;
  writer.put(end.rank).put(end.pid).put(end.by_signal).put(end.code).put(end.connected).put(end.ever_connected);
  writer.put(std::string_view(end.last_call)).put(aborted);
  return writer.take();
}

bool decode_end(std::string_view body, RankEnd& end, bool& aborted) {
  Reader reader(body);
  reader.get(end.rank);
  reader.get(end.pid);
  reader.get(end.by_signal);
  reader.get(end.code);
  reader.get(end.connected);
  reader.get(end.ever_connected);
  reader.get(end.last_call);
  reader.get(aborted);
  return reader.good();
}

}  // namespace ompi_lite::launcher
