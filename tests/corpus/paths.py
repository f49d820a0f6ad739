"""Paths of facts, and what a document of `tuneaudit facts --format json` holds at them."""
import json
import re

KEY = re.compile(r'\.?([A-Za-z_][A-Za-z0-9_-]*|[0-9]+)|\["((?:[^"\\]|\\.)*)"\]')


def keys(path):
    """'nics["eth0.1"].mtu' as its keys."""
    at, out = 0, []
    while at < len(path):
        m = KEY.match(path, at)
        if not m:
            raise ValueError(f"no path: {path}")
        out.append(m[1] if m[1] is not None else m[2].replace('\\"', '"').replace("\\\\", "\\"))
        at = m.end()
    return out


def lookup(doc, path):
    for key in keys(path):
        if not isinstance(doc, dict) or key not in doc:
            return None
        doc = doc[key]
    return doc


def reason(doc, path):
    """Why there is nothing at the path: what it or its nearest parent says."""
    texts = {json.dumps(keys(p)): h for p, h in doc["absent"].items()}
    parts = keys(path)
    for n in range(len(parts), 0, -1):
        found = texts.get(json.dumps(parts[:n]))
        if found:
            return found["reason"]
    return None
