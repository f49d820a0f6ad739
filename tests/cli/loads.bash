# Shared by the .bats files of load runs: servers that misbehave, values of the JSON.

# bad KIND,KIND,... [kv]: starts servers of those kinds; the first one's address in $url, each one's by bad_url N. They end with the test,
# when their stdin does.
bad() {
	mkfifo "$DIR/hold"
	python3 "$TREE/tests/cli/badserver.py" "$@" < "$DIR/hold" > "$DIR/port" 3>&- &
	exec 7> "$DIR/hold"
	while [ ! -s "$DIR/port" ]; do sleep 0.05; done
	bad_scheme=${2:+redis}
	url=$(bad_url 1)
}

bad_url() {
	echo "${bad_scheme:-http}://127.0.0.1:$(sed -n "$1p" "$DIR/port")/"
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

# A client that sends its last request and its end in one segment gets its reply, and the connection is not kept.
ask_and_end() {
	python3 - "$1" "$2" <<- 'PYTHON'
		import socket, sys
		with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as s:
		    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
		    s.sendall(sys.argv[2].encode().decode("unicode_escape").encode())
		    s.shutdown(socket.SHUT_WR)
		    got = b""
		    while piece := s.recv(65536):
		        got += piece
		print(got.decode())
	PYTHON
}
