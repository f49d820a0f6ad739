// actionlint, as a page of a workflow's editor has it, over the workflows named: what it complains about as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const { createLinter } = await import(pathToFileURL(process.argv[2] + "/actionlint/node.mjs"));
const lint = await createLinter();
const found = process.argv.slice(3).map((path) => [...lint(readFileSync(path, "utf8"), ".github/workflows/x.yml")]);
console.log(JSON.stringify(found));
process.exit(0);
