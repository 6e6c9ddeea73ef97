// npm test: check, backend, embedded services, frontend and browser journeys, also on a clean clone with nothing else
// installed.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from './chromium.mjs';
import { buildChanged, checkNode, installPackages, root } from './prepare.mjs';
import { loudly, main, quietly, Stop } from './terminal.mjs';

const HELP = `npm test                          everything
npm test -- check                 types, lint, format, walls, dead code
npm test -- backend|embedded|frontend|e2e
                                  one of them; what follows goes to vitest:
npm test -- backend src/features/chat -t stop`;

const VITEST = path.join(root, 'node_modules/vitest/vitest.mjs');
const REPORTER = path.join(root, 'scripts/result-reporter.mjs');
const NONE = { passed: 0, failed: 0, skipped: 0, failures: [] };
const SUITES = {
  backend: { cwd: 'backend' },
  embedded: { cwd: 'backend/embedded' },
  frontend: { cwd: 'frontend' },
  e2e: { cwd: 'frontend', args: ['--config', 'e2e/vitest.config.ts'], browser: true },
};

await main(async () => {
  const [only, ...args] = process.argv.slice(2);
  if (only === '--help') return console.log(HELP);
  if (only && only !== 'check' && !(only in SUITES)) throw new Stop(HELP);
  checkNode();
  await installPackages();
  /** @type {{ where: string, message: string }[]} */
  const failures = [];
  const total = { passed: 0, failed: 0, skipped: 0, failures };
  if (!only || only === 'check') await check(total);
  if (only !== 'check') await buildChanged();
  for (const [name, suite] of Object.entries(SUITES)) {
    if (!only || only === name) await runSuite({ name, suite, args, total });
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

async function runSuite({ name, suite, args, total }) {
  const TEST_RESULT = path.join(root, '.cache/results', `${name}.json`);
  rmSync(TEST_RESULT, { force: true });
  const env = { ...process.env, NODE_ENV: 'test', TEST_RESULT };
  if (suite.browser) env.CHROME_PATH = await findChromium();
  console.log(`\n— ${name}`);
  const reporters = ['--reporter=default', `--reporter=${REPORTER}`];
  const vitest = [VITEST, 'run', ...(suite.args ?? []), ...reporters, ...args];
  const code = await loudly(process.execPath, vitest, { cwd: path.join(root, suite.cwd), env });
  const result = existsSync(TEST_RESULT) ? JSON.parse(readFileSync(TEST_RESULT, 'utf8')) : NONE;
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
