// npm run mutation [-- <part of a path> …]: makes small mistakes in guarded updates and guards, one by one, in the code that Vitest loads,
// and checks that the tests of the backend detect each of them. No file changes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfigFromFile } from 'vite';
import { createVitest } from 'vitest/node';
import { ACCEPTED, GUARDS } from './mutation-settings.mjs';
import { mutationsOf } from './mutations.mjs';
import { checkNode, installPackages, root } from './prepare.mjs';
import { main, quietly, Stop, step } from './terminal.mjs';

const MAX_ATTEMPTS = 3;
const BACKEND = path.join(root, 'backend');
/** The results of importsOf. */
const imports = new Map();

await main(async () => {
  checkNode();
  await installPackages();
  const files = await sourceFiles();
  const parts = process.argv.length > 2 ? process.argv.slice(2) : [''];
  const targets = files.filter(
    (file) =>
      (file.endsWith('model.ts') || GUARDS.includes(file)) && parts.some((it) => file.includes(it)),
  );
  const mutations = targets.flatMap((file) => readMutations(file, files));
  if (mutations.length === 0) throw new Stop(`No mutation is in a file '${parts.join("' or '")}'.`);
  warnOfUnused(targets, mutations);
  const accepted = new Set(ACCEPTED.map(labelOf));
  const wanted = mutations.filter((one) => !accepted.has(labelOf(one)));
  const tests = await openTests();
  try {
    const counts = await step('the tests pass without a mutation', () => testAll(tests, wanted));
    const results = [];
    for (const mutation of wanted) results.push(await tryMutation({ tests, counts }, mutation));
    report(results);
  } finally {
    await tests.close();
  }
});

/** The files of backend/src and backend/test, relative to backend/. */
async function sourceFiles() {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'src', 'test'];
  const names = await quietly('git', list, { cwd: BACKEND });
  return names.split('\0').filter((it) => it.endsWith('.ts'));
}

function read(file) {
  return readFileSync(path.join(BACKEND, file), 'utf8');
}

function readMutations(file, files) {
  const tests = testsOf(file, files);
  const kinds = { filters: file.endsWith('model.ts'), guards: GUARDS.includes(file) };
  return mutationsOf(file, read(file), kinds).map((mutation) => ({ ...mutation, tests }));
}

/**
 * The tests that are to notice a mistake in a file. First those of its folder, and those that import the file, themselves or by
 * their helpers; then, for what these do not notice, those that reach it through other files of its feature, such as its index.
 */
function testsOf(file, files) {
  const feature = /^src\/features\/[^/]+\//.exec(file)?.[0] ?? `${path.posix.dirname(file)}/`;
  const beside = files.filter((name) => path.posix.dirname(name) === path.posix.dirname(file));
  const near = new Set([...importersOf(file, files, isHelper), ...beside].filter(isTest));
  const through = (name) => isHelper(name) || name.startsWith(feature);
  const far = importersOf(file, files, through).filter((name) => isTest(name) && !near.has(name));
  return [[...near], far].filter((names) => names.length > 0);
}

function isTest(name) {
  return name.endsWith('.test.ts');
}

function isHelper(name) {
  return /(^|\/)test\/|\.fixture\.ts$/.test(name);
}

/** The tests that import a file, and the files that do and are followed: `isFollowed`. */
function importersOf(file, files, isFollowed) {
  const importers = new Set([file]);
  for (const target of importers)
    for (const name of files)
      if ((isTest(name) || isFollowed(name)) && importsOf(name).has(target)) importers.add(name);
  return [...importers];
}

/** The files that a file imports or passes on. */
function importsOf(name) {
  const known = imports.get(name);
  if (known) return known;
  const found = [...read(name).matchAll(/\bfrom '(\.[^']+)'/g)].map(([, from]) =>
    path.posix.join(path.posix.dirname(name), from),
  );
  imports.set(name, new Set(found));
  return imports.get(name);
}

function warnOfUnused(targets, mutations) {
  for (const entry of ACCEPTED.filter(({ file }) => targets.includes(file)))
    if (!mutations.some((one) => labelOf(entry) === labelOf(one)))
      console.warn(`! accepted, but not there: ${labelOf(entry)}`);
}

function labelOf({ file, within, text }) {
  return `${file} ${within}: ${text}`;
}

/**
 * The tests of the backend in this process: services and bundled processes are made once, so a mutation must be noticed
 * by tests that import the code.
 */
async function openTests() {
  process.env.NODE_ENV = 'test';
  /** @type {import('./mutations.mjs').Mutation | undefined} */
  let current;
  const mutate = {
    name: 'mutate',
    enforce: 'pre',
    transform: (code, id) => {
      if (!current || id !== path.join(BACKEND, current.file)) return undefined;
      return code.slice(0, current.start) + current.put + code.slice(current.end);
    },
  };
  const file = path.join(BACKEND, 'vitest.config.ts');
  const { config } = await loadConfigFromFile({ command: 'serve', mode: 'test' }, file, BACKEND);
  for (const project of config.test.projects)
    Object.assign(project, { root: BACKEND, plugins: [mutate] });
  const options = { root: BACKEND, config: false, watch: false, bail: 1, silent: true };
  const vitest = await createVitest(
    'test',
    { ...options, reporters: [{}] },
    {
      ...config,
      root: BACKEND,
      logLevel: 'silent',
    },
  );
  // The files known to getModuleSpecifications.
  await vitest.globTestSpecifications();
  const testsIn = ({ children }, state) =>
    [...children.allTests()].filter((test) => test.result().state === state);
  const run = async (names) => {
    const files = new Set(names.map((name) => path.join(BACKEND, name)));
    const specs = [...files].flatMap((file) => vitest.getModuleSpecifications(file));
    const { testModules } = await vitest.runTestSpecifications(specs);
    const modules = testModules.filter(({ moduleId }) => files.has(moduleId));
    return {
      failures: modules.flatMap((module) => testsIn(module, 'failed')),
      /** Files that fail after their tests: by a command that a sharded cluster would not run (backend/test/isolate.ts). */
      refused: modules.filter(
        (module) => testsIn(module, 'passed').length > 0 && module.errors().length > 0,
      ),
      hasPassed: modules.length === files.size && modules.every((module) => module.ok()),
      /** The number of passed tests of each file. */
      counts: new Map(
        modules.map((module) => [
          path.relative(BACKEND, module.moduleId),
          testsIn(module, 'passed').length,
        ]),
      ),
    };
  };
  const change = (mutation) => {
    const { file } = mutation ?? current;
    current = mutation;
    vitest.invalidateFile(path.join(BACKEND, file));
  };
  return { run, change, close: () => vitest.close() };
}

async function testAll(tests, mutations) {
  const names = [...new Set(mutations.flatMap((one) => one.tests.flat()))];
  const { failures, hasPassed, counts } = await tests.run(names);
  const which = failures.map((test) => `  ${test.fullName}`).join('\n');
  if (!hasPassed) throw new Stop(`The tests fail without a mutation:\n${which}`);
  return counts;
}

/**
 * The first failure ends a run, and Vitest may also end the next run because of it: its tests are then skipped, which counts as passed.
 * Such a run is repeated.
 */
async function outcomeOf({ tests, counts }, names) {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { failures, refused, hasPassed, counts: passed } = await tests.run(names);
    if (failures.length > 0 || refused.length > 0) return 'killed';
    // A file that does not load fails the run without a test result.
    if (!hasPassed) return 'BROKEN';
    if (names.every((name) => passed.get(name) === counts.get(name))) return 'SURVIVED';
  }
  return 'BROKEN';
}

async function tryMutation({ tests, counts }, mutation) {
  tests.change(mutation);
  let outcome = 'SURVIVED';
  for (const names of mutation.tests)
    if (outcome === 'SURVIVED') outcome = await outcomeOf({ tests, counts }, names);
  tests.change(undefined);
  console.log(`${outcome.padEnd(8)}  ${labelOf(mutation)}`);
  return { mutation, outcome };
}

function report(results) {
  const others = results.filter(({ outcome }) => outcome !== 'killed');
  console.log(`\n${results.length - others.length} of ${results.length} killed`);
  for (const { outcome, mutation } of others)
    console.log(`${outcome.padEnd(8)}  ${labelOf(mutation)}`);
  // Vitest has set it because of the expected failures.
  process.exitCode = others.length > 0 ? 1 : 0;
}
