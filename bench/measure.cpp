// The race: calibration of batch lengths, rotation, samples.
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace bench {

Samples::Samples(std::vector<double> seconds) : seconds_(std::move(seconds)) {
  std::ranges::sort(seconds_);
}

double Samples::median() const {
  const std::size_t n = seconds_.size();
  return n % 2 == 1 ? seconds_[n / 2] : 0.5 * (seconds_[n / 2 - 1] + seconds_[n / 2]);
}

Samples Samples::scaled(double factor) const {
  Samples result = *this;
  for (double& seconds : result.seconds_) seconds *= factor;
  return result;
}

namespace {

constexpr int most_repeats = 500;

double time_batch(const Contender& contender, std::int64_t iterations) {
  if (contender.before) contender.before(iterations);
  const double start = now();
  contender.run(iterations);
  const double seconds = now() - start;
  if (contender.after) contender.after();
  return seconds;
}

// The number of iterations that lasts about `batch` seconds.
std::int64_t calibrate(const Contender& contender, double batch) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  std::int64_t iterations = 1;
  for (;;) {
    const double seconds = time_batch(contender, iterations);
    if (seconds >= 0.5 * batch || iterations >= most) {
      const double scale = batch / std::max(seconds, 1e-9);
      return std::max<std::int64_t>(
          1, static_cast<std::int64_t>(std::llround(static_cast<double>(iterations) * scale)));
    }
    const double growth = std::clamp(batch / std::max(seconds, 1e-9), 2.0, 10.0);
    iterations = static_cast<std::int64_t>(static_cast<double>(iterations) * growth);
  }
}

}  // namespace

std::vector<Samples> race(const Settings& settings, const std::vector<Contender>& contenders,
                          double batch) {
  std::vector<std::int64_t> iterations;
  for (const Contender& contender : contenders) iterations.push_back(calibrate(contender, batch));
  std::vector<std::vector<double>> times(contenders.size());
  const auto count = contenders.size();
  const int fewest = settings.quick ? 5 : 11;
  const double start = now();
  const double usual = (settings.quick ? 0.05 : 0.5) * static_cast<double>(count);
  const double end = start + settings.share * usual;
  // Over a slow network a batch takes seconds, and comes out the same every time.
  const double late = start + (settings.quick ? 0.2 : 2.0) * static_cast<double>(count);
  const auto enough = [&](int repeat) {
    if (now() > late) return repeat >= 3;
    return repeat >= fewest && (repeat >= most_repeats || now() > end);
  };
  for (int repeat = 0; !enough(repeat); ++repeat) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      std::size_t i = (turn + static_cast<std::size_t>(repeat)) % count;
      if (repeat % 2 == 1) i = count - 1 - i;
      const double seconds = time_batch(contenders[i], iterations[i]);
      times[i].push_back(seconds / static_cast<double>(iterations[i]));
    }
  }
  std::vector<Samples> samples;
  for (std::vector<double>& seconds : times) samples.emplace_back(std::move(seconds));
  return samples;
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes >= (1 << 20) && bytes % (1 << 20) == 0) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= (1 << 10) && bytes % (1 << 10) == 0) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

}  // namespace bench
