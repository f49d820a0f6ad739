# Shared by the .bats files: the program, a place for files, hosts made from descriptions.

TUNEAUDIT=${TUNEAUDIT:?the path of the program}
TREE=$BATS_TEST_DIRNAME/../..
export COLUMNS=80 LC_ALL=C
unset NO_COLOR

setup() {
	# Made here and not before: 0755, so that other users can read captures in it.
	DIR=$(mktemp -d "${BATS_TMPDIR:-/tmp}/tuneaudit.XXXXXX")
	chmod 755 "$DIR"
}

teardown() {
	rm -rf --one-file-system "$DIR"
}

# The program with stdout in $output and stderr in $errors, code in $status.
ta() {
	status=0
	"$TUNEAUDIT" "$@" > "$DIR/out" 2> "$DIR/err" || status=$?
	output=$(cat "$DIR/out")
	errors=$(cat "$DIR/err")
}

# fixture NAME: makes that host and prints its directory.
fixture() {
	python3 "$TREE/fixtures/generate.py" "$TREE/fixtures/hosts/$1.json" "$DIR/$1" > /dev/null
	echo "$DIR/$1"
}

# A host of a few files: file PATH TEXT in the capture $HOST.
file() {
	mkdir -p "$HOST/$(dirname "$1")"
	printf '%s\n' "$2" > "$HOST/$1"
}

valid() {
	python3 "$TREE/tests/cli/schema.py" "$TREE/docs/schemas/$1.schema.json" < "$DIR/out"
}

is_ascii() {
	if LC_ALL=C grep -n '[^ -~]' "$DIR/out"; then
		return 1
	fi
}

expect() {
	[ "$status" -eq "$1" ] || {
		echo "exit code $status, not $1"
		echo "stdout: $output"
		echo "stderr: $errors"
		return 1
	}
}

contains() {
	case $1 in
	*"$2"*) ;;
	*)
		echo "'$2' is not in:"
		echo "$1"
		return 1
		;;
	esac
}

lacks() {
	case $1 in
	*"$2"*)
		echo "'$2' is in:"
		echo "$1"
		return 1
		;;
	esac
}

# in_namespace: the shell script $DIR/script in namespaces of its own (network, mounts), as root or as root there; as ta otherwise.
in_namespace() {
	local flags=-nm
	[ "$(id -u)" -eq 0 ] || flags=-rnm
	unshare $flags true 2> /dev/null || skip "there are no namespaces here"
	status=0
	unshare $flags sh -eu "$DIR/script" > "$DIR/out" 2> "$DIR/err" < /dev/null || status=$?
	output=$(cat "$DIR/out")
	errors=$(cat "$DIR/err")
}

# A run at a fixed rate, in JSON, is without errors; a busy machine may owe the last answers.
kept_its_rate() {
	[ "$status" -eq 0 ] || [ "$(jq -c '.errors | keys' "$DIR/out")" = '["unanswered"]' ]
}
