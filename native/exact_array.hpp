// Array arguments that are taken as they are or not at all.
//
// nanobind would otherwise copy an array of another type, order of bytes or layout, or a read-only one where the function
// writes: the kernel would then work on the copy, and the caller's array would not change. The Python functions that call it convert, once.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>

namespace tagfield {

template <class Array> struct Exact : Array {
  using Array::Array;
  Exact() = default;
  Exact(const Array& array) : Array(array) {}
};

}  // namespace tagfield

namespace nanobind::detail {

template <class Array> struct type_caster<tagfield::Exact<Array>> {
  NB_TYPE_CASTER(tagfield::Exact<Array>, make_caster<Array>::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Array> caster;
    const auto exactly = static_cast<std::uint8_t>(flags & ~static_cast<std::uint8_t>(cast_flags::convert));
    if (!caster.from_python(source, exactly, cleanup)) return false;
    value = tagfield::Exact<Array>(caster.value);
    return true;
  }
  static handle from_cpp(const tagfield::Exact<Array>& array, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<Array>::from_cpp(array, policy, cleanup);
  }
};

}  // namespace nanobind::detail
