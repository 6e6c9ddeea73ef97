// npm test: check, backend, embedded services, frontend and browser journeys, also on a clean clone with nothing else installed. npm run
// test:fast: the tests without services, browser and build. npm run test:soak: the long tests (*.soak.test.ts), which the others leave out.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from './chromium.mjs';
import { haproxySettings } from './haproxy.mjs';
import { buildChanged, checkNode, installPackages, root } from './prepare.mjs';
import { loudly, main, quietly, Stop } from './terminal.mjs';

const HELP = `npm test                          everything
npm run test:fast                 checks, and all tests that need no service and no browser
npm run test:soak                 the long tests, about 10 min; what follows goes to vitest
npm test -- check                 types, lint, format, walls, dead code
npm test -- plain|services|embedded|frontend|e2e
                                  one of them; backend is plain and services; what follows goes to vitest:
npm test -- backend src/features/chat -t stop`;

const VITEST = path.join(root, 'node_modules/vitest/vitest.mjs');
const REPORTER = path.join(root, 'scripts/result-reporter.mjs');
const NONE = { passed: 0, failed: 0, skipped: 0, failures: [] };
const SUITES = {
  backend: { cwd: 'backend' },
  services: { cwd: 'backend', args: ['--project', 'services'] },
  plain: { cwd: 'backend', args: ['--project', 'plain'] },
  embedded: { cwd: 'backend/embedded' },
  frontend: { cwd: 'frontend' },
  e2e: { cwd: 'frontend', args: ['--config', 'e2e/vitest.config.ts'], browser: true },
};
/** For the tests without services, beside those with them. A machine at a fifth of its usual speed took 515 s. */
const SLOW_MS = 300_000;
const SOAK = ['services', 'e2e'];
const FAST = ['plain', 'embedded', 'frontend'];

await main(async () => {
  const [only, ...args] = process.argv.slice(2);
  if (only === '--help') return console.log(HELP);
  const isFast = only === '--fast';
  const isSoak = only === '--soak';
  if (only && !isFast && !isSoak && only !== 'check' && !(only in SUITES)) throw new Stop(HELP);
  checkNode();
  await installPackages();
  /** @type {{ where: string, message: string }[]} */
  const failures = [];
  const total = { passed: 0, failed: 0, skipped: 0, failures };
  const run = async (names, options) => {
    for (const name of names) await runSuite({ name, args, total, ...options });
  };
  if (!only || isFast || only === 'check') await check(total);
  if (!only || isSoak || only in SUITES) await buildChanged();
  if (isFast) await run(FAST);
  else if (isSoak) await run(SOAK, { isSoak });
  else if (only in SUITES) await run([only]);
  else if (!only) {
    // The tests with services wait for processes most of the time: on a fast machine, the journeys run while they do.
    // On a slow one the product would not answer within its own limits: there they run afterwards.
    const begun = performance.now();
    let isSlow = false;
    const beside = async () => {
      await run(FAST, { isBeside: true });
      isSlow = performance.now() - begun > SLOW_MS;
      if (!isSlow) await run(['e2e'], { isBeside: true });
    };
    await Promise.all([run(['services']), beside()]);
    if (isSlow) await run(['e2e']);
  }
  for (const { where, message } of total.failures) console.log(`\n✗ ${where}\n${message}`);
  if (total.skipped) console.log(`${total.skipped} skipped`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed ? 1 : 0;
});

async function check(total) {
  console.log('\n— check');
  const problems = await quietly(process.execPath, [path.join(root, 'scripts/check.mjs')], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
  }).then(
    () => '',
    ({ message }) => message,
  );
  if (!problems) return;
  total.failed += 1;
  total.failures.push({ where: 'check', message: problems });
}

/** `isBeside`: another suite writes to the terminal, so this one writes only when it has ended, and its output only when it failed. */
async function runSuite({ name, args, total, isBeside = false, isSoak = false }) {
  const suite = SUITES[name];
  const TEST_RESULT = path.join(root, '.cache/results', `${name}.json`);
  rmSync(TEST_RESULT, { force: true });
  const env = { ...process.env, NODE_ENV: 'test', TEST_RESULT };
  if (isSoak) env.SOAK = 'true';
  if (suite.browser)
    Object.assign(env, await haproxySettings(), { CHROME_PATH: await findChromium() });
  if (!isBeside) console.log(`\n— ${name}`);
  const reporters = ['--reporter=default', `--reporter=${REPORTER}`];
  const vitest = [VITEST, 'run', ...(suite.args ?? []), ...reporters, ...args];
  const begun = performance.now();
  const options = { cwd: path.join(root, suite.cwd), env };
  let output = '';
  const code = isBeside
    ? await quietly(process.execPath, vitest, options).then(
        () => 0,
        ({ message }) => {
          output = message;
          return 1;
        },
      )
    : await loudly(process.execPath, vitest, options);
  const seconds = Math.round((performance.now() - begun) / 1000);
  const result = existsSync(TEST_RESULT) ? JSON.parse(readFileSync(TEST_RESULT, 'utf8')) : NONE;
  console.log(`— ${name}: ${result.passed} passed, ${result.failed} failed (${seconds} s)`);
  if (output) console.log(output);
  total.passed += result.passed;
  total.skipped += result.skipped;
  total.failed += result.failed;
  for (const failure of result.failures) {
    total.failures.push({ ...failure, where: `${name}: ${failure.where}` });
  }
  if (code === 0 || result.failed > 0) return;
  total.failed += 1;
  total.failures.push({ where: name, message: `Vitest ended with exit code ${code}.` });
}
