// BlockPipeline: multiplies the steps that it is given in turn, each while the next one that must
// be fetched is under way. Steps that are at hand are multiplied at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "algebra/matrices/matmul_step.hpp"
#include "array/array_state.hpp"

namespace lagoon::atoll::detail {

/// What some steps have in common: their panels' rows and columns, and where the results go.
template <class T>
struct BlockTask {
  PanelSources sources;
  std::vector<Target<T>> targets;
};

template <BlasElement T>
class BlockPipeline {
 public:
  BlockPipeline(T alpha, bool prefetch) : alpha_(alpha), prefetch_(prefetch) {}

  void push(std::shared_ptr<const BlockTask<T>> task, Step step) {
    if (!step.fetches()) {
      multiply_step(task->sources, step, alpha_, T(1), task->targets);
      return;
    }
    fetched_bytes_ += fetched(step.a, task->sources.a) + fetched(step.b, task->sources.b);
    begin_fetch(task->sources, step, buffers_[turn_]);
    finish();
    pending_task_ = std::move(task);
    pending_ = std::move(step);
    turn_ = 1 - turn_;
    if (!prefetch_) finish();
  }
  /// Multiplies what is still under way.
  void finish() {
    if (!pending_task_) return;
    const PanelSources& sources = pending_task_->sources;
    end_fetch(sources, pending_, buffers_[1 - turn_]);
    multiply_step(sources, pending_, alpha_, T(1), pending_task_->targets);
    pending_task_.reset();
  }
  std::int64_t fetched_bytes() const noexcept { return fetched_bytes_; }

 private:
  static std::int64_t fetched(const Panel& panel, const PanelSource& source) {
    std::int64_t elements = 0;
    for (const PanelPiece& piece : panel.pieces)
      if (piece.data == nullptr) elements += piece.outer.size() * panel.k.size();
    return elements * static_cast<std::int64_t>(source.operand().array.state()->element_bytes);
  }

  T alpha_;
  bool prefetch_;
  std::int64_t fetched_bytes_ = 0;
  std::shared_ptr<const BlockTask<T>> pending_task_;  // whose fetch has begun; null: none
  Step pending_;
  StepBuffer buffers_[2];
  std::size_t turn_ = 0;  // the buffer of the next fetch
};

}  // namespace lagoon::atoll::detail
