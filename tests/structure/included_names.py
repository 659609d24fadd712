# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""included_names.py ROOT: who uses a name of the standard library or of Asio includes its header.

Itself, or by way of comcp's own headers: that another library happens to include it does not count. So a header stands
alone with every version of those, and headers_alone.py may read Asio precompiled. A name that is not listed here is a
failure too.
"""
import pathlib
import re
import sys

# Headers of the standard library, and what of each is used.
STANDARD = """
algorithm: adjacent_find any_of all_of binary_search clamp copy copy_if copy_n count count_if equal equal_range erase_if fill fill_n find includes
  find_if find_if_not for_each is_sorted lexicographical_compare lower_bound max max_element min min_element minmax mismatch
  none_of partition remove remove_if replace reverse rotate search sort stable_sort swap_ranges transform unique upper_bound
array: array to_array
atomic: atomic atomic_flag memory_order_acq_rel memory_order_acquire memory_order_relaxed memory_order_release
bit: bit_cast bit_ceil bit_width countl_zero countr_zero endian has_single_bit popcount rotl rotr
cctype: isalnum isdigit
charconv: chars_format from_chars from_chars_result to_chars
chrono: chrono chrono_literals
cmath: abs fabs floor isfinite isnan ldexp pow signbit trunc
compare: partial_ordering strong_ordering weak_ordering
concepts: constructible_from convertible_to copy_constructible copyable default_initializable derived_from
  equality_comparable floating_point integral invocable move_constructible same_as signed_integral unsigned_integral
condition_variable: condition_variable
coroutine: coroutine_handle suspend_always suspend_never
cstdint: int16_t int32_t int64_t int8_t uint16_t uint32_t uint64_t uint8_t uintptr_t
cstdio: FILE fclose fopen fprintf fputs fread fwrite printf remove rename snprintf
cstdlib: abort abs atoi free getenv malloc realloc strtod strtoull
cstring: memchr memcmp memcpy memmove memset strcmp strlen strncmp
ctime: gmtime strftime time_t tm
deque: deque
exception: current_exception exception exception_ptr make_exception_ptr rethrow_exception terminate
filesystem: filesystem
fstream: ifstream ofstream
functional: equal_to function greater hash invoke less plus ref reference_wrapper
future: future promise
initializer_list: initializer_list
iosfwd: ostream
iterator: advance back_inserter begin data distance end forward_iterator_tag input_iterator_tag istreambuf_iterator
  make_move_iterator next prev size ssize
limits: numeric_limits
list: list
map: erase_if map multimap
memory: addressof allocate_shared allocator allocator_traits construct_at destroy_at enable_shared_from_this make_shared make_unique
  make_unique_for_overwrite owner_less shared_ptr static_pointer_cast unique_ptr weak_ptr
mutex: call_once lock_guard mutex once_flag scoped_lock unique_lock
new: align_val_t bad_alloc bad_array_new_length launder nothrow
numeric: accumulate iota
optional: in_place in_place_t nullopt nullopt_t optional
queue: priority_queue queue
random: minstd_rand mt19937 mt19937_64 random_device uniform_int_distribution
  uniform_random_bit_generator uniform_real_distribution
ranges: ranges
set: erase_if multiset set
shared_mutex: shared_lock shared_mutex
span: as_bytes span
sstream: istringstream ostringstream
stdexcept: invalid_argument length_error logic_error out_of_range runtime_error
stop_token: stop_callback stop_source stop_token
string: erase hash stoi stoul stoull string to_string to_wstring u16string u32string wstring
string_view: hash string_view u16string_view u32string_view wstring_view
system_error: errc error_category error_code error_condition generic_category is_error_code_enum
  is_error_condition_enum make_error_code system_category system_error
thread: jthread this_thread thread
tuple: apply forward_as_tuple get ignore make_tuple tie tuple tuple_element tuple_size tuple_size_v
typeinfo: type_info
unordered_map: unordered_map
unordered_set: unordered_set
utility: as_const cmp_less declval exchange forward get in_place in_place_type in_place_type_t index_sequence
  index_sequence_for make_index_sequence make_pair move pair swap tuple_element tuple_size
variant: get get_if holds_alternative in_place_type in_place_type_t monostate variant variant_alternative_t
  variant_size_v visit
vector: erase erase_if vector
"""
TYPE_TRAITS = re.compile(r"(is|has|add|remove|make)_\w+|\w+(_t|_v)$|(true|false)_type|type_identity|integral_constant|conditional|"
                         r"decay|invoke_result|common_type|underlying_type")
EVERYWHERE = {"size_t", "nullptr_t", "ptrdiff_t", "byte", "to_integer", "max_align_t"}
# What a header of the standard library is specified to have of another one, as far as it is used.
ALSO = {"filesystem": {"chrono"}, "mutex": {"chrono"}, "thread": {"chrono"}, "ostream": {"iosfwd"}, "iostream": {"iosfwd"},
        "array": {"iterator", "utility"}, "span": {"iterator"},
        **{container: {"compare", "initializer_list", "iterator"} for container in
           ("deque", "map", "set", "string", "string_view", "unordered_map", "unordered_set", "vector")}}
# Where Asio's header has another name than what is used of it; else asio::ip::tcp is in asio/ip/tcp.hpp or asio/ip.hpp.
ASIO = {"cancellation_type": "cancellation_signal", "cancellation_slot": "cancellation_signal", "const_buffer": "buffer",
        "mutable_buffer": "buffer", "make_strand": "strand", "async_initiate": "async_result", "async_write": "write",
        "use_awaitable_t": "use_awaitable", "use_service": "execution_context", "disable_cancellation": "this_coro",
        "get_associated_allocator": "associated_allocator", "associated_allocator_t": "associated_allocator",
        "get_associated_cancellation_slot": "associated_cancellation_slot",
        "associated_cancellation_slot_t": "associated_cancellation_slot",
        "get_associated_executor": "associated_executor",
        "ip::address_v4": "ip/address", "ip::address_v6": "ip/address", "ip::make_address": "ip/address",
        "ip::basic_resolver": "ip/tcp", "ssl::stream_base": "ssl/stream"}
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.M)
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def headers_by_name():
    out = {}
    for entry in re.split(r"\n(?! )", STANDARD.strip()):
        header, names = entry.split(":")
        for name in names.split():
            out.setdefault(name, set()).add(header)
    return out


def reached(file, includes):
    """The headers of others that a file includes, itself or by way of comcp's; of an impl/*.ipp only where it is one."""
    seen, left, others = {file}, [file], set()
    while left:
        for target in includes.get(left.pop(), ()):
            if not target.startswith("comcp/"):
                others.add(target)
            elif target not in seen and (target.endswith(".hpp") or file.endswith(".ipp")):
                seen.add(target)
                left.append(target)
    return others | {also for header in others for also in ALSO.get(header, ())}


def standard_headers(name, known):
    return known.get(name) or ({"type_traits"} if TYPE_TRAITS.fullmatch(name) else set())


def asio_headers(name):
    """Asio's headers one of which has the name."""
    parts = name.split("::")
    prefixes = ["::".join(parts[:i]) for i in range(1, len(parts) + 1)]
    return {f"asio/{ASIO.get(prefix, prefix.replace('::', '/'))}.hpp" for prefix in prefixes}


def problems(files):
    """What is wrong, as sentences; `files` maps each path below include/ to its text."""
    includes = {file: set(INCLUDE.findall(text)) for file, text in files.items()}
    known = headers_by_name()
    for file, text in sorted(files.items()):
        have = reached(file, includes)
        code = NO_CODE.sub(" ", INCLUDE.sub(" ", text))
        for name in sorted(set(re.findall(r"\bstd::(\w+)", code)) - EVERYWHERE):
            headers = standard_headers(name, known)
            if not headers & have:
                yield f"{file}: std::{name} needs <{'> or <'.join(sorted(headers)) or '? list it in included_names.py'}>"
        for name in sorted(set(re.findall(r"\basio::((?:\w+::)*\w+)", code))):
            headers = asio_headers(name)
            if not headers & have:
                yield f"{file}: asio::{name} needs one of <{'> <'.join(sorted(headers))}>"


def main(root):
    include = root / "include"
    files = {f.relative_to(include).as_posix(): f.read_text(encoding="utf-8") for f in include.rglob("*.?pp")}
    found = list(problems(files))
    print("\n".join([*found, f"{len(files)} files, {len(found)} names without their header"]))
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
