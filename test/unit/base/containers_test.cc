// SPDX-License-Identifier: BSD-3-Clause
// Lists, pools, count spans, errors and copies.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/list.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/pool.h"
#include "ompi_lite/base/progress.h"

namespace ompi_lite {
namespace {

struct Item : ListNode {
  explicit Item(int n) : number(n) {}
  int number;
};

std::vector<int> numbers(List<Item>& list) {
  std::vector<int> found;
  for (Item& item : list) found.push_back(item.number);
  return found;
}

TEST_CASE("a list keeps order and gives up members from anywhere", "[base]") {
  List<Item> list;
  CHECK(list.empty());
  CHECK(list.pop_front() == nullptr);
  Item one(1), two(2), three(3), four(4);
  list.push_back(two);
  list.push_back(four);
  list.push_front(one);
  list.insert_before(four, three);
  CHECK(numbers(list) == std::vector<int>{1, 2, 3, 4});
  CHECK(list.size() == 4);
  CHECK(list.back() == &four);
  CHECK(list.after(two) == &three);
  CHECK(list.after(four) == nullptr);
  list.remove(three);
  CHECK(!three.linked());
  CHECK(numbers(list) == std::vector<int>{1, 2, 4});
  CHECK(list.pop_front() == &one);
  list.push_back(one);
  CHECK(numbers(list) == std::vector<int>{2, 4, 1});
}

TEST_CASE("a pool hands memory out again and destroys what comes back", "[base]") {
  static int alive = 0;
  struct Counted {
    explicit Counted(int n) : number(n) { ++alive; }
    ~Counted() { --alive; }
    int number;
  };
  Pool<Counted, 4> pool;
  std::vector<Counted*> taken;
  for (int i = 0; i < 10; ++i) taken.push_back(pool.take(i));
  CHECK(alive == 10);
  CHECK(pool.taken() == 10);
  for (int i = 0; i < 10; ++i) CHECK(taken[static_cast<std::size_t>(i)]->number == i);
  Counted* last = taken.back();
  pool.give_back(last);
  CHECK(alive == 9);
  CHECK(pool.take(11) == last);
  for (Counted* each : taken) pool.give_back(each);
  CHECK(alive == 0);
}

TEST_CASE("a count span reads both widths", "[base]") {
  int narrow[] = {1, -2, 3};
  std::int64_t wide[] = {Count{1} << 40, -5};
  CountSpan a(narrow), b(wide, 2), none;
  CHECK(a[1] == -2);
  CHECK(b[Count{0}] == Count{1} << 40);
  CHECK(b[1u] == -5);
  CHECK(b.size() == 2);
  CHECK(static_cast<bool>(a));
  CHECK(!none);
}

TEST_CASE("an error carries class and sentence, and may be made from the last one", "[base]") {
  CHECK(!Error{});
  Error first = make_error(ErrorClass::rank, "rank %d of %d", 7, 4);
  CHECK(first);
  CHECK(first.code() == 6);
  CHECK(std::string(first.sentence()) == "rank 7 of 4");
  Error second = make_error(first.error_class(), "send: %s", first.sentence());
  CHECK(std::string(second.sentence()) == "send: rank 7 of 4");
  Error cut = make_error(ErrorClass::other, "%s", std::string(2000, 'x').c_str());
  CHECK(std::string(cut.sentence()).size() == 511);
}

TEST_CASE("every copy kernel copies every size and alignment, and nothing else", "[base]") {
  std::vector<unsigned char> from(20000), to(20000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 + (i >> 8));
  std::vector<os::CopyKernel> kernels{copy_large, os::copy_kernel_128()};
  for (os::CopyKernel more : {os::copy_kernel_256(), os::copy_kernel_512()}) {
    if (more) kernels.push_back(more);
  }
  int wrong = 0;
  for (os::CopyKernel kernel : kernels) {
    for (std::size_t bytes : {64u, 65u, 127u, 128u, 129u, 191u, 192u, 255u, 513u, 1000u, 4096u, 9999u}) {
      for (std::size_t shift_to : {0u, 1u, 16u, 63u}) {
        for (std::size_t shift_from : {0u, 3u, 16u, 24u}) {
          std::fill(to.begin(), to.end(), static_cast<unsigned char>(0xaa));
          kernel(to.data() + 64 + shift_to, from.data() + shift_from, bytes);
          for (std::size_t i = 0; i < bytes + 128; ++i) {
            std::size_t at = 64 + shift_to - 64 + i;
            bool inside = i >= 64 && i < 64 + bytes;
            unsigned char right = inside ? from[shift_from + i - 64] : 0xaa;
            wrong += to[at] != right;
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("progress turns every poller and forgets those removed", "[base]") {
  struct Counter {
    int calls = 0;
    bool busy = false;
  } a, b;
  auto poll = [](void* context) {
    auto* counter = static_cast<Counter*>(context);
    ++counter->calls;
    return counter->busy;
  };
  Progress progress;
  progress.add({poll, &a});
  progress.add({poll, &b});
  CHECK(!progress.turn());
  a.busy = true;
  CHECK(progress.turn());
  progress.remove(&a);
  CHECK(!progress.turn());
  CHECK(a.calls == 2);
  CHECK(b.calls == 3);
}

}  // namespace
}  // namespace ompi_lite
