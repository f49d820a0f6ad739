# Completion of tuneaudit for fish: asks the program itself what may stand at the cursor ("tuneaudit complete --help").

function __tuneaudit_complete
	set -l words (commandline -opc)
	set -l typed (commandline -ct)
	set -l name (string match -r -- '^--[^=]*=' $typed)
	set -l lines ($words[1] complete -- $words[2..-1] "$typed" 2>/dev/null)
	switch "$lines[1]"
		case files
			printf '%s\n' "$name"(__fish_complete_path (string replace -- "$name" '' "$typed"))
		case directories
			printf '%s\n' "$name"(__fish_complete_directories (string replace -- "$name" '' "$typed"))
		case values
			# Values of --name=value come without the name.
			printf '%s\n' "$name"$lines[2..-1]
	end
end

complete -c tuneaudit -f -a '(__tuneaudit_complete)'
