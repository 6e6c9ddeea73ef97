// npm run mutation [-- <part of a name>]: applies the mistakes of mutations.mjs one by one to a copy of the project and
// checks that the tests notice each of them.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MUTATIONS } from './mutations.mjs';
import { checkNode, installPackages, root } from './prepare.mjs';
import { main, quietly, Stop, step } from './terminal.mjs';

const SUITES = { backend: 'backend', embedded: 'backend/embedded', frontend: 'frontend' };
/** What the copy shares with the project: packages, and the Redis that was fetched for this machine. */
const SHARED = [
  'node_modules',
  'backend/node_modules',
  'backend/embedded/node_modules',
  'frontend/node_modules',
  '.cache/redis',
];

let running;

await main(async () => {
  checkNode();
  await installPackages();
  const part = process.argv[2] ?? '';
  const wanted = MUTATIONS.filter(({ name }) => name.includes(part));
  if (wanted.length === 0) throw new Stop(`No mutation's name contains '${part}'.`);
  requirePlaces(wanted);
  const copy = mkdtempSync(path.join(tmpdir(), 'stolas-mutation-'));
  const remove = () => rmSync(copy, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      running?.kill('SIGTERM');
      remove();
      process.exit(130);
    });
  try {
    await copyProject(copy);
    await step('the tests pass without a mutation', () => requireGreen(copy, wanted));
    const results = [];
    for (const mutation of wanted) results.push(await tryMutation(copy, mutation));
    report(results);
  } finally {
    remove();
  }
});

/** A mutation whose text no longer occurs tests nothing. */
function requirePlaces(mutations) {
  const problems = mutations.flatMap(({ name, file, find }) => {
    const source = path.join(root, file);
    const count = existsSync(source) ? readFileSync(source, 'utf8').split(find).length - 1 : 0;
    return count === 1 ? [] : [`  ${name}: the text occurs ${count} times in ${file}: ${find}`];
  });
  if (problems.length > 0)
    throw new Stop(`These mutations no longer fit the code:\n${problems.join('\n')}`);
}

async function copyProject(copy) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = (await quietly('git', list, { cwd: root })).split('\0').filter(Boolean);
  for (const file of files) {
    const source = path.join(root, file);
    if (existsSync(source)) cpSync(source, path.join(copy, file));
  }
  for (const name of SHARED) {
    const source = path.join(root, name);
    if (!existsSync(source)) continue;
    mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
    symlinkSync(source, path.join(copy, name), 'junction');
  }
}

async function requireGreen(copy, mutations) {
  for (const suite of Object.keys(SUITES)) {
    const tests = mutations
      .filter((one) => (one.suite ?? 'backend') === suite)
      .flatMap((one) => one.tests);
    if (tests.length === 0) continue;
    const { code, output } = await runTests(copy, { suite, tests: [...new Set(tests)] });
    if (code !== 0) throw new Stop(`The tests fail without a mutation:\n${output.slice(-4_000)}`);
  }
}

async function tryMutation(copy, { name, file, find, replace, tests, suite = 'backend' }) {
  const target = path.join(copy, file);
  const original = readFileSync(target, 'utf8');
  writeFileSync(
    target,
    original.replace(find, () => replace),
  );
  try {
    const { failed, code } = await runTests(copy, { suite, tests });
    // A file that does not load fails the run, and says nothing about the tests.
    const outcome = failed > 0 ? 'killed' : code === 0 ? 'SURVIVED' : 'BROKEN';
    console.log(`${outcome.padEnd(8)}  ${name}`);
    return { name, file, outcome, failed };
  } finally {
    writeFileSync(target, original);
  }
}

function runTests(copy, { suite, tests }) {
  const results = path.join(copy, 'results.json');
  rmSync(results, { force: true });
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  return new Promise((resolve, reject) => {
    running = spawn(process.execPath, [vitest, 'run', ...reporters, ...tests], {
      cwd: path.join(copy, SUITES[suite]),
      env: { ...process.env, NODE_ENV: 'test' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [running.stdout, running.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    running.once('error', reject).once('close', (code) => {
      const counted = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
      resolve({ code, output, failed: counted.numFailedTests ?? 0 });
    });
  });
}

function report(results) {
  console.log('');
  for (const { outcome, failed, name, file } of results)
    console.log([outcome.padEnd(8), `${failed} failed`.padStart(9), name, `(${file})`].join('  '));
  const survivors = results.filter(({ outcome }) => outcome !== 'killed');
  console.log(`${results.length - survivors.length} killed, ${survivors.length} not`);
  if (survivors.length > 0) process.exitCode = 1;
}
