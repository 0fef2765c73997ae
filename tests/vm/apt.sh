# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154 # cache and vm are lib.sh's
#
# A private apt root that needs no privileges: apt looks up, verifies and downloads
# Debian's packages without changing the machine's own sources, lists or installed
# packages. Sourced by tests/vm/fetch.
#
# The mirror is the machine's own, including its proxy and credentials. A machine
# without a Debian entry, such as Ubuntu, uses $GPMU_MIRROR, or the mirror
# that its package python-apt-common records for Debian.

apt_etc=${GPMU_APT_ETC:-/etc/apt}
apt_templates=${GPMU_APT_TEMPLATES:-/usr/share/python-apt/templates}
apt_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints "URI suite components keyring" of each enabled deb line of a
# one-line-style file (sources.list(5)); keyring is "-" if none is named.
apt_parse_list() {
	sed -n 's/#.*//; s/^[[:space:]]*deb[[:space:]]\{1,\}//p' "$1" |
	while read -r line; do
		keyring=-
		if [[ $line == \[* ]]; then
			options=${line%%]*}
			line=${line#*]}
			[[ $options =~ signed-by=([^] ]+) ]] && keyring=${BASH_REMATCH[1]}
		fi
		read -r uri suite components <<<"$line"
		echo "$uri $suite ${components// /,} $keyring"
	done
}

# Like the above for a deb822-style file, one line for each URI and suite
apt_parse_sources() {
	awk '
	function flush(	i, j, nu, ns, u, s) {
		if (types ~ /(^| )deb( |$)/ && enabled !~ /^(no|false|0)$/) {
			nu = split(uris, u); ns = split(suites, s)
			gsub(/ +/, ",", components)
			for (i = 1; i <= nu; i++)
				for (j = 1; j <= ns; j++)
					print u[i], s[j], components, keyring
		}
		types = uris = suites = components = enabled = field = ""
		keyring = "-"
	}
	BEGIN { keyring = "-" }
	/^#/ { next }
	/^[ \t]*$/ { flush(); next }
	{ sub(/[ \t\r]+$/, "") }
	/^[^ \t]/ {
		field = tolower(substr($0, 1, index($0, ":") - 1))
		sub(/^[^:]*:[ \t]*/, "")
	}
	{
		sub(/^[ \t]+/, "")
		if (field == "types") types = types " " $0
		else if (field == "uris") uris = uris " " $0
		else if (field == "suites") suites = suites " " $0
		else if (field == "components") components = components (components == "" ? "" : " ") $0
		else if (field == "enabled") enabled = tolower($0)
		else if (field == "signed-by" && $0 ~ /^\//) keyring = $1
	}
	END { flush() }' "$1"
}

# Prints "URI keyring" of the Debian archive in the machine's configuration.
# Other archives use Debian's suite names too, so an entry counts only if its
# path ends in /debian and it has the component main.
apt_machine_mirror() {
	local file uri suite components keyring

	for file in "$apt_etc"/sources.list "$apt_etc"/sources.list.d/*; do
		[ -r "$file" ] || continue
		case $file in
		*.list) apt_parse_list "$file" ;;
		*.sources) apt_parse_sources "$file" ;;
		esac
	done | while read -r uri suite components keyring; do
		case $uri in */debian | */debian/) ;; *) continue ;; esac
		case ,$components, in *,main,*) ;; *) continue ;; esac
		case $suite in *-security | */updates) continue ;; esac
		echo "${uri%/} $keyring"
		break
	done
}

# Sets mirror and keyring, or fails with a message that names the remedy
apt_find_mirror() {
	local found

	found=$(apt_machine_mirror)
	mirror=${found% *}
	keyring=${found##* }
	if [ -n "${GPMU_MIRROR:-}" ]; then
		mirror=${GPMU_MIRROR%/} keyring=-
	elif [ -z "$mirror" ] && [ -r "$apt_templates/Debian.info" ]; then
		mirror=$(sed -n 's/^BaseURI: *//p' "$apt_templates/Debian.info" | head -n 1)
		mirror=${mirror%/} keyring=-
	fi
	[ -n "$mirror" ] ||
		die "no Debian mirror in $apt_etc/sources.list*: install python-apt-common, or set GPMU_MIRROR to the URI of one"
	[ -r "$keyring" ] || keyring=$apt_keyring
	[ -r "$keyring" ] || die "$keyring is missing: install the package debian-archive-keyring"
}

# apt_update RELEASE: updates the package lists
apt_update() {
	apt-get -q -o APT::Update::Error-Mode=any update >"$apt_root/update.log" 2>&1
}

# apt_configure KEYRING RELEASE: writes apt.conf and sources.list
apt_configure() {
	local suite

	{
		env -u APT_CONFIG apt-config dump --format '%f "%v";%n' |
			grep -iE '^Acquire::(https?|ftp|socks|tor|ForceIPv|Check-)' |
			grep -v ' "";$' || :
		cat <<-EOF
		Dir::Etc "$apt_root";
		Dir::Etc::netrc "$apt_etc/auth.conf";
		Dir::Etc::netrcparts "$apt_etc/auth.conf.d";
		Dir::Etc::sourcelist "$apt_root/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::State "$apt_root";
		Dir::State::lists "$apt_root/lists";
		Dir::State::status "$apt_root/status";
		Dir::Cache "$apt_root";
		Dir::Cache::srcpkgcache "";
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; "arm64"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		Acquire::GzipIndexes "true";
		Acquire::Languages "none";
		Acquire::Retries "${GPMU_APT_RETRIES:-3}";
		EOF
	} >"$apt_root/apt.conf"
	for suite in "$2" "$2-backports"; do
		echo "deb [signed-by=$1] $mirror $suite main"
	done >"$apt_root/sources.list.new"
	cmp -s "$apt_root/sources.list.new" "$apt_root/sources.list" && return
	rm -f "$apt_root/updated"
	mv "$apt_root/sources.list.new" "$apt_root/sources.list"
}

# apt_root RELEASE: makes apt's commands use the private root of that release and its
# backports, with lists at most a day old. Updating the lists takes an exclusive lock;
# readers share the lock until the process ends.
apt_root() {
	local tool fd fresh=$cache/keyring$apt_keyring

	for tool in apt-get apt-cache apt-config dpkg-deb; do
		command -v "$tool" >/dev/null ||
			die "$tool is missing: this needs a Debian or Ubuntu machine"
	done
	apt_root=$cache/apt/$1
	mkdir -p "$apt_root"/{apt.conf.d,preferences.d,lists/partial,archives/partial}
	exec {fd}>"$apt_root/lock"
	flock "$fd"
	: >"$apt_root/status"
	apt_find_mirror
	[ "$1" != bookworm ] && [ -r "$fresh" ] && keyring=$fresh
	apt_configure "$keyring" "$1"
	export APT_CONFIG=$apt_root/apt.conf
	if [ -z "$(find "$apt_root/updated" -mmin -1440 2>/dev/null)" ]; then
		if ! apt_update "$1" && [ "$1" != bookworm ] &&
		   grep -q -e NO_PUBKEY -e 'not signed' "$apt_root/update.log"; then
			# An older Debian's keyring, as Ubuntu has, verifies
			# bookworm, whose own keyring package verifies trixie.
			("$vm/fetch" keyring) || exit
			apt_configure "$fresh" "$1"
			apt_update "$1" || :
		fi
		if grep -q '^[EW]: .*\(Failed\|Err\|not signed\|NO_PUBKEY\)' "$apt_root/update.log" ||
		   ! apt-cache show linux-source >/dev/null 2>&1; then
			tail -n 20 "$apt_root/update.log" | sed 's/^/# /' >&2
			die "no package lists for Debian $1 from $mirror: is this machine online, or is another mirror needed in GPMU_MIRROR?"
		fi
		touch "$apt_root/updated"
	fi
	flock -s "$fd"
}

# apt_newest REGEX: prints the newest package with that whole name
apt_newest() {
	local name

	name=$(apt-cache pkgnames | grep -Ex -- "$1" | sort -V | tail -n 1)
	[ -n "$name" ] || die "Debian $(basename "$apt_root") at $mirror has no package named $1"
	echo "$name"
}

# apt_first NAME|NAME...: prints the first of these names that exists
apt_first() {
	local name

	for name in ${1//|/ }; do
		apt-cache show "$name" >/dev/null 2>&1 && echo "$name" && return
	done
	die "Debian $(basename "$apt_root") at $mirror has no package $1"
}

# apt_get DIR PACKAGE...: downloads just these packages into DIR
apt_get() {
	local dir=$1

	shift
	mkdir -p "$dir"
	(cd "$dir" && apt-get -qq download "$@" >apt.log 2>&1) && return
	tail -n 5 "$dir/apt.log" | sed 's/^/# /' >&2
	rm -f "$apt_root/updated"
	die "cannot download $*; run it again if the archive was being updated"
}

# apt_closure DIR PACKAGE...: downloads these packages and their dependencies into DIR
apt_closure() {
	local dir=$1

	shift
	mkdir -p "$dir/partial"
	apt-get -qqy -t "$(basename "$apt_root")-backports" --download-only \
		-o Dir::Cache::archives="$dir" -o Debug::NoLocking=1 \
		install "$@" >"$dir/apt.log" 2>&1 && return
	tail -n 5 "$dir/apt.log" | sed 's/^/# /' >&2
	rm -f "$apt_root/updated"
	die "cannot download $* with dependencies; run it again if the archive was being updated"
}
