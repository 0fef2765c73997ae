# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# bash completion of gpmu: subcommands, options, and the names of this machine's
# metrics and events, all of which gpmu itself lists.

# _gpmu_words WORD WORDS: offers the WORDS that begin with WORD, ignoring case
_gpmu_words() {
	local word

	while IFS= read -r word; do
		[[ ${word,,} != "${1,,}"* ]] || COMPREPLY+=("$word")
	done <<< "$2"
}

# _gpmu_list WORD WORDS: completes the last item of a list separated by commas
_gpmu_list() {
	local before=

	[[ $1 != *,* ]] || before=${1%,*},
	_gpmu_words "${1##*,}" "$2"
	COMPREPLY=("${COMPREPLY[@]/#/$before}")
	compopt -o nospace 2> /dev/null
}

# _gpmu_options SUBCOMMAND: prints its long options
_gpmu_options() {
	gpmu "$1" --help 2> /dev/null | grep -oE '^ {2,6}(-[^ ]+ )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

# _gpmu_join: stores the words up to the cursor in $words, and rejoins words that bash
# splits at "=" and ":"
_gpmu_join() {
	local word before=

	words=()
	for word in "${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do
		if ((${#words[@]})) && [[ $word == [=:] || $before == [=:] ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
		before=$word
	done
}

# _gpmu_machine SUBCOMMAND: stores the options in $machine that choose the names of gpmu list
_gpmu_machine() {
	local i

	# The input of eval may be the output of another machine's perf.
	machine=()
	[[ $1 != eval ]] || machine=(--all)
	for ((i = 2; i < ${#words[@]} - 1; i++)); do
		case ${words[i]} in
		--source=* | --events=*) machine+=("${words[i]}") ;;
		--source | --events) machine+=("${words[i]}=${words[i + 1]}") ;;
		--gpu) machine+=(--source=nvml --source=cupti) ;;
		esac
	done
}

# _gpmu_names KIND...: prints the names of metrics, groups or events
_gpmu_names() {
	local kind

	for kind; do
		gpmu list "${machine[@]}" --names "$kind" 2> /dev/null
	done
}

# _gpmu_value OPTION WORD SUBCOMMAND: offers the option's values; returns 1 if it has none
_gpmu_value() {
	local machine

	case $1 in
	-M | --metrics)
		_gpmu_machine "$3"
		_gpmu_list "$2" "$(_gpmu_names metric group)"
		;;
	-e | --event)
		_gpmu_machine "$3"
		if [[ ${2##*,} == *:* ]]; then
			_gpmu_list "$2" "$(gpmu list --names tracepoint "${2##*,}*" 2> /dev/null)"
		else
			_gpmu_list "$2" "$(_gpmu_names event)"
		fi
		;;
	--chip)
		[[ $3 == list || $3 == plan ]] || return 1
		_gpmu_words "$2" "$(gpmu list --gpu --chips 2> /dev/null)"
		;;
	--pc-sampling) _gpmu_words "$2" $'continuous\nserialized' ;;
	--pc-stall) _gpmu_list "$2" "$(gpmu list --names --stall-reasons 2> /dev/null)" ;;
	--cuda) _gpmu_list "$2" $'kernel\nmemcpy\nmemset\ngraph\ncalls\nruntime\ndriver\nsync\nnvtx\nmemory\nunified\nmanaged\noverhead\nexternal\nclocks\nmodule\nallocator\nopenacc' ;;
	--ranges) _gpmu_list "$2" $'kernel\nnvtx\nregion' ;;
	--replay) _gpmu_words "$2" $'kernel\nuser\napplication' ;;
	--sass-by) _gpmu_words "$2" $'function\nline\ninstruction' ;;
	--color) _gpmu_words "$2" $'auto\nalways\nnever' ;;
	--by) _gpmu_list "$2" $'kernel\nnvtx\nstream\nrank\napi\ncopy\ngpu\nattribution\nmemory\ncounter\nthread\nfunction\nobject\nline\noffset\nstall\npc\nmodule\nopenacc\nprocess\ncpu\nnode\ntier\nhome\ndata\npage\nop\ncomm\nstack\nevent\nlaunch\nmetric\nsource\nadvice' ;;
	--format) _gpmu_words "$2" $'text\ncsv\njson' ;;
	--link) _gpmu_words "$2" $'c2c\npcie\nnvlink\ndram' ;;
	-o | --output | --events | --source | --rules) compopt -o default 2> /dev/null ;;
	*) return 1 ;;
	esac
	return 0
}

_gpmu() {
	local words cur shown sub=${COMP_WORDS[1]}

	COMPREPLY=()
	_gpmu_join
	cur=${words[-1]}
	if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $sub == help ]]; }; then
		_gpmu_words "$cur" "$(gpmu --help 2> /dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'; echo help)"
		return
	fi
	# bash replaces the text after the last "=" or ":" by the reply.
	shown=${COMP_WORDS[COMP_CWORD]}
	[[ $shown != [=:] ]] || shown=
	if [[ $cur == --*=* ]]; then
		_gpmu_value "${cur%%=*}" "${cur#*=}" "$sub"
		cur=${cur#*=}
	elif ! _gpmu_value "${words[-2]}" "$cur" "$sub"; then
		if [[ $cur == -* ]]; then
			_gpmu_words "$cur" "$(_gpmu_options "$sub")"
		elif [[ $sub == list ]]; then
			_gpmu_words "$cur" $'metric\ngroup\nevent\npmu\ntracepoint'
		elif [[ $sub == stat || $sub == traffic ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		else
			compopt -o default 2> /dev/null
		fi
	fi
	COMPREPLY=("${COMPREPLY[@]#"${cur%"$shown"}"}")
}

complete -F _gpmu gpmu
