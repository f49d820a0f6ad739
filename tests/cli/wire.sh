#!/bin/sh
# wire.sh PROGRAM DIR COMMAND...: runs COMMAND in a network namespace that is joined by veth with that of a peer (load serve --listen), whose
# address is in $url and whose token is in TUNEAUDIT_TOKEN. To be started by unshare -rnm. Both ends have CPU times of their own (DIR/here,
# DIR/there, made up by clock.py), and the peer a boot of its own: to the program it is another machine.
set -eu
program=$1
dir=$2
shift 2
unshare -nm sleep 100 &
other=$!
trap 'kill $clock $other' EXIT
while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
there() {
	nsenter -t $other -n -m "$@"
}
ip link set lo up
ip link add v0 type veth peer name v1 netns $other
ip addr add 192.0.2.1/24 dev v0
ip link set v0 up
there ip addr add 192.0.2.2/24 dev v1
there ip link set v1 up
there ip link set lo up
python3 "$(dirname "$0")/clock.py" "$dir/here" "${HERE:-0 99}" "$dir/there" "${THERE:-0 99}" &
clock=$!
while [ ! -s "$dir/there" ] && kill -0 $clock; do sleep 0.02; done
echo 01234567-89ab-cdef-0123-456789abcdef > "$dir/boot_id"
there mount --bind "$dir/boot_id" /proc/sys/kernel/random/boot_id
there mount --bind "$dir/there" /proc/stat
mount --bind "$dir/here" /proc/stat
: > "$dir/peer"
nsenter -t $other -n -m "$program" load serve --listen 192.0.2.2:7411 > "$dir/peer" & # not by a function: that would be a shell of its own
peer=$!
trap 'kill $peer $clock $other' EXIT
while [ "$(wc -l < "$dir/peer")" -lt 2 ] && kill -0 $peer; do sleep 0.02; done
url=$(head -1 "$dir/peer")
TUNEAUDIT_TOKEN=$(sed -n 's/^TUNEAUDIT_TOKEN=//p' "$dir/peer")
export url TUNEAUDIT_TOKEN
"$@"
