"""Checks documents of bdp against man/bdp.schema.json, and the schema against them.

Usage: schema.py SCHEMA DIRECTORY.  Every file there holds one document, or one a line.  Programs must
take members that they do not know; here a member that the schema does not have is a fault of the
schema.  So is one that no document has, and a definition that none is held against.
"""
import json
import os
import sys

import jsonschema


def strict(node):
    """The schema with nothing allowed beside what it names."""
    if isinstance(node, list):
        return [strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: strict(value) for key, value in node.items()}
    if node.get("type") == "object" and "required" in node and "properties" in node:
        node["additionalProperties"] = False
    return node


def documents(path):
    """Each document of the file; what is no JSON, such as a report cut off, is nobody's business."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        document, at = decoder.raw_decode(text, at)
        yield document


def named(node, found):
    """Names of members that the schema has."""
    for key, value in node.get("properties", {}).items():
        found.add(key)
        named(value, found)
    for word in ("items", "then", "else"):
        if isinstance(node.get(word), dict):
            named(node[word], found)
    for word in ("anyOf", "allOf"):
        for item in node.get(word, []):
            named(item, found)
    for item in node.get("$defs", {}).values():
        named(item, found)


def printed(value, found):
    if isinstance(value, dict):
        for key, item in value.items():
            found.add(key)
            printed(item, found)
    elif isinstance(value, list):
        for item in value:
            printed(item, found)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    plain = jsonschema.Draft202012Validator(schema)
    exact = jsonschema.Draft202012Validator(strict(schema))
    faults, kinds, seen = {}, {}, set()
    for name in sorted(os.listdir(sys.argv[2])):
        for document in documents(os.path.join(sys.argv[2], name)):
            kind = document.get("schema", "failed line")
            kinds[kind] = kinds.get(kind, 0) + 1
            printed(document, seen)
            validator = plain if kind == "failed line" else exact
            for error in validator.iter_errors(document):
                error = jsonschema.exceptions.best_match([error])
                where = "/".join("*" if isinstance(p, int) else str(p) for p in error.absolute_path)
                faults.setdefault(f"{kind}: {where}: {error.message[:160]}", name)
    names = set()
    named(schema, names)
    wanted = set(schema["then"]["properties"]["schema"]["enum"]) | {"failed line"}
    for kind in sorted(wanted - set(kinds)):
        faults[f"no document of {kind}"] = "schema"
    for member in sorted(names - seen):
        faults[f"printed nowhere: {member}"] = "schema"
    for fault, name in list(faults.items())[:40]:
        print(f"schema.py: {name}: {fault}")
    if not faults:
        print("schema.py: " + ", ".join(f"{count} of {kind}" for kind, count in sorted(kinds.items())))
    return 1 if faults else 0


sys.exit(main())
