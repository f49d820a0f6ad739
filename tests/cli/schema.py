#!/usr/bin/env python3
"""Holds a JSON document (stdin) against a schema file, by the library jsonschema.

    schema.py SCHEMA < DOCUMENT
"""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    # The distribution's package belongs to the distribution's Python.
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)


def faults(schema, document):
    """Texts; the schema itself has to be one."""
    kind = jsonschema.validators.validator_for(schema, default=None)
    if kind is None:
        return ["the schema does not say of which version of JSON Schema it is ($schema)"]
    kind.check_schema(schema)
    found = kind(schema).iter_errors(document)
    return [f"{e.json_path}: {e.message:.200}" for e in sorted(found, key=lambda e: list(map(str, e.absolute_path)))]


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    found = faults(schema, json.load(sys.stdin))
    for fault in found[:20]:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
