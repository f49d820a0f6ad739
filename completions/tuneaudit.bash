# Completion of tuneaudit for bash: asks the program itself what may stand at the cursor ("tuneaudit complete --help").

_tuneaudit()
{
	local words=() typed=${COMP_WORDS[COMP_CWORD]} kind value i before=
	local program=${COMP_WORDS[0]/#\~\//$HOME/}

	# Bash splits --name=value at the sign, and addresses at their colons: pieces of one word belong together.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		value=${COMP_WORDS[i]}
		case $value in
		=* | :*) ((${#words[@]})) && words[-1]+=$value || words+=("$value") ;;
		*)
			case $before in
			= | :*) words[-1]+=$value ;;
			*) words+=("$value") ;;
			esac
			;;
		esac
		before=$value
	done
	[ "$typed" != = ] || typed=

	COMPREPLY=()
	{
		read -r kind || return 0
		case $kind in
		files | directories)
			compopt -o filenames 2>/dev/null
			[ "$kind" = files ] && kind=-f || kind=-d
			while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen "$kind" -- "$typed")
			;;
		values) while IFS=$'\t' read -r value _; do COMPREPLY+=("$value"); done ;;
		esac
	} < <("$program" complete -- "${words[@]}" 2>/dev/null)
}

complete -F _tuneaudit tuneaudit
