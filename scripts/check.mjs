// npm run check: all static checks of the code. All tools run, two at a time, even when one fails.
import path from 'node:path';
import { checkNode, installPackages, root } from './prepare.mjs';
import { main, quietly, step } from './terminal.mjs';

const bin = (name) => path.join(root, 'node_modules/.bin', name);
const CHECKS = [
  { name: 'types-and-lint', command: bin('oxlint'), args: ['--type-aware', '--type-check'] },
  { name: 'format', command: bin('biome'), args: ['ci', '--colors=off'] },
  { name: 'walls', command: process.execPath, args: ['scripts/check-walls.mjs'] },
  { name: 'patterns', command: process.execPath, args: ['scripts/check-patterns.mjs'] },
  { name: 'texts', command: process.execPath, args: ['scripts/check-texts.mjs'] },
  { name: 'dead-code', command: bin('knip'), args: ['--no-progress'] },
];

await main(async () => {
  checkNode();
  await installPackages();
  const names = process.argv.slice(2);
  const wanted = CHECKS.filter(({ name }) => !names.length || names.includes(name));
  const waiting = [...wanted];
  const problems = [];
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const { name, command, args } = check;
      const shell = process.platform === 'win32';
      await step(name, () => quietly(command, args, { cwd: root, shell })).catch((error) => {
        problems.push(error.message);
        console.log(`✗ ${name}`);
      });
    }
  };
  await Promise.all([work(), work()]);
  for (const problem of problems) console.error(`\n${problem}`);
  if (problems.length) process.exitCode = 1;
});
