// Threads that share rows of a tensor: as many as TensorFlow was told to take, asleep while there is nothing to do.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gondwana {

class ThreadPool {
 public:
  /** The threads live as long as the process. */
  static ThreadPool &instance() {
    static ThreadPool *pool = new ThreadPool(threadCount());
    return *pool;
  }

  int size() const { return size_; }

  /** Calls work(begin, end, part) for parts of [0, count), whose bounds follow from the number of parts alone. */
  void run(int64_t count, int parts, const std::function<void(int64_t, int64_t, int)> &work) {
    auto part = [&](int index) { work(count * index / parts, count * (index + 1) / parts, index); };
    if (parts <= 1) return part(0);
    std::lock_guard<std::mutex> one(turn_);  // engines of several JavaScript threads take turns
    {
      std::lock_guard<std::mutex> lock(mutex_);
      part_ = part;
      parts_ = parts;
      left_ = parts - 1;
      round_++;
    }
    start_.notify_all();
    part(0);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return left_ == 0; });
  }

 private:
  explicit ThreadPool(int size) : size_(size) {
    for (int index = 1; index < size; index++) std::thread([this, index] { serve(index); }).detach();
  }

  static int threadCount() {
    const char *wanted = std::getenv("TF_NUM_INTRAOP_THREADS");
    const int given = wanted ? std::atoi(wanted) : 0;
    const int count = given > 0 ? given : static_cast<int>(std::thread::hardware_concurrency());
    return count > 1 ? count : 1;
  }

  void serve(int index) {
    uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      start_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      if (index >= parts_) continue;
      const auto part = part_;
      lock.unlock();
      part(index);
      lock.lock();
      if (--left_ == 0) done_.notify_one();
    }
  }

  const int size_;
  std::mutex turn_, mutex_;
  std::condition_variable start_, done_;
  std::function<void(int)> part_;
  int parts_ = 0, left_ = 0;
  uint64_t round_ = 0;
};

/** Fewer values than this a thread are not worth waking it. */
constexpr int64_t kValuesAPart = 1 << 14;

/** How many threads share so many rows of so many values. */
inline int partsOf(int64_t rows, int64_t width) {
  int64_t parts = rows * width / kValuesAPart;
  if (parts > rows) parts = rows;
  if (parts > ThreadPool::instance().size()) parts = ThreadPool::instance().size();
  return parts > 1 ? static_cast<int>(parts) : 1;
}

}  // namespace gondwana
