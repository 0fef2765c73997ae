#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# make install and make uninstall: which files are installed, that they work in place, and that a
# failure leaves nothing behind. tests/perf/install.t tests perf's part.
. tests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
top=$PWD
# Another libdir means another build, so this uses a copy of the build folder.
build=$dir/build
mkdir "$build" "$dir/bin"
cp -a "${B:-build}"/{libperf,flags,proto,metrics,perfmod,tools,man,gpmu,libgpmu.a,libgpmu-tools.a,libgpmu.so.0,libgpmu.so,gpmu-{cupti,model,nvml}.so} "$build" ||
	bail "make it first"
unset GPMU_PLUGINS GPMU_ROOT GPMU_EVENTS PERF_VERSION LD_LIBRARY_PATH DESTDIR PREFIX
export LC_ALL=C
root=$dir/root
prefix=$dir/prefix
steady=$prefix/share/gpmu/scenarios/steady.scenario

# A fake ldconfig leaves the machine's own cache of libraries alone.
printf '#!/bin/sh\necho ldconfig "$@" >> %s\n' "$dir/ldconfig" > "$dir/bin/ldconfig"
chmod +x "$dir/bin/ldconfig"
PATH=$dir/bin:$PATH

# makes ARGUMENT...: prints the output of make
makes() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory B="$build" "$@" 2>&1
}

# files FOLDER: prints the files and links below FOLDER
files() {
	(cd "$1" && find . -not -type d -printf '%P\n' | LC_ALL=C sort)
}

# expected: prints the files to be installed, below PREFIX
expected() {
	printf '%s\n' bin/gpmu include/gpmu/gpmu.f90 lib/gpmu/{gpmu-{cupti,model,nvml},libgpmu-{inject,mark}}.so lib/libgpmu.so lib/libgpmu.so.0 \
		lib/gpmu/dlfilters/grace-{spe,traffic}.so lib/traceevent/plugins/plugin_grace_cspmu.so \
		lib/pkgconfig/gpmu.pc share/bash-completion/completions/gpmu share/doc/gpmu/{import,output,scenario,timeline,traffic}.rst \
		share/man/man3/{libgpmu,gpmu_source_plugin}.3 share/zsh/site-functions/_gpmu
	(cd metrics/include && printf 'include/%s\n' ./*.h gpmu/*.h | sed 's|\./||')
	(cd metrics/include/gpmu && printf 'share/man/man3/gpmu_%s.3\n' *.h | sed 's|\.h\.3|.3|')
	(cd metrics/sources/model/scenarios && printf 'share/gpmu/scenarios/%s\n' *)
	(cd pmu-events/gpu/sections && printf 'share/gpmu/sections/%s\n' *)
	! command -v rst2man > /dev/null || {
		(cd tools/man && printf 'share/man/man1/%s.1\n' *.rst | sed 's|\.rst||')
		printf 'share/man/%s\n' man5/gpmu-{metrics,sections,tables}.5 man7/gpmu-{cupti,nvml,spe}.7
	}
	grep -oE '^\s+gpmu_[a-z0-9_]+;' metrics/gpmu.map | tr -d '\t ;' | sed 's|.*|share/man/man3/&.3|'
}

# dynamic FILE: prints the libraries, name and paths that the loader uses
dynamic() {
	objdump -p "$1" | sed -nE 's/^ +(NEEDED|SONAME|RPATH|RUNPATH) +(.*)/\1 \2/p'
}

out=$(makes install DESTDIR="$root")
is "$out" "without gpmu-perf: make perf has not built the perf that PERF_VERSION selects
installed gpmu 0.1.0 in $root/usr/local" "install: make install prints where it installed, and which part is missing"
is "$(files "$root/usr/local")" "$(expected | LC_ALL=C sort)" \
	"install: all files are installed, by default below /usr/local"
is "$(files "$root" | grep -v ^usr/local/)" "" "install: nothing is installed outside of PREFIX"
is "$(cd "$root" && find . -type f -perm /111 -printf '%f ' | tr ' ' '\n' | sort | xargs)" "gpmu gpmu-cupti.so gpmu-model.so gpmu-nvml.so grace-spe.so grace-traffic.so libgpmu-inject.so libgpmu-mark.so libgpmu.so.0 plugin_grace_cspmu.so" \
	"install: programs and libraries are executable"
is "$(find "$root/usr" -type f -not -perm -444 -o -type d -not -perm -555 -o -perm /022 -not -type l)" "" \
	"install: everybody can read all files and only the owner can write"
is "$(readlink "$root/usr/local/lib/libgpmu.so")" libgpmu.so.0 "install: libgpmu.so is a relative link"
is "$(dynamic "$root/usr/local/bin/gpmu" | grep -E 'PATH|gpmu')" "" \
	"install: gpmu is linked with libgpmu.a and has no RPATH"
is "$(dynamic "$root/usr/local/lib/libgpmu.so.0" | grep -E 'PATH|SONAME'; for plugin in "$root"/usr/local/lib/gpmu/*.so; do dynamic "$plugin"; done | grep PATH)" \
	$'SONAME libgpmu.so.0\nRUNPATH $ORIGIN:$ORIGIN/..' \
	"install: only libgpmu-mark.so has a RUNPATH, relative to itself, to find libgpmu"
is "$(grep -rIlF -e "$dir" -e "$top" "$root")" "" "install: no text file has the path of the build folder"
like "$("$root/usr/local/bin/gpmu" --version)" '^gpmu 0\.1\.0$' "install: gpmu runs below DESTDIR"
is "$(cat "$dir/ldconfig" 2> /dev/null)" "" "install: ldconfig is not called with DESTDIR"

touch "$dir/before"
sleep 0.01
out=$(makes install PREFIX="$prefix")
like "$out" "^installed gpmu 0.1.0 in $prefix\$" "install: make install accepts another PREFIX"
is "$(find "$build" -name '*.o' -newer "$dir/before" -printf '%f ')" "" "install: another PREFIX rebuilds no object"
is "$(grep -rlF -e "$prefix" "$prefix")" "" "install: no installed file has the path of PREFIX"
is "$(find "$prefix" -lname '/*')" "" "install: all installed links are relative"
is "$(files "$prefix")" "$(files "$root/usr/local")" "install: another PREFIX gets the same files"
if [ "$(id -u)" = 0 ]; then
	is "$(cat "$dir/ldconfig")" ldconfig "install: root's make install calls ldconfig"
else
	skip "not root" "install: root's make install calls ldconfig"
fi

gpmu=$prefix/bin/gpmu
out=$(cd / && "$gpmu" stat --source model="$steady" -a -M GraceMemBW --timeout 100 2>&1)
like "$out" ' 190\.72 GB/s GraceMemBW$' "install: gpmu finds its plugin and the scenarios"
like "$(bash -c ". $prefix/share/bash-completion/completions/gpmu; complete -p gpmu")" '^complete -F _gpmu gpmu$' \
	"install: bash's completion can be loaded"

# built LANGUAGE: checks that $dir/program has no RPATH, runs, and finds the model
built() {
	is "$(dynamic "$dir/program" | grep PATH)" "" "install: the $1 program has no RPATH"
	is "$(cd / && LD_LIBRARY_PATH=$prefix/lib "$dir/program" model="$steady" 2>&1 | head -n 1)" "nvidia_cnvlink_pmu_0" \
		"install: the $1 program runs with the model"
}

if ! command -v pkg-config > /dev/null; then
	skip "no pkg-config" "install: programs are built with pkg-config's flags"
else
	export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
	is "$(pkg-config --modversion gpmu)" 0.1.0 "install: pkg-config has the version"
	is "$(realpath "$(pkg-config --variable=plugindir gpmu)")" "$prefix/lib/gpmu" \
		"install: pkg-config has the folder of plugins"
	up=$prefix/lib/pkgconfig/../..
	is "$(pkg-config --static --cflags --libs gpmu | xargs)" "-I$up/include -L$up/lib -lgpmu" \
		"install: pkg-config has no unneeded flags"
	up=$root/usr/local/lib/pkgconfig/../..
	is "$(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$root/usr/local/lib/pkgconfig pkg-config --cflags --libs gpmu | xargs)" \
		"-I$up/include -L$up/lib -lgpmu" "install: pkg-config's paths can be below a DESTDIR"
	read -ra flags <<< "$(pkg-config --cflags --libs gpmu)"
	"${CC:-gcc}" -std=c11 -pedantic -Wall -Wextra -Werror tests/examples/man/source.c -o "$dir/program" "${flags[@]}"
	built C11
	cp "$dir/program" "$dir/moves"
	cp tests/examples/first.c "$dir"
	command=$(sed -n 's/^    \(cc first\.c .*\)/\1/p' README.md)
	(cd "$dir" && bash -c "${command:-false}")
	ok $? "install: the README's command compiles its first program"
	like "$(LD_LIBRARY_PATH=$prefix/lib "$dir/first" duration_time)" '^solve +1 .* duration_time ' \
		"install: the README's first program prints its region"
	cat > "$dir/program.cpp" << 'END'
#include <iostream>
#include <memory>
#include <gpmu.h>

int main(int, char **argv)
{
	gpmu_error error = { sizeof(error), 0, "" };
	std::unique_ptr<gpmu_machine, void (*)(gpmu_machine *)> machine(gpmu_machine_new(nullptr, &error), gpmu_machine_free);
	std::unique_ptr<gpmu_source, void (*)(gpmu_source *)> source(gpmu_source_new(argv[1], &error), gpmu_source_put);

	if (!source || gpmu_machine_add_source(machine.get(), source.get(), &error)) {
		std::cerr << error.text << "\n";
		return 1;
	}
	for (size_t i = 0; const gpmu_pmu *pmu = gpmu_machine_pmu(machine.get(), i); i++)
		if (gpmu_pmu_source(pmu))
			std::cout << gpmu_pmu_name(pmu) << "\n";
	return 0;
}
END
	"${CXX:-g++}" -std=c++11 -pedantic -Wall -Wextra -Werror "$dir/program.cpp" -o "$dir/program" "${flags[@]}"
	built C++
	if ! command -v gfortran > /dev/null; then
		skip "no gfortran" "install: the README's command compiles a Fortran program, which runs"
	else
		cp tests/examples/heat.f90 "$dir"
		command=$(sed -n 's/^    \(gfortran .*\)/\1/p' README.md)
		(cd "$dir" && bash -c "${command:-false}")
		out=$(LD_LIBRARY_PATH=$prefix/lib "$dir/heat" duration_time 2>&1)
		like "$out" '^step .*duration_time' "install: the README's command compiles a Fortran program, which runs" || diag "$out"
	fi
fi

if ! command -v man > /dev/null; then
	skip "no man" "install: man finds all pages"
	skip "no man" "install: man shows a function's group page"
else
	is "$(cd "$prefix/share/man" && for section in 1 3 7; do
		names=("man$section"/*)
		names=("${names[@]##*/}")
		[ ! -d "man$section" ] || man -M . -w "$section" "${names[@]%.*}" 2>&1 > /dev/null
	done)" "" "install: man finds all pages"
	like "$(MANPAGER=cat MANWIDTH=80 man -M "$prefix/share/man" gpmu_session_new)" '^GPMU_SESSION\(3\)' \
		"install: man shows a function's group page"
fi

# The whole installation moves.
moved="$dir/moved here"
mkdir "$moved"
mv "$prefix" "$moved/gpmu"
moved=$moved/gpmu
gpmu=$moved/bin/gpmu
steady=$moved/share/gpmu/scenarios/steady.scenario
out=$(cd / && "$gpmu" stat --source model="$steady" -a -M GraceMemBW --timeout 100 2>&1)
like "$out" ' 190\.72 GB/s GraceMemBW$' "install: a moved gpmu finds its plugin"
ln -s "$gpmu" "$dir/bin/gpmu-link"
out=$(cd / && gpmu-link stat --source model="$steady" -a -M GraceMemBW --timeout 100 2>&1)
like "$out" ' 190\.72 GB/s GraceMemBW$' "install: a moved gpmu finds its plugin when run by a link"
# shellcheck disable=SC2016 # the recorded command expands it
out=$("$gpmu" record -o "$dir/trace" -- sh -c 'echo "$CUDA_INJECTION64_PATH"' 2> /dev/null)
is "$out" "$moved/lib/gpmu/libgpmu-inject.so" "install: a moved gpmu record injects the library of its own prefix"
mkdir "$dir/empty"
out=$(GPMU_PLUGINS=$dir/empty "$gpmu" list --source nothere 2>&1)
like "$out" "no gpmu-nothere\.so in $dir/empty:$moved/lib/gpmu;" "install: a moved gpmu searches \$GPMU_PLUGINS, then its own folder"
ln -s "$moved/lib/gpmu/gpmu-nvml.so" "$dir/empty/gpmu-model.so"
out=$(GPMU_PLUGINS=$dir/empty "$gpmu" list --source model="$steady" 2>&1)
unlike "$out" 'GraceMemBW' "install: a plugin in \$GPMU_PLUGINS wins over the installed one"
if [ ! -e "$dir/moves" ]; then
	skip "no pkg-config" "install: a program finds the plugins of a moved libgpmu"
	skip "no pkg-config" "install: a program finds the plugins of a libgpmu in a relative LD_LIBRARY_PATH"
	skip "no pkg-config" "install: pkg-config's paths are those of the moved prefix"
else
	is "$(cd / && LD_LIBRARY_PATH=$moved/lib "$dir/moves" model="$steady" 2>&1 | head -n 1)" "nvidia_cnvlink_pmu_0" \
		"install: a program finds the plugins of a moved libgpmu"
	is "$(cd "$moved" && LD_LIBRARY_PATH=lib "$dir/moves" model="$steady" 2>&1 | head -n 1)" "nvidia_cnvlink_pmu_0" \
		"install: a program finds the plugins of a libgpmu in a relative LD_LIBRARY_PATH"
	# pkg-config puts a backslash before a blank.
	path=$(PKG_CONFIG_PATH=$moved/lib/pkgconfig pkg-config --variable=includedir gpmu)
	is "$(realpath "${path//\\/}")" "$moved/include" \
		"install: pkg-config's paths are those of the moved prefix"
fi
if ! command -v man > /dev/null || [ ! -e "$moved/share/man/man1/gpmu.1" ]; then
	skip "no man or no rst2man" "install: man finds the pages of a moved prefix by PATH"
else
	is "$(env -u MANPATH PATH="$moved/bin:$PATH" man -w gpmu 2>&1)" "$moved/share/man/man1/gpmu.1" \
		"install: man finds the pages of a moved prefix by PATH"
fi

# refused DESCRIPTION WANT COMMAND...: checks that COMMAND fails, prints WANT, and leaves $dir/there empty
refused() {
	local what=$1 want=$2 printed

	shift 2
	! printed=$("$@" 2>&1) && grep -qE "$want" <<< "$printed" && [ -z "$(ls -A "$dir/there")" ]
	ok $? "$what" || diag "$printed" "$(ls -A "$dir/there")"
}

mkdir "$dir/there"
touch "$dir/file"
refused "install: a DESTDIR that is a file is refused" "$dir/file is no folder" makes install DESTDIR="$dir/file"
refused "install: a relative PREFIX is refused" "expected whole paths .*, found here/bin" \
	makes install PREFIX=here DESTDIR="$dir/there"
mkdir -p "$dir/taken/usr/local/bin/gpmu"
refused "install: a folder in a file's place is refused" "bin/gpmu is a folder: nothing was changed" \
	makes install DESTDIR="$dir/taken"
is "$(files "$dir/taken")" "" "install: a refused installation leaves no files"

as_user=()
if [ "$(id -u)" = 0 ]; then
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
cp -r tools/install "$build/stage" "$dir"
chmod 755 "$dir" "$dir/there"
if [ "$(id -u)" = 0 ] && ! "${as_user[@]}" test -r "$dir/stage"; then
	skip "no setpriv" "install: a folder without write permission is refused"
else
	chmod 555 "$dir/there"
	refused "install: a folder without write permission is refused" "no permission to write to $dir/there.* be root, or" \
		"${as_user[@]}" "$dir/install" "$dir/stage" "$dir/there"
	chmod 755 "$dir/there"
fi

# mounted OPTIONS: runs tools/install to a file system of its own, then lists the files there
mounted() {
	unshare -m bash -c "mount -t tmpfs -o $1 none $dir/there && tools/install $dir/stage $dir/there; status=\$?
		find $dir/there -mindepth 1; exit \$status" 2>&1
}

if ! unshare -m mount -t tmpfs none "$dir/there" 2> /dev/null; then
	skip "no mount namespaces" "install: a read-only file system is refused"
	skip "no mount namespaces" "install: a full file system is left without files"
else
	out=$(mounted ro)
	like "$?:$out" "^1:tools/install: no permission to write to $dir/there, or it is read-only" \
		"install: a read-only file system is refused"
	out=$(mounted size=512k)
	is "$?:$(grep -v 'No space left' <<< "$out")" "1:tools/install: nothing was installed (above)" \
		"install: a full file system is left without files"
fi

makes install DESTDIR="$root" > /dev/null
is "$(files "$root/usr/local")" "$(expected | LC_ALL=C sort)" \
	"install: a second installation replaces the first"
touch "$root/usr/local/lib/gpmu/gpmu-mine.so" "$root/usr/local/bin/mine"
makes uninstall DESTDIR="$root"
is "$(files "$root" | xargs)" "usr/local/bin/mine usr/local/lib/gpmu/gpmu-mine.so" \
	"install: make uninstall removes its files and no other"
is "$(find "$root" -type d -path '*/gpmu*' -printf '%P ')" "usr/local/lib/gpmu " \
	"install: make uninstall removes its own empty folders"

# A distribution's folder of libraries, for which gpmu is linked again
multi=$dir/multi
makes install DESTDIR="$dir/filters" dlfilterdir=/usr/lib/perf-core/dlfilters > /dev/null
is "$(files "$dir/filters" | grep dlfilters | xargs)" "usr/lib/perf-core/dlfilters/grace-spe.so usr/lib/perf-core/dlfilters/grace-traffic.so" \
	"install: make install puts the filters of perf script into dlfilterdir"
makes uninstall DESTDIR="$dir/filters" dlfilterdir=/usr/lib/perf-core/dlfilters > /dev/null
is "$(files "$dir/filters")" "" "install: make uninstall removes the filters from dlfilterdir"
makes install PREFIX="$multi" libdir="$multi/lib/aarch64-linux-gnu" > /dev/null
mv "$multi" "$dir/multiarch"
out=$("$dir/multiarch/bin/gpmu" stat --source model="$steady" -a -M GraceMemBW --timeout 100 2>&1)
like "$out" ' 190\.72 GB/s GraceMemBW$' "install: a moved gpmu finds its plugin in a multiarch folder"
done_testing
