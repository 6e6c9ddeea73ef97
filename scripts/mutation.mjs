// npm run mutation [-- <part of a name> …]: applies the mistakes of mutations.mjs one by one to a copy of the project and
// checks that the tests of the backend notice each of them (docs/mutation.md).
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createVitest } from 'vitest/node';
import { misfits, placeOf } from './mutations/patches.mjs';
import { MUTATIONS } from './mutations.mjs';
import { checkNode, installPackages, root } from './prepare.mjs';
import { main, quietly, Stop, step } from './terminal.mjs';

/** What the copy shares with the project: packages, and the Redis that was fetched for this machine. */
const SHARED = [
  'node_modules',
  'backend/node_modules',
  'backend/embedded/node_modules',
  'frontend/node_modules',
  '.cache/redis',
];

const MAX_TRIES = 3;

await main(async () => {
  checkNode();
  await installPackages();
  const parts = process.argv.length > 2 ? process.argv.slice(2) : [''];
  const wanted = MUTATIONS.filter(({ name }) => parts.some((part) => name.includes(part)));
  if (wanted.length === 0) throw new Stop(`No mutation's name contains '${parts.join("' or '")}'.`);
  requirePlaces(wanted);
  const copy = realpathSync(mkdtempSync(path.join(tmpdir(), 'stolas-mutation-')));
  const remove = () => rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
  let tests;
  // Vitest ends the process at a signal, before anything asynchronous is done.
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(130));
  try {
    await copyProject(copy);
    tests = await openTests(path.join(copy, 'backend'));
    const counts = await step('the tests pass without a mutation', () =>
      requireGreen(tests, wanted),
    );
    const results = [];
    for (const mutation of wanted)
      results.push(await tryMutation({ tests, counts, copy }, mutation));
    report(results);
  } finally {
    await tests?.close();
  }
});

/** A mutation whose text no longer occurs tests nothing. */
function requirePlaces(mutations) {
  const problems = misfits(mutations, root);
  if (problems.length > 0)
    throw new Stop(`These mutations no longer fit the code:\n  ${problems.join('\n  ')}`);
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

/**
 * The tests of the backend in this process: services and bundled processes are made once, so a mutation must be noticed
 * by tests that import the code.
 */
async function openTests(folder) {
  process.env.NODE_ENV = 'test';
  const options = { root: folder, watch: false, bail: 1, silent: true, reporters: [{}] };
  const vitest = await createVitest('test', options, {
    root: folder,
    logLevel: 'silent',
  });
  // What getModuleSpecifications knows of.
  await vitest.globTestSpecifications();
  const run = async (names) => {
    const files = new Set(names.map((name) => path.join(folder, name)));
    const specs = [...files].flatMap((file) => vitest.getModuleSpecifications(file));
    const { testModules } = await vitest.runTestSpecifications(specs);
    const modules = testModules.filter(({ moduleId }) => files.has(moduleId));
    const testsIn = ({ children }, state) =>
      [...children.allTests()].filter((test) => test.result().state === state);
    return {
      failures: modules.flatMap((module) => testsIn(module, 'failed')),
      hasPassed: modules.length === files.size && modules.every((module) => module.ok()),
      /** The number of passed tests of each file. */
      counts: new Map(
        modules.map((module) => [
          path.relative(folder, module.moduleId),
          testsIn(module, 'passed').length,
        ]),
      ),
    };
  };
  return {
    run,
    changed: (file) => vitest.invalidateFile(file),
    close: () => vitest.close(),
  };
}

async function requireGreen(tests, mutations) {
  const names = [...new Set(mutations.flatMap((one) => one.tests))];
  const { failures, hasPassed, counts } = await tests.run(names);
  const which = failures.map((test) => `  ${test.fullName}`).join('\n');
  if (!hasPassed) throw new Stop(`The tests fail without a mutation:\n${which}`);
  return counts;
}

/**
 * The first failure ends a run, and Vitest may take that for an order to end the next run too: its tests are skipped, which
 * counts as passed. Such a run is repeated.
 */
async function runAll({ tests, counts }, names) {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { failures, hasPassed, counts: passed } = await tests.run(names);
    // A file that does not load fails the run, and says nothing about the tests.
    if (failures.length > 0) return 'killed';
    if (!hasPassed) return 'BROKEN';
    if (names.every((name) => passed.get(name) === counts.get(name))) return 'SURVIVED';
  }
  return 'BROKEN';
}

async function tryMutation({ tests, counts, copy }, mutation) {
  const { name, file, find, replace } = mutation;
  const target = path.join(copy, file);
  const original = readFileSync(target, 'utf8');
  const write = (text) => {
    writeFileSync(target, text);
    tests.changed(target);
  };
  const at = placeOf(mutation, original);
  write(original.slice(0, at) + replace + original.slice(at + find.length));
  try {
    const outcome = await runAll({ tests, counts }, mutation.tests);
    console.log(`${outcome.padEnd(8)}  ${name}`);
    return { name, outcome };
  } finally {
    write(original);
  }
}

function report(results) {
  const others = results.filter(({ outcome }) => outcome !== 'killed');
  console.log(`\n${results.length - others.length} of ${results.length} killed`);
  for (const { outcome, name } of others) console.log(`${outcome.padEnd(8)}  ${name}`);
  // Vitest has set it because of the tests that failed as they should.
  process.exitCode = others.length > 0 ? 1 : 0;
}
