"""Hosts whose names are chosen to break out of every format."""
import json
import os
import shutil
import subprocess
import sys

# Each with what is a byte of another trade: HTML, terminals, lines, quotes, XML's end, workflow commands, cells, bytes that are
# not UTF-8, text that runs backwards.
NAMES = [
    "$(id)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)<!--",
    "\x1b[31mred\x1b]0;title\x07",
    "new\nline\r::error::x",
    "quo\"te'&amp;\\",
    "\udcff\udcfe\udcc3bad",
    "]]>--><!DOCTYPE x>",
    "::stop-commands::t %0A%2C",
    "a|b`c``d](http://x)@user#1",
    "\u202erlo \u2028 \ufeff",
    "${{ github.token }}",
]
QDISC = b"\"><script>\x1b]0;x\x07|`x`\n::error::z %0A \xff'"
HOSTNAME = b"h<script>\"'&\x1b[31m\xff\xfe|`]]>-->\n::error::x\n"
RULES = r'''rule hostile.title
  title    "<b>&amp;|`x`]]> ${{ secrets.X }} ::error::t \\ @user [a](http://x) \" ![i](http://y)"
  why      "<script>alert(1)</script> | ``` ~~~ # heading %0A"
  advice   "<img src=x> | `a` ]]>"
  ref      "javascript:alert(1)"
  severity error
  want     cpu.online > 100000
  case pass "many" { cpu.online = 100001 }
  case fail "few" { cpu.online = 1 }
  case unknown "hidden" { absent cpu.online denied "not permitted" }
end
'''


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def generate(tree, host, to):
    """A host of fixtures/hosts, changed."""
    shutil.rmtree(to, ignore_errors=True)
    description = to + ".json"
    with open(description, "w", encoding="utf-8") as f:
        json.dump(host, f)
    subprocess.run([sys.executable, f"{tree}/fixtures/generate.py", description, to], check=True, stdout=subprocess.DEVNULL)


def described(tree, name):
    with open(f"{tree}/fixtures/hosts/{name}.json", encoding="utf-8") as f:
        return json.load(f)


def hostile(tree, to):
    host = described(tree, "hostile-names")
    for i, name in enumerate(NAMES[1:]):
        host["nics"][name] = {"driver": "igb", "bus": f"0000:{i + 3:02x}:00.0"}
    generate(tree, host, to)
    write(to + "/proc/sys/kernel/hostname", HOSTNAME)
    write(to + "/proc/sys/net/core/default_qdisc", QDISC)
    write(to + "-rules/hostile.rules", RULES.encode())
    return ["--capture", to, "--rules", to + "-rules"]


def drifted(tree, to, program):
    """The hostile host, and what became of it since its baseline: a value and the name of an interface."""
    hostile(tree, to)
    subprocess.run([program, "baseline", "save", "--capture", to, to + ".baseline"], check=True, stdout=subprocess.DEVNULL)
    write(to + "/proc/sys/net/core/default_qdisc", b'x"><i>|`\x1b[31m]]>\n::error::y\xff')
    os.rename(to + "/sys/class/net/$(id)", to + "/sys/class/net/<i>|`]]>::")
    return ["--capture", to, "--baseline", to + ".baseline"]


def huge(tree, to):
    """Names of a megabyte, and the longest that a file can have."""
    host = described(tree, "hostile-names")
    for i in range(8):
        host["nics"][chr(97 + i) * 200 + "<" * 40] = {"driver": "igb", "bus": f"0000:{i + 3:02x}:00.0"}
    generate(tree, host, to)
    write(to + "/proc/sys/kernel/hostname", b"A<|\"" * (1 << 18))
    write(to + "/proc/sys/net/core/default_qdisc", b"q<&`\xff" * (1 << 18))
    return ["--capture", to]


def limits(tree, to, text):
    """A host whose largest number of open files is `text`."""
    generate(tree, described(tree, "hostile-names"), to)
    write(to + "/proc/sys/fs/file-max", text + b"\n")
    return ["--capture", to]
