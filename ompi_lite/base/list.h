// SPDX-License-Identifier: BSD-3-Clause
// An intrusive doubly linked list: no allocation, O(1) removal from the middle.
#pragma once

#include <cstddef>

namespace ompi_lite {

// A list member derives from this. A node is in one list at most; its destructor does not unlink it.
struct ListNode {
  ListNode* next = nullptr;
  ListNode* previous = nullptr;
  bool linked() const { return next != nullptr; }
};

// The list does not own its members. T derives from ListNode (from a distinct base per list if it is in several).
template <class T, class Node = ListNode>
class List {
 public:
  List() { clear(); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  bool empty() const { return head_.next == &head_; }
  std::size_t size() const { return size_; }
  T* front() { return empty() ? nullptr : member(head_.next); }
  T* back() { return empty() ? nullptr : member(head_.previous); }

  void push_back(T& item) { link(head_.previous, static_cast<Node&>(item)); }
  void push_front(T& item) { link(&head_, static_cast<Node&>(item)); }
  void insert_before(T& place, T& item) { link(static_cast<Node&>(place).previous, static_cast<Node&>(item)); }

  void remove(T& item) {
    Node& node = static_cast<Node&>(item);
    node.previous->next = node.next;
    node.next->previous = node.previous;
    node.next = node.previous = nullptr;
    --size_;
  }

  T* pop_front() {
    T* first = front();
    if (first) remove(*first);
    return first;
  }

  // The member after this one, or null. Take it before removing this one.
  T* after(T& item) {
    auto* next = static_cast<Node&>(item).next;
    return next == &head_ ? nullptr : member(next);
  }

  // Forgets all members without touching them.
  void clear() {
    head_.next = head_.previous = &head_;
    size_ = 0;
  }

  class Iterator {
   public:
    explicit Iterator(ListNode* at) : at_(at) {}
    T& operator*() const { return *member(at_); }
    T* operator->() const { return member(at_); }
    Iterator& operator++() {
      at_ = at_->next;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    ListNode* at_;
  };
  Iterator begin() { return Iterator(head_.next); }
  Iterator end() { return Iterator(&head_); }

 private:
  static T* member(ListNode* node) { return static_cast<T*>(static_cast<Node*>(node)); }

  void link(ListNode* place, Node& node) {
    node.previous = place;
    node.next = place->next;
    place->next->previous = &node;
    place->next = &node;
    ++size_;
  }

  ListNode head_;
  std::size_t size_ = 0;
};

}  // namespace ompi_lite
