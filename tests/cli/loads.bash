# Shared by the .bats files of load runs: servers that misbehave, values of the JSON.

# bad KIND [kv]: starts a server of that kind; its address in $url. It ends with the test, when its stdin does.
bad() {
	mkfifo "$DIR/hold"
	python3 "$TREE/tests/cli/badserver.py" "$@" < "$DIR/hold" > "$DIR/port" 3>&- &
	exec 7> "$DIR/hold"
	while [ ! -s "$DIR/port" ]; do sleep 0.05; done
	url=${2:+redis}
	url=${url:-http}://127.0.0.1:$(cat "$DIR/port")/
}

# field PATH: a value of the JSON in $DIR/out.
field() {
	python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))
for k in sys.argv[2].split("/"):
    v = v[int(k)] if isinstance(v, list) else v.get(k)
print(v)' "$DIR/out" "$1"
}

# above PATH NUMBER
above() {
	python3 -c 'import sys; sys.exit(not float(sys.argv[1]) > float(sys.argv[2]))' "$(field "$1")" "$2"
}
