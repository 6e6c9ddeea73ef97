// npm test: check, backend, embedded services, frontend and browser journeys, also on a clean clone with nothing else
// installed.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from './chromium.mjs';
import { buildChanged, checkNode, installPackages, root } from './prepare.mjs';
import { loudly, main, Stop } from './terminal.mjs';

const HELP = `npm test                          everything
npm test -- check                 types, lint, format, walls, dead code
npm test -- backend|embedded|frontend|e2e
                                  one of them; what follows goes to vitest:
npm test -- backend src/features/chat -t stop`;

const VITEST = path.join(root, 'node_modules/vitest/vitest.mjs');
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
  const total = { passed: 0, failed: 0, skipped: 0 };
  if (!only || only === 'check') await check(total);
  if (only !== 'check') await buildChanged();
  for (const [name, suite] of Object.entries(SUITES)) {
    if (!only || only === name) await runSuite({ name, suite, args, total });
  }
  if (total.skipped) console.log(`${total.skipped} skipped`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed ? 1 : 0;
});

async function check(total) {
  console.log('\n— check');
  const code = await loudly(process.execPath, [path.join(root, 'scripts/check.mjs')], {
    cwd: root,
  });
  if (code !== 0) total.failed += 1;
}

async function runSuite({ name, suite, args, total }) {
  const env = { ...process.env, NODE_ENV: 'test' };
  if (suite.browser) env.CHROME_PATH = await findChromium();
  console.log(`\n— ${name}`);
  const results = path.join(root, '.cache/results', `${name}.json`);
  mkdirSync(path.dirname(results), { recursive: true });
  rmSync(results, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const vitest = [VITEST, 'run', ...(suite.args ?? []), ...reporters, ...args];
  const code = await loudly(process.execPath, vitest, { cwd: path.join(root, suite.cwd), env });
  const counted = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
  const failed = counted.numFailedTests ?? 0;
  total.passed += counted.numPassedTests ?? 0;
  total.skipped += counted.numPendingTests ?? 0;
  // A file that does not load, or an error outside of tests, fails the run without failing a test.
  total.failed += code !== 0 && failed === 0 ? 1 : failed;
}
