// Figures: conversion from samples, the lines on the terminal, the JSON file.
#include "report.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace bench {

namespace {

// A figure whose values come from seconds by `convert` (best seconds give the best value).
template <class Convert>
Figure figure_of(const std::string& name, const std::string& unit, const Samples& ours,
                 const std::vector<Rival>& rivals, Convert&& convert) {
  Figure figure{name, unit, convert(ours.best()), convert(ours.median()), {}};
  for (const Rival& rival : rivals)
    figure.peers.push_back(
        {rival.name, convert(rival.samples.best()), convert(rival.samples.median())});
  return figure;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string values(double best, double median) {
  return "\"best\": " + number(best) + ", \"median\": " + number(median);
}

}  // namespace

void Report::latency(const std::string& name, const Samples& ours,
                     const std::vector<Rival>& rivals) {
  add(figure_of(name, "us", ours, rivals, [](double seconds) { return seconds * 1e6; }));
}

void Report::bandwidth(const std::string& name, std::int64_t bytes, const Samples& ours,
                       const std::vector<Rival>& rivals) {
  add(figure_of(name, "GB/s", ours, rivals,
                [bytes](double seconds) { return static_cast<double>(bytes) / seconds * 1e-9; }));
}

void Report::rate(const std::string& name, double operations, const Samples& ours,
                  const std::vector<Rival>& rivals) {
  add(figure_of(name, "M/s", ours, rivals,
                [operations](double seconds) { return operations / seconds * 1e-6; }));
}

void Report::add(Figure figure) {
  std::printf("%-44s %9.4g %s (median %.4g)", figure.name.c_str(), figure.best, figure.unit.c_str(),
              figure.median);
  for (const Peer& peer : figure.peers)
    std::printf("; %s %.4g (%.4g)", peer.name.c_str(), peer.best, peer.median);
  std::printf("\n");
  std::fflush(stdout);
  figures_.push_back(std::move(figure));
}

void Report::write_json(const std::string& path, const std::string& setting) const {
  std::ofstream file(path);
  file << "{\"setting\": " << quoted(setting) << ", \"figures\": [";
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    const Figure& figure = figures_[i];
    file << (i == 0 ? "\n" : ",\n") << "{\"name\": " << quoted(figure.name)
         << ", \"unit\": " << quoted(figure.unit) << ", " << values(figure.best, figure.median)
         << ", \"peers\": [";
    for (std::size_t j = 0; j < figure.peers.size(); ++j) {
      const Peer& peer = figure.peers[j];
      file << (j == 0 ? "" : ", ") << "{\"name\": " << quoted(peer.name) << ", "
           << values(peer.best, peer.median) << "}";
    }
    file << "]}";
  }
  file << "\n]}\n";
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
