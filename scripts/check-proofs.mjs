// The tables of docs/proofs.md name tests; each must exist, in its file and by its name.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.mjs';

const PAGE = 'docs/proofs.md';
const ROW = /^\| (?<sentence>[^|]+) \| `(?<file>[^`]+)` \| (?<test>.+) \|$/;

/** A test's name as the source of the test may contain it. */
const spellings = (name) => [name, name.replaceAll("'", "\\'"), name.replaceAll('"', '\\"')];

const rows = readFileSync(path.join(root, PAGE), 'utf8')
  .split('\n')
  .map((line) => ROW.exec(line)?.groups)
  .filter((row) => row !== undefined);

const problems = rows.flatMap(({ sentence, file, test }) => {
  const place = path.join(root, file);
  if (!existsSync(place)) return [`${sentence}: no file ${file}`];
  const source = readFileSync(place, 'utf8');
  const found = spellings(test).some((name) => source.includes(name));
  return found ? [] : [`${sentence}: no test "${test}" in ${file}`];
});

if (rows.length === 0) problems.push(`${PAGE} has no rows.`);
for (const problem of problems) console.error(problem);
console.log(`${rows.length} sentences of ${PAGE}, ${problems.length} without a test`);
if (problems.length) process.exitCode = 1;
