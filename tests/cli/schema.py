#!/usr/bin/env python3
"""Holds a JSON document (stdin) against a schema file: the keywords that docs/schemas uses, no others.

    schema.py SCHEMA < DOCUMENT
"""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


class Validator:
    def __init__(self, root):
        self.root, self.faults = root, []

    def fault(self, path, text):
        self.faults.append(f"{path or '.'}: {text}")

    def check(self, schema, value, path):
        for keyword, wanted in schema.items():
            rule = getattr(self, "k_" + keyword.lstrip("$").replace("-", "_"), None)
            if rule is None:
                raise SystemExit(f"schema keyword {keyword} is not known here")
            rule(wanted, value, path, schema)

    def k_schema(self, *_):
        pass

    k_title = k_defs = k_then = k_schema

    def k_allOf(self, wanted, value, path, _):
        for one in wanted:
            self.check(one, value, path)

    def k_ref(self, wanted, value, path, _):
        target = self.root
        for key in wanted.removeprefix("#/").split("/"):
            target = target[key]
        self.check(target, value, path)

    def k_type(self, wanted, value, path, _):
        names = wanted if isinstance(wanted, list) else [wanted]
        if not any(has_type(value, name) for name in names):
            self.fault(path, f"is no {' or '.join(names)}: {value!r:.60}")

    def k_const(self, wanted, value, path, _):
        if value != wanted:
            self.fault(path, f"is not {wanted!r}")

    def k_enum(self, wanted, value, path, _):
        if value not in wanted:
            self.fault(path, f"{value!r} is none of {wanted}")

    def k_minimum(self, wanted, value, path, _):
        if has_type(value, "number") and value < wanted:
            self.fault(path, f"{value} is below {wanted}")

    def k_maximum(self, wanted, value, path, _):
        if has_type(value, "number") and value > wanted:
            self.fault(path, f"{value} is above {wanted}")

    def k_minLength(self, wanted, value, path, _):
        if isinstance(value, str) and len(value) < wanted:
            self.fault(path, "is too short")

    def k_pattern(self, wanted, value, path, _):
        if isinstance(value, str) and not re.search(wanted, value):
            self.fault(path, f"{value!r} does not match {wanted}")

    def k_required(self, wanted, value, path, _):
        for key in wanted if isinstance(value, dict) else []:
            if key not in value:
                self.fault(path, f"lacks {key}")

    def k_properties(self, wanted, value, path, _):
        for key, schema in wanted.items() if isinstance(value, dict) else []:
            if key in value:
                self.check(schema, value[key], f"{path}.{key}")

    def k_additionalProperties(self, wanted, value, path, schema):
        for key in value if isinstance(value, dict) else []:
            if key in schema.get("properties", {}):
                continue
            if wanted is False:
                self.fault(path, f"has {key}, which is not in the schema")
            elif isinstance(wanted, dict):
                self.check(wanted, value[key], f"{path}[{key!r}]")

    def k_minItems(self, wanted, value, path, _):
        if isinstance(value, list) and len(value) < wanted:
            self.fault(path, f"has {len(value)} items, not {wanted}")

    def k_if(self, wanted, value, path, schema):
        trial = Validator(self.root)
        trial.check(wanted, value, path)
        if not trial.faults:
            self.check(schema.get("then", {}), value, path)

    def k_items(self, wanted, value, path, _):
        for i, item in enumerate(value if isinstance(value, list) else []):
            self.check(wanted, item, f"{path}[{i}]")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    validator = Validator(schema)
    validator.check(schema, json.load(sys.stdin), "")
    for fault in validator.faults[:20]:
        print(fault)
    return 1 if validator.faults else 0


if __name__ == "__main__":
    sys.exit(main())
