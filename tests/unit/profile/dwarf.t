#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Inlined functions of programs that the compilers and linkers of this machine make, by address, compared with addr2line.
. tests/tools/lib.sh

need tests/unit/profile/dwarf-print
print=$(realpath "$B/tests/unit/profile/dwarf-print")

cat > "$work/main.c" << 'END'
int first(int), second(int), third(int);
int main(int argc, char **argv) { return first(argc) + second(argc) + third(argv[0][0]); }
END
# The compiler makes the same code of first() and second(). The linker removes unused().
cat > "$work/one.c" << 'END'
static inline __attribute__((always_inline)) int inlined_one(int x) { return x * 3 + 7; }
__attribute__((noinline)) int first(int x) { return inlined_one(x) ^ 5; }
END
cat > "$work/two.c" << 'END'
static volatile int sink;
static inline __attribute__((always_inline)) int inlined_two(int x) { return x * 3 + 7; }
static inline __attribute__((always_inline)) int outer_two(int x) { sink = x; sink = inlined_two(x); return sink; }
__attribute__((noinline)) int second(int x) { return inlined_two(x) ^ 5; }
__attribute__((noinline)) int unused(int x) { sink = x; return inlined_two(x + 1) ^ 8; }
__attribute__((noinline)) int third(int x) { return outer_two(x) ^ 9; }
END
cat > "$work/plus.cc" << 'END'
namespace outer { namespace inner {
template <typename T> struct box {
	T value;
	__attribute__((always_inline)) explicit box(T v) : value(v * 3 + 1) {}
	template <int N> __attribute__((always_inline)) T scaled() const { return value * N ^ 5; }
};
} }
static volatile int sink;
__attribute__((noinline)) int first(int v)
{
	outer::inner::box<int> b(v);
	sink = b.value;
	return b.scaled<7>();
}
struct shape {
	__attribute__((noinline)) int second(int v)
	{
		auto lambda = [&](int x) __attribute__((always_inline)) { sink = x; return x * 11 + v; };
		return lambda(v) + lambda(v + 1);
	}
};
struct functor { __attribute__((always_inline)) int operator()(int x) const { sink = x; return x ^ 3; } };
template <typename F> __attribute__((noinline)) int third(F f, int v) { return f(v) + 1; }
int main(int argc, char **)
{
	shape s;
	return first(argc) + s.second(argc) + third(functor(), argc);
}
END

# compile COMPILER OPTION...: compiles each source by itself
compile() {
	local source sources="one.c two.c main.c"

	[[ $1 != *++ ]] || sources=plus.cc
	for source in $sources; do
		(cd "$work" && "$@" -O2 -g -ffunction-sections -c "$source") > "$work/messages" 2>&1 || bail "$1 fails: $(< "$work/messages")"
	done
}

# link COMPILER PROGRAM OPTION...: links what compile() made. Returns 1 if the linker is missing.
link() {
	local compiler=$1 program=$2 objects="one.o two.o main.o"

	shift 2
	[[ $compiler != *++ ]] || objects=plus.o
	# shellcheck disable=SC2086 # words
	(cd "$work" && "$compiler" "$@" -o "$program" $objects) > "$work/messages" 2>&1
}

# chosen: lines of our functions, with demangled names, without the marks of copies that a compiler made of a function
chosen() {
	c++filt | sed -E 's/ \[clone [^]]*\]//g' | grep -E '^[0-9a-f]+ .*(first|second|third|unused)'
}

# ours FILE: functions by address
ours() {
	timeout 600 "$print" "$work/$1" | chosen
}

# theirs FILE: the same by addr2line, at the addresses that dwarf-print prints
theirs() {
	"$print" "$work/$1" | cut -d ' ' -f 1 | xargs addr2line -a -f -i -e "$work/$1" |
		awk '/^0x/ { if (a) print a, s; a = $1; sub(/^0x0*/, "", a); s = ""; odd = 0; next }
			{ odd = !odd } odd { s = s == "" ? $0 : $0 ";" s } END { print a, s }' | chosen
}

# names FILE: functions without addresses
names() {
	ours "$1" | cut -d ' ' -f 2- | sort -u
}

# merge: with --icf, first() and second() are one function, which is that of either compilation unit
merge() {
	sed -E 's/^second/first/; s/^first;inlined_two/first;inlined_one/' | sort -u
}

# split COMPILER VERSION: a program whose debug information is in a .dwo file for each source
split() {
	local what="a program of $1 with DWARF $2, split into .dwo files,"

	compile "$1" "-gdwarf-$2" -gsplit-dwarf
	link "$1" split || bail "$1 fails: $(< "$work/messages")"
	is "$(ls "$work"/*.dwo > /dev/null && ours split)" "$(< "$work/plain.want")" "dwarf: $what has the same inlined functions as one that is not split"
	mkfifo "$work/split.dwp"
	is "$(names split)" $'first\nsecond\nthird\nunused' "dwarf: $what opens no FIFO instead of a .dwp file, and has no inlined functions"
	rm "$work/split.dwp"
	for unit in one two main; do
		rm "$work/$unit.dwo"
		mkfifo "$work/$unit.dwo"
	done
	is "$(names split)" $'first\nsecond\nthird\nunused' "dwarf: $what opens no FIFO instead of a .dwo file, and has no inlined functions"
	rm "$work"/*.dwo
}

in_c=$'first\nfirst;inlined_one\nsecond\nsecond;inlined_two\nthird\nthird;outer_two\nthird;outer_two;inlined_two'
in_cc="first(int)
first(int);int outer::inner::box<int>::scaled<7>() const
first(int);outer::inner::box<int>::box(int)
int third<functor>(functor, int)
int third<functor>(functor, int);functor::operator()(int) const
shape::second(int)
shape::second(int);shape::second(int)::{lambda(int)#1}::operator()(int) const"

for compiler in gcc clang; do
	if ! command -v $compiler > /dev/null; then
		skip "no $compiler" "dwarf: programs of $compiler have the inlined functions of addr2line"
		continue
	fi
	for version in 4 5; do
		what="a program of $compiler with DWARF $version"
		compile $compiler -gdwarf-$version
		link $compiler plain || bail "$compiler fails: $(< "$work/messages")"
		is "$(names plain | grep -v unused)" "$in_c" "dwarf: $what has the inlined functions of each function"
		ours plain > "$work/plain.want"
		is "$(< "$work/plain.want")" "$(theirs plain)" "dwarf: $what has the inlined functions of addr2line at each address"
		for linker in bfd gold lld; do
			fold=-Wl,--icf=all
			[ $linker != bfd ] || fold=-O2
			if link $compiler linked -fuse-ld=$linker -Wl,--gc-sections $fold; then
				is "$(names linked | merge)" "$(merge <<< "$in_c")" "dwarf: $what, linked by $linker without unused functions, has the inlined functions of each function"
			else
				skip "$compiler cannot link with $linker" "dwarf: $what, linked by $linker without unused functions, has the inlined functions of each function"
			fi
		done
		split $compiler $version
	done
done

for compiler in g++ clang++; do
	what="a C++ program of $compiler"
	if ! command -v $compiler > /dev/null; then
		skip "no $compiler" "dwarf: $what has inlined constructors, templates and lambdas"
		continue
	fi
	compile $compiler -std=c++17
	link $compiler plus || bail "$compiler fails: $(< "$work/messages")"
	is "$(names plus)" "$in_cc" "dwarf: $what has inlined constructors, templates and lambdas"
	is "$(ours plus)" "$(theirs plus)" "dwarf: $what has the inlined functions of addr2line at each address"
done

# --- debug information in other files

compile gcc
link gcc plain || bail "gcc fails: $(< "$work/messages")"
want=$(ours plain)
objcopy --only-keep-debug "$work/plain" "$work/plain.debug"
(cd "$work" && objcopy --strip-debug --remove-section .note.gnu.build-id --add-gnu-debuglink=plain.debug plain linked) || bail "objcopy fails"
is "$(ours linked)" "$want" "dwarf: debug information is found by a debug link"
mkdir "$work/.debug"
mv "$work/plain.debug" "$work/.debug"
is "$(ours linked)" "$want" "dwarf: debug information is found by a debug link in the folder .debug"
rm "$work/.debug/plain.debug"
for folder in .debug/ ''; do
	mkfifo "$work/${folder}plain.debug"
	is "$(names linked)" $'first\nsecond\nthird\nunused' "dwarf: no FIFO is opened for a debug link to ${folder}FILE.debug"
	rm "$work/${folder}plain.debug"
done
objcopy --strip-debug --remove-section .note.gnu.build-id "$work/plain" "$work/linked"
mkfifo "$work/linked.debug"
is "$(names linked)" $'first\nsecond\nthird\nunused' "dwarf: no FIFO is opened for a program without a debug link"

if command -v dwz > /dev/null; then
	cp "$work/plain" "$work/packed"
	dwz "$work/packed" || bail "dwz fails"
	is "$(ours packed)" "$want" "dwarf: a program that dwz has packed has the same inlined functions"
	cp "$work/plain" "$work/packed"
	cp "$work/plain" "$work/other"
	# dwz makes a shared file if it saves bytes.
	if (cd "$work" && dwz -m common packed other) && [ -s "$work/common" ]; then
		is "$(ours packed)" "$want" "dwarf: a program that shares debug information with another, by dwz -m, has the same inlined functions"
	else
		skip "dwz makes no shared file" "dwarf: a program that shares debug information with another, by dwz -m, has the same inlined functions"
	fi
else
	skip "no dwz" "dwarf: a program that dwz has packed has the same inlined functions"
fi
rm -f "$work/common"
mkfifo "$work/common"
printf 'common\0aaaaaaaaaaaaaaaaaaaa' > "$work/link"
objcopy --remove-section .gnu_debugaltlink "$work/plain" "$work/packed"
objcopy --add-section .gnu_debugaltlink="$work/link" "$work/packed" || bail "objcopy fails"
is "$(ours packed)" "$want" "dwarf: no FIFO is opened instead of the file that dwz -m makes"
done_testing
