# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# bash completion of gpmu: subcommands, options, and the names of this machine's
# metrics and events. gpmu itself is asked for all of them.

# _gpmu_words WORD WORDS: those that begin with WORD, in either case
_gpmu_words() {
	local word

	while IFS= read -r word; do
		[[ ${word,,} != "${1,,}"* ]] || COMPREPLY+=("$word")
	done <<< "$2"
}

# _gpmu_list WORD WORDS: the last of a list separated by commas
_gpmu_list() {
	local before=

	[[ $1 != *,* ]] || before=${1%,*},
	_gpmu_words "${1##*,}" "$2"
	COMPREPLY=("${COMPREPLY[@]/#/$before}")
	compopt -o nospace 2> /dev/null
}

# _gpmu_options SUBCOMMAND
_gpmu_options() {
	gpmu "$1" --help 2> /dev/null | grep -oE '^ {2,6}(-[^ ]+ )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

_gpmu() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} sub=${COMP_WORDS[1]}

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_gpmu_words "$cur" "$(gpmu --help 2> /dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'; echo help)"
		return
	fi
	# bash splits --metrics=Gra at "=".
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $prev in
	-M | --metrics) _gpmu_list "$cur" "$(gpmu list --names metric 2> /dev/null; gpmu list --names group 2> /dev/null)" ;;
	-e | --event) _gpmu_list "$cur" "$(gpmu list --names event 2> /dev/null)" ;;
	--color) _gpmu_words "$cur" $'auto\nalways\nnever' ;;
	-o | --output | --events | --source) compopt -o default 2> /dev/null ;;
	*)
		if [[ $cur == -* ]]; then
			_gpmu_words "$cur" "$(_gpmu_options "$sub")"
		elif [[ $sub == list ]]; then
			_gpmu_words "$cur" $'metric\ngroup\nevent\npmu\ntracepoint'
		elif [[ $sub == stat || $sub == traffic ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		else
			compopt -o default 2> /dev/null
		fi
		;;
	esac
}

complete -F _gpmu gpmu
