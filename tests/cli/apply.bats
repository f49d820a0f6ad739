#!/usr/bin/env bats
# plan, apply, rollback, history from outside: what they refuse, what they say, that nothing moves where nothing may. All of it
# in a network namespace made for the test.

load helper

# The rules of the test: two settings of a network namespace, one of them with a cost.
settings() {
	mkdir -p "$DIR/rules"
	chmod 755 "$DIR/rules"
	cat > "$DIR/rules/test.rules" <<'R'
rule test.backlog
  title     "The accept queue takes 9000 connections"
  why       "A full queue drops connections."
  ref       "Documentation/networking/ip-sysctl.rst"
  risk      none
  direction raise
  want      sysctl["net.core.somaxconn"] >= 9000
  fix       sysctl.set(key = "net.core.somaxconn", value = 9000)
end

rule test.ecn
  title     "Congestion is told, not guessed"
  why       "A test."
  ref       "Documentation/networking/ip-sysctl.rst"
  risk      workload
  direction exact
  want      sysctl["net.ipv4.tcp_ecn"] == 1
  fix       sysctl.set(key = "net.ipv4.tcp_ecn", value = 1)
end

profile mine
  title "For the tests"
  rules test.*
end
R
}

# inside 'SCRIPT': in a namespace of its own, with the program as $T and options of the test as $R and $S.
inside() {
	[ -d "$DIR/rules" ] || settings
	cat > "$DIR/script" <<S
T=$TUNEAUDIT
R="--rules $DIR/rules --profile mine"
S="--state $DIR/state"
value() { cat /proc/sys/net/core/somaxconn; }
$1
S
	in_namespace
}

@test "apply, history, rollback: there and back" {
	inside 'value; $T apply $R $S --yes --allow-workload; value; $T history $S; $T rollback $S --yes; value; $T rollback $S --yes'
	expect 0
	contains "$output" "2 changes made and verified."
	contains "$output" "net.core.somaxconn: 4096 -> 9000"
	contains "$output" "applied, profile mine, 2 changes"
	contains "$output" "Run 1: rolled-back."
	contains "$output" "There is nothing to put back."
	contains "$output" "Not kept over a restart"
	[ "$(grep -c '^4096$' "$DIR/out")" -eq 2 ]
	is_ascii
	[ "$(awk 'length > 80 && !/rollback/' "$DIR/out")" = "" ]
}

@test "two runs are undone one by one, the newest first" {
	inside '$T apply $R $S --yes > /dev/null; echo 4000 > /proc/sys/net/core/somaxconn
		$T apply $R $S --yes > /dev/null; $T rollback $S --yes; value; $T rollback $S --yes || echo "code $?"'
	expect 0
	contains "$output" "Run 2: rolled-back."
	contains "$output" "4000"
	contains "$output" "left as it is, changed since: we had set"
	contains "$output" "code 1"
	contains "$errors" "--force"
}

@test "JSON of plan and history follows its schema" {
	inside '$T plan $R --format json'
	expect 0
	valid plan
	inside '$T apply $R $S --yes > /dev/null; $T history $S --format json'
	expect 0
	valid history
	inside '$T history --state /nonexistent --format json'
	expect 0
	valid history
}

@test "plan and --dry-run write nothing" {
	inside 'snap() { find /proc/sys/net/core /proc/sys/net/ipv4 -type f -exec grep -H . {} + 2> /dev/null || true; find /etc /sys/class -ls || true; }
		snap > '"$DIR"'/before
		$T plan $R > /dev/null; $T plan $R --format json > /dev/null; $T apply $R $S --dry-run --allow link-flap
		snap > '"$DIR"'/after
		[ ! -e '"$DIR"'/state ]'
	expect 0
	contains "$output" "Nothing was changed; 1 change would be made."
	contains "$output" "needs --allow-workload"
	cmp "$DIR/before" "$DIR/after"
}

@test "no terminal and no --yes: nothing is changed" {
	inside '$T apply $R $S || echo "code $?"; value; [ ! -e '"$DIR"'/state ]'
	expect 0
	contains "$output" "code 1"
	contains "$output" "4096"
	contains "$errors" "no terminal"
	inside '$T apply $R $S --yes > /dev/null; $T rollback $S || echo "code $?"; value'
	contains "$output" "code 1"
	contains "$output" "9000"
}

@test "what --allow does not cover is skipped and told; if nothing is left, the code is 1" {
	inside '$T apply $R $S --yes --only test.ecn || echo "code $?"'
	contains "$output" "net.ipv4.tcp_ecn (test.ecn): needs --allow-workload"
	contains "$output" "code 1"
	inside '$T apply $R $S --yes'
	expect 0
	contains "$output" "Skipped"
}

@test "a saved plan is applied as it is; a second time it is stale" {
	inside '$T plan $R --format json > '"$DIR"'/plan.json; $T apply --rules '"$DIR"'/rules --plan '"$DIR"'/plan.json $S --yes; value
		$T apply --rules '"$DIR"'/rules --plan '"$DIR"'/plan.json $S --yes || echo "code $?"'
	[ "$(id -u)" -eq 0 ] || skip "only root's plans are followed"
	expect 0
	contains "$output" "9000"
	contains "$output" "code 2"
	contains "$errors" "net.core.somaxconn was 4096 and is 9000 now"
}

@test "a plan that was edited, is of another host, or can be written by others is refused" {
	[ "$(id -u)" -eq 0 ] || skip "only root's plans are followed"
	inside '$T plan $R --format json > '"$DIR"'/plan.json
		cd '"$DIR"'; try() { $T apply --rules rules --plan "$1" $S --yes || echo "$1 code $?"; }
		sed s/9000/9001/ plan.json > edited.json; try edited.json
		sed s/net.core.somaxconn/kernel.core_pattern/ plan.json > sink.json; try sink.json
		sed "s/\"rule\":/\"skip\":true,&/" plan.json > unknown.json; try unknown.json
		python3 -m json.tool plan.json > anew.json; try anew.json
		(cat plan.json; printf "\000more") > nul.json; try nul.json
		sed "s/\"machine\":\"[^\"]*\"/\"machine\":\"0000000000000000\"/" plan.json > machine.json; try machine.json
		sed s,plan/1,plan/7, plan.json > newer.json; try newer.json
		head -c 300 plan.json > cut.json; try cut.json
		head -c 10000000 /dev/zero | tr "\\0" " " > long.json; try long.json
		cp plan.json open.json; chmod 666 open.json; try open.json
		mkdir -p shared; chmod 777 shared; cp plan.json shared/plan.json; try shared/plan.json
		ln -s plan.json link.json; try link.json
		value; [ ! -e state ]'
	expect 0
	for f in edited sink unknown anew nul machine newer cut long open shared/plan link; do
		contains "$output" "$f.json code 2"
	done
	contains "$errors" "edited after it was made"
	contains "$errors" "kernel.core_pattern is not in the table"
	contains "$errors" "tuneaudit.plan/7"
	contains "$errors" "no whole JSON"
	contains "$errors" "larger than"
	contains "$output" "4096"
	inside '$T plan $R --format json > '"$DIR"'/plan.json
		unshare -n $T apply --rules '"$DIR"'/rules --plan '"$DIR"'/plan.json $S --yes || echo "code $?"
		$T apply $R $S --yes > /dev/null; unshare -n $T rollback $S --yes || echo "rollback $?"; value'
	contains "$output" "code 2"
	contains "$output" "rollback 2"
	contains "$output" "9000"
	contains "$errors" "another network namespace"
}

@test "a plan made at the console is weighed again where it is applied: by whom the host is reached, what its rules say now" {
	[ "$(id -u)" -eq 0 ] || skip "only root's plans are followed"
	command -v ip > /dev/null || skip "no ip(8)"
	settings
	cat > "$DIR/rules/gro.rules" << 'R'
rule gro.on
  title "t"  why "w"  ref "r"  risk none  direction exact
  each  nic in nics
  when  nic.key == "v0"
  want  false
  fix   nic.features(ifname = nic.key, name = "rx-gro", on = true)
end
profile gro  title "g"  rules gro.*  end
R
	inside 'mount -t sysfs none /sys; ip link set lo up
		ip link add v0 type veth peer name v1; ip addr add 10.9.9.1/24 dev v0; ip link set v0 up; ip link set v1 up
		F="--rules '"$DIR"'/rules"; P="--plan '"$DIR"'/plan.json"
		env SSH_CONNECTION="127.0.0.1 1 127.0.0.1 22" $T plan $F --profile gro --format json > '"$DIR"'/plan.json
		SSH_CONNECTION="10.9.9.2 1 10.9.9.1 22" $T apply $F $P $S --yes || echo "over it $?"
		SSH_CONNECTION="127.0.0.1 1 127.0.0.1 22" $T apply $F $P $S --dry-run
		sed -i "s/risk none/risk flow-reset/" '"$DIR"'/rules/gro.rules
		SSH_CONNECTION="127.0.0.1 1 127.0.0.1 22" $T apply $F $P $S --yes || echo "risky $?"'
	expect 0
	contains "$output" "needs --allow link-flap"
	contains "$output" "over it 1"
	contains "$output" "1 change would be made"
	contains "$output" "needs --allow flow-reset"
	contains "$output" "risky 1"
}

@test "rules that others than root may write are read by check and never used by apply" {
	[ "$(id -u)" -eq 0 ] || skip "needs files of root"
	settings
	chmod 666 "$DIR/rules/test.rules"
	inside '$T check $R --only test.backlog > /dev/null || echo "check $?"; $T apply $R $S --yes || echo "apply $?"; value'
	contains "$output" "check 1"
	contains "$output" "apply 2"
	contains "$output" "4096"
	contains "$errors" "test.rules is left out"
	chmod 644 "$DIR/rules/test.rules"
	chmod 777 "$DIR/rules"
	inside '$T apply $R $S --yes || echo "apply $?"; value'
	contains "$output" "apply 2"
	chmod 755 "$DIR/rules"
	chown 65534 "$DIR/rules/test.rules"
	inside '$T plan $R || echo "plan $?"'
	contains "$output" "plan 2"
}

@test "a state directory that is not ours alone is refused" {
	inside 'cd '"$DIR"'; try() { $T apply $R --state "$1" --yes || echo "$1 code $?"; }
		mkdir open; chmod 777 open; try open
		mkdir real; ln -s real link; try link
		echo > file; try file
		try missing/state
		[ "$(id -u)" -ne 0 ] || { mkdir -p his/state; chown 65534 his 2> /dev/null && try his/state || echo "his/state code 2"; }
		value'
	expect 0
	contains "$output" "open code 2"
	contains "$output" "link code 2"
	contains "$output" "his/state code 2"
	contains "$output" "file code 5"
	contains "$output" "missing/state code 5"
	contains "$output" "4096"
	contains "$errors" "can be written by others"
	contains "$errors" "is a link"
}

@test "what cannot be written from here is told beside what was done" {
	inside 'E=/proc/sys/net/ipv4/tcp_ecn; mount --bind $E $E; mount -o remount,ro,bind $E
		$T apply $R $S --yes --allow-workload; value'
	expect 0
	contains "$output" "1 change made and verified."
	contains "$output" "Could not be done"
	contains "$output" "net.ipv4.tcp_ecn cannot be written from here: Read-only file system"
	contains "$output" "9000"
}

@test "what was stuck and has been set by somebody else since is his; what was not moved is put back" {
	inside '$T apply $R $S --yes --allow-workload > /dev/null; E=/proc/sys/net/ipv4/tcp_ecn; ecn() { cat $E; }
		mount --bind $E $E; mount -o remount,ro,bind $E; $T rollback $S --yes || echo "code $?"; umount $E
		cp -r '"$DIR"'/state '"$DIR"'/copy; echo 0 > $E
		$T rollback $S --yes || echo "his $?"; echo "ecn $(ecn)"
		echo 1 > $E; $T rollback --state '"$DIR"'/copy --yes; echo "ecn $(ecn)"'
	expect 0
	contains "$output" "code 6"
	contains "$output" "sysctl -w net.ipv4.tcp_ecn=2"
	contains "$output" "his 1"
	contains "$output" "we had set 1, it is 0"
	contains "$output" "ecn 0"
	contains "$output" "ecn 2"
	lacks "$output" "not known how far"
}

@test "runs that are not there, are undone already, or have the last number" {
	inside '$T rollback 7 $S --yes || echo "none $?"; $T apply $R $S --yes > /dev/null; $T rollback 7 $S --yes || echo "seven $?"
		$T rollback 1 $S --yes > /dev/null; $T rollback 1 $S --yes
		touch '"$DIR"'/state/4294967295.jsonl; chmod 600 '"$DIR"'/state/4294967295.jsonl; $T apply $R $S --yes || echo "last $?"; value
		rm '"$DIR"'/state/4*; ln -s 1.jsonl '"$DIR"'/state/2.jsonl; $T history $S || echo "link $?"'
	expect 0
	contains "$output" "none 2"
	contains "$output" "seven 2"
	contains "$output" "Run 1: rolled-back already; there is nothing to put back."
	contains "$output" "last 5"
	contains "$output" "4096"
	contains "$output" "link 2"
	contains "$errors" "2.jsonl is a link"
}

@test "a run that is under way is no interrupted one" {
	inside '$T apply $R $S --yes > /dev/null; head -n 2 '"$DIR"'/state/1.jsonl > '"$DIR"'/cut; cp '"$DIR"'/cut '"$DIR"'/state/1.jsonl
		( flock 9; $T history $S; $T history $S --format json > '"$DIR"'/json ) 9> '"$DIR"'/state/lock; $T history $S
		$T apply $R $S --yes --allow-workload || echo "code $?"'
	expect 0
	contains "$output" "running, profile mine"
	contains "$output" "interrupted, profile mine"
	contains "$output" "code 1"
	contains "$errors" "rollback 1 --state $DIR/state"
	cp "$DIR/json" "$DIR/out"
	valid history
}

@test "who it was is told as it was said, in one line; a restart of the host since is told" {
	cat > "$DIR/rewrite" << 'PYTHON'
import json, sys
lines = open(sys.argv[1]).read().split("\n")
run = json.loads(lines[0])
del run["sum"]
run["boot"] = "another"
text = json.dumps(run, separators=(",", ":"))[:-1]
total = 0xcbf29ce484222325
for byte in text.encode() + b"\0":
    total = (total ^ byte) * 0x100000001b3 % 2**64
lines[0] = text + ",\"sum\":\"%016x\"}" % total
open(sys.argv[1], "w").write("\n".join(lines))
PYTHON
	inside 'SUDO_USER=$(printf "x\033[1m\n9. y") $T apply $R $S --yes > /dev/null; $T history $S; $T history $S --format json > '"$DIR"'/json
		python3 '"$DIR"'/rewrite '"$DIR"'/state/1.jsonl; $T history $S; $T rollback $S --yes || echo "code $?"; value'
	expect 0
	contains "$output" 'sudo by x\x1b[1m\x0a9. y: applied'
	contains "$output" "the host was restarted since"
	contains "$output" "code 1"
	contains "$output" "9000"
	cp "$DIR/json" "$DIR/out"
	valid history
}

@test "an interface that is gone cannot be put back, by force neither" {
	command -v ip > /dev/null || skip "no ip(8)"
	settings
	cat > "$DIR/rules/length.rules" << 'R'
rule length.short
  title "t"  why "w"  ref "r"  risk none  direction exact
  each  nic in nics
  when  nic.kind == "virtual"
  want  false
  fix   nic.txqueuelen(ifname = nic.key, packets = 2777)
end
profile length  title "l"  rules length.*  end
R
	inside 'mount -t sysfs none /sys; ip link add v0 type veth peer name v1
		$T apply --rules '"$DIR"'/rules --profile length $S --yes > /dev/null; ip link del v0
		$T rollback $S --yes || echo "code $?"; $T rollback $S --yes --force || echo "force $?"'
	expect 0
	contains "$output" "is gone"
	contains "$output" "code 1"
	contains "$output" "force 1"
	contains "$errors" "what it changed is gone in part"
	lacks "$errors" "--force"
}

@test "a result that nobody can see is no change that nobody is told of" {
	inside '$T apply $R $S --yes > /dev/full || echo "code $?"; value; $T rollback $S --yes >&- || echo "back $?"; value'
	expect 0
	contains "$output" "code 70"
	contains "$output" "9000"
	contains "$output" "back 70"
	contains "$output" "4096"
	contains "$errors" "the changes are made"
	contains "$errors" "what was put back is in"
}

@test "two at once: the second one waits for nobody, and changes nothing" {
	inside 'mkdir '"$DIR"'/state; chmod 700 '"$DIR"'/state; ( flock 9; $T apply $R $S --yes || echo "code $?"; $T rollback $S --yes || echo "code $?" ) 9> '"$DIR"'/state/lock; value'
	expect 0
	[ "$(grep -c 'code 75' "$DIR/out")" -eq 2 ]
	contains "$output" "4096"
}

@test "an interrupted run is to be undone before another one begins" {
	inside '$T apply $R $S --yes > /dev/null; head -n 2 '"$DIR"'/state/1.jsonl > '"$DIR"'/cut; cp '"$DIR"'/cut '"$DIR"'/state/1.jsonl
		$T history $S; $T apply $R $S --yes --allow-workload || echo "code $?"; $T rollback $S --yes; value; $T apply $R $S --yes > /dev/null; value'
	expect 0
	contains "$output" "interrupted"
	contains "$output" "code 1"
	contains "$output" "put back"
	contains "$output" "4096"
	contains "$output" "9000"
}

@test "a journal that was edited, cut, or is of a newer version" {
	inside '$T apply $R $S --yes > /dev/null; cd '"$DIR"'; cp state/1.jsonl good
		try() { $T rollback $S --yes || echo "$1 code $?"; value; cp good state/1.jsonl; }
		sed -i s/4096/5000/ state/1.jsonl; try edited
		sed -i s,journal/1,journal/2, state/1.jsonl; try newer
		head -c 12000000 /dev/zero > state/1.jsonl; try long
		chown 65534 state/1.jsonl 2> /dev/null || chmod 666 state/1.jsonl; try foreign; chmod 600 state/1.jsonl; chown 0 state/1.jsonl
		head -c -40 good > state/1.jsonl; try cut'
	expect 0
	contains "$output" "edited code 2"
	contains "$output" "newer code 2"
	contains "$output" "long code 2"
	contains "$output" "foreign code 2"
	contains "$output" "Run 1: rolled-back."
	[ "$(tail -n 1 "$DIR/out")" = 4096 ]
	contains "$errors" "was changed after it was written"
}

@test "a file system that cannot be written: clear words, nothing changed" {
	inside 'mkdir '"$DIR"'/full; mount -t tmpfs -o size=4k,nr_inodes=2 none '"$DIR"'/full; $T apply $R --state '"$DIR"'/full/state --yes || echo "full $?"
		mount -o remount,ro none '"$DIR"'/full; $T apply $R --state '"$DIR"'/full/state2 --yes || echo "ro $?"
		mount --bind /proc/sys /proc/sys; mount -o remount,ro,bind /proc/sys; $T plan $R; $T apply $R $S --yes || echo "sys $?"; value'
	expect 0
	contains "$output" "full 5"
	contains "$output" "ro 5"
	contains "$output" "cannot be written from here: Read-only file system"
	contains "$output" "Nothing was changed: it cannot be done from here."
	contains "$output" "sys 1"
	contains "$output" "4096"
	contains "$errors" "No space left on device"
	contains "$errors" "--state COPY"
}

@test "odd names go through plan, journal and terminal as they are" {
	command -v ip > /dev/null || skip "no ip(8)"
	settings
	cat > "$DIR/rules/odd.rules" << 'R'
rule odd.length
  title "t"  why "w"  ref "r"  risk none  direction exact
  each  nic in nics
  when  nic.kind == "virtual"
  want  false
  fix   nic.txqueuelen(ifname = nic.key, packets = 2777)
end
profile odd  title "o"  rules odd.*  end
R
	printf '%s\n' 'a$(id)' 'b`id`' "c'" 'd"' 'f*?' 'g\x' > "$DIR/names"
	inside 'mount -t sysfs none /sys
		i=0; while IFS= read -r n; do i=$((i + 1)); ip link add name "$n" type veth peer name "p$i"; done < '"$DIR"'/names
		lengths() { ip -o link | sed -n "s/^[0-9]*: \([^:]*\)@[^:]*:.*qlen \([0-9]*\).*/\1 \2/p"; }
		lengths > '"$DIR"'/before
		$T plan --rules '"$DIR"'/rules --profile odd --format json > '"$DIR"'/plan.json
		$T apply --rules '"$DIR"'/rules --profile odd $S --yes; $T history 1 $S; lengths > '"$DIR"'/between; $T rollback $S --yes
		lengths > '"$DIR"'/after'
	expect 0
	cmp "$DIR/before" "$DIR/after"
	[ "$(grep -c 2777 "$DIR/between")" -eq 12 ]
	contains "$output" 'a$(id)'
	contains "$output" 'g\x'
	contains "$output" "Run 1: rolled-back."
	is_ascii
	python3 - "$DIR" << 'PYTHON'
import json, subprocess, sys
names = open(sys.argv[1] + "/names").read().split("\n")[:-1] + [f"p{i}" for i in range(1, 7)]
plan = json.load(open(sys.argv[1] + "/plan.json"))
assert sorted(a["target"] for a in plan["actions"]) == sorted(names), plan
for a in plan["actions"]:  # every command is one the shell reads as it was meant
    words = subprocess.run(["sh", "-c", "ip() { printf '%s\\n' \"$@\"; }\n" + a["command"]], capture_output=True, text=True, check=True)
    assert a["target"] in words.stdout.split("\n"), (a["command"], words.stdout)
PYTHON
}

# length_rules: the queue of the interface v0 is to be longer.
length_rules() {
	settings
	cat > "$DIR/rules/length.rules" << 'R'
rule length.v0
  title "t"  why "w"  ref "r"  risk none  direction exact
  each  nic in nics
  when  nic.key == "v0"
  want  nic.txqueuelen == 2777
  fix   nic.txqueuelen(ifname = nic.key, packets = 2777)
end
profile length  title "l"  rules length.*  end
R
}

@test "an interface is put back under its new name; another one of its old name is let alone; one that is gone is told" {
	command -v ip > /dev/null || skip "no ip(8)"
	length_rules
	inside 'mount -t sysfs none /sys; L="--rules '"$DIR"'/rules --profile length"
		qlen() { cat /sys/class/net/$1/tx_queue_len; }
		ip link add v0 type veth peer name p0; $T apply $L $S --yes > /dev/null; qlen v0
		ip link set v0 name w0; ip link add v0 txqueuelen 2777 type veth peer name p1
		$T rollback $S --yes; echo "w0 $(qlen w0)"; echo "v0 $(qlen v0)"
		ip link del v0; ip link set w0 name v0; $T apply $L $S --yes > /dev/null; ip link del v0
		$T rollback $S --yes || echo "code $?"'
	expect 0
	contains "$output" "w0 txqueuelen: 1000 -> 2777: put back"
	contains "$output" "w0 1000"
	contains "$output" "v0 2777"
	contains "$output" "is gone"
	contains "$output" "code 1"
}

@test "what the host, or the caller, is reached by is not touched unasked" {
	command -v ip > /dev/null || skip "no ip(8)"
	settings
	cat > "$DIR/rules/gro.rules" << 'R'
rule gro.on
  title "t"  why "w"  ref "r"  risk none
  each  nic in nics
  when  nic.key in ["a0", "b0", "c0"]
  want  nic.features.rx-gro
  fix   nic.features(ifname = nic.key, name = "rx-gro", on = true)
end
profile gro  title "g"  rules gro.*  end
R
	command -v ethtool > /dev/null || skip "no ethtool(8)"
	inside 'mount -t sysfs none /sys; L="--rules '"$DIR"'/rules --profile gro"
		for n in a b c; do ip link add ${n}0 type veth peer name ${n}1; ethtool -K ${n}0 gro off; ip link set ${n}0 up; ip link set ${n}1 up; done
		ip addr add 192.0.2.1/24 dev b0; ip addr add 198.51.100.1/24 dev c0; ip route add default via 198.51.100.2
		export SSH_CONNECTION="192.0.2.9 4000 192.0.2.1 22"
		$T plan $L --format json > '"$DIR"'/ssh.json
		sh -c "env -u SSH_CONNECTION $T plan $L --format json; :" > '"$DIR"'/sudo.json
		unset SSH_CONNECTION; $T plan $L --format json > '"$DIR"'/none.json
		$T apply $L $S --yes'
	expect 0
	contains "$output" "2 changes made"
	contains "$output" "c0 features rx-gro (gro.on): needs --allow link-flap"
	python3 - "$DIR" << 'PYTHON'
import json, sys
def cut(name):
    actions = json.load(open(f"{sys.argv[1]}/{name}.json"))["actions"]
    return [a["subject"].split()[0] for a in actions if a["management"] and a["disruption"] == "link-flap"]
assert cut("ssh") == ["b0", "c0"], cut("ssh")
assert cut("sudo") == ["b0", "c0"], cut("sudo")
assert cut("none")[-1] == "c0", cut("none")
PYTHON
}

@test "on a terminal it asks first; only yes is yes, and Ctrl-C is none" {
	settings
	cat > "$DIR/terminal.py" << 'PYTHON'
import os, pty, signal, sys
signal.alarm(20)  # nobody waits for ever
answer, command = sys.argv[1].encode().decode("unicode_escape").encode(), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # also where the suite runs in the background
    os.execv(command[0], command)
seen = b""
while b"[y/N]" not in seen:
    seen += os.read(fd, 4096)
os.write(fd, answer)
while True:
    try:
        more = os.read(fd, 4096)
    except OSError:
        break
    if not more:
        break
    seen += more
sys.stdout.write(seen.decode().replace("\r", ""))
print("code", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON
	inside 'for a in "n\\n" "\\n" "yesterday\\n" "\\x03"; do python3 '"$DIR"'/terminal.py "$a" $T apply $R $S; value; done
		[ ! -e '"$DIR"'/state ]'
	expect 0
	[ "$(grep -c '^code 1$' "$DIR/out")" -eq 3 ]
	[ "$(grep -c '^code 130$' "$DIR/out")" -eq 1 ]
	[ "$(grep -c '^4096$' "$DIR/out")" -eq 4 ]
	contains "$output" "Make 1 of these 2 changes? [y/N]"
	inside 'python3 '"$DIR"'/terminal.py "y\\n" $T apply $R $S; value; python3 '"$DIR"'/terminal.py "y\\n" $T rollback $S; value'
	expect 0
	[ "$(grep -c '^code 0$' "$DIR/out")" -eq 2 ]
	contains "$output" "9000"
	[ "$(tail -n 1 "$DIR/out")" = 4096 ]
}

@test "wrong options" {
	for s in 3601 -1 x ''; do
		ta apply --confirm-within "$s"
		expect 2
		contains "$errors" "0 to 3600"
	done
	ta apply --plan x --profile base
	expect 2
	ta apply --allow everything
	expect 2
	ta rollback 0
	expect 2
	ta rollback --all 3
	expect 2
	ta history x
	expect 2
}
