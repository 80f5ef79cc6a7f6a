// Draws the Mandelbrot set with dynamic load balancing: rows differ a lot in cost, so each rank
// takes the next row from a shared Counter when it is free, and puts the finished row into a
// global array. Nobody waits for anybody until the picture is complete.
//
//   mpiexec -n 4 mandelbrot [ROWS]
#include <atoll/atoll.hpp>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int most_steps = 1000;

std::int32_t steps_to_escape(std::complex<double> c) {
  std::complex<double> z = 0;
  for (int step = 0; step < most_steps; ++step) {
    if (std::norm(z) > 4) return step;
    z = z * z + c;
  }
  return most_steps;
}

std::vector<std::int32_t> compute_row(std::int64_t row, std::int64_t rows, std::int64_t columns) {
  std::vector<std::int32_t> steps;
  const double y = -1.2 + 2.4 * (static_cast<double>(row) + 0.5) / static_cast<double>(rows);
  for (std::int64_t column = 0; column < columns; ++column) {
    const double x = -2.2 + 3.0 * static_cast<double>(column) / static_cast<double>(columns);
    steps.push_back(steps_to_escape({x, y}));
  }
  return steps;
}

void draw(const atoll::Array<std::int32_t>& picture) {
  constexpr std::string_view shades = " .:-=+*#%";
  const std::int64_t rows = picture.shape()[0];
  const std::int64_t columns = picture.shape()[1];
  std::vector<std::int32_t> steps(static_cast<std::size_t>(columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    picture.get({{row, 0}, {row + 1, columns}}, steps.data());  // wherever the row lives
    std::string line;
    for (const std::int32_t n : steps)
      line += n == most_steps ? '@' : shades[static_cast<std::size_t>(n) % shades.size()];
    std::cout << line << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  atoll::World world(argc, argv);
  const std::int64_t rows = argc > 1 ? std::atoi(argv[1]) : 24;
  const std::int64_t columns = 3 * rows;

  atoll::Array<std::int32_t> picture(world, {rows, columns});
  atoll::Counter tasks(world);
  for (std::int64_t row = tasks.next(); row < rows; row = tasks.next()) {
    const std::vector<std::int32_t> steps = compute_row(row, rows, columns);
    picture.put({{row, 0}, {row + 1, columns}}, steps.data());
  }
  world.sync();

  const atoll::Scalar total = atoll::sum(picture);
  if (world.rank() == 0) {
    draw(picture);
    std::cout << "steps in all: " << total.as<std::int64_t>() << '\n';
  }
  world.barrier();
  return 0;
}
