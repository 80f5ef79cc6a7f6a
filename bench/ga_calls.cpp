// ga: what Global Arrays' names cost beside the calls of C++ that they make, one figure or more for
// each family of names. Names that have nothing beside them in C++ stand beside MPI or the C
// library.
#include "ga_calls.hpp"

namespace bench {

namespace {

// Of the usual time of a race: there are many figures, and none has to be exact to the percent.
constexpr double share_of_a_figure = 0.2;

Settings shortened(const Settings& settings) {
  Settings result = settings;
  result.share = share_of_a_figure;
  return result;
}

std::vector<Rival> rivals(const std::vector<Way>& ways, const std::vector<Samples>& samples) {
  std::vector<Rival> result;
  for (std::size_t i = 1; i < ways.size(); ++i) result.push_back({ways[i].name, samples[i]});
  return result;
}

}  // namespace

Calls::Calls(const Context& context)
    : settings_(shortened(context.settings)),
      context_{settings_, context.report, context.world, context.alone, context.processes} {}

std::vector<Samples> Calls::race_alone(const std::vector<Way>& ways) const {
  std::vector<Contender> contenders;
  for (const Way& one : ways) contenders.push_back({one.repeat});
  return race(settings_, contenders);
}

void Calls::alone(const std::string& figure, const std::vector<Way>& ways) {
  if (rank() == 0) {
    const auto samples = race_alone(ways);
    context_.report.latency(figure, samples[0], rivals(ways, samples));
  }
  world().barrier();
}

void Calls::alone(const std::string& figure, std::int64_t bytes, const std::vector<Way>& ways) {
  if (rank() == 0) {
    const auto samples = race_alone(ways);
    context_.report.bandwidth(figure, bytes, samples[0], rivals(ways, samples));
  }
  world().barrier();
}

void Calls::together(const std::string& figure, const std::vector<Way>& ways) {
  std::vector<Pair::Task> tasks;
  for (const Way& one : ways) tasks.push_back(one.repeat);
  Pair pair(world().communicator(), tasks);
  pair.run([&] {
    const auto samples = race(settings_, pair.contenders(), paired_batch);
    context_.report.latency(figure, samples[0], rivals(ways, samples));
  });
}

void ga_calls(Context& context) {
  GA_Initialize();
  Calls calls(context);
  for (const auto family :
       {ga_one_sided, ga_patches, ga_inquiries, ga_creation, ga_collective, ga_ghosts, ga_algebra,
        ga_matrices, ga_vectors, ga_ma, ga_tcgmsg, ga_armci, ga_files, ga_pointers}) {
    family(calls);
    context.world.sync();
  }
  GA_Terminate();
}

}  // namespace bench
