// What @actions/core, GitHub's own library for such commands, prints for the annotations of a JSON list on stdin.
const core = require(process.argv[2] + '/@actions/core');
const list = JSON.parse(require('fs').readFileSync(0, 'utf8'));
for (const a of list) core[a.kind](a.message, {title: a.title});
