// The result of a Vitest run as a JSON file: the numbers of passed and failed tests, and every failure with its message. `npm test` repeats
// the failures after its last suite.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const ofVitest = (line) => /node_modules\/(@vitest|vitest|vite)\//.test(line);

/** `diff`: what was expected and received; the message of an assertion only counts the elements of an array. */
const linesOf = ({ stack, message, diff, cause }) => [
  ...(stack ?? message ?? 'no message').split('\n').filter((line) => !ofVitest(line)),
  ...(diff ? stripVTControlCharacters(diff).split('\n') : []),
  ...(cause ? linesOf(cause) : []),
];

const messageOf = (errors) => errors.flatMap(linesOf).join('\n');

export default class ResultReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const result = { passed: 0, failed: 0, skipped: 0, failures: [] };
    const fail = (where, errors) => {
      result.failed += 1;
      result.failures.push({ where, message: messageOf(errors) });
    };
    for (const module of modules) {
      const file = module.relativeModuleId;
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'failed') fail(`${file} > ${test.fullName}`, errors);
        else result[state === 'passed' ? 'passed' : 'skipped'] += 1;
      }
      // A file that does not load, and hooks: they fail no test.
      const suites = [module, ...module.children.allSuites()];
      for (const suite of suites) {
        if (suite.errors().length) fail(`${file} > outside of its tests`, suite.errors());
      }
    }
    for (const error of unhandledErrors) {
      // The test that ran at that time: the error may come from an earlier one.
      const { VITEST_TEST_PATH: file, VITEST_TEST_NAME: test } = error;
      fail(['unhandled error', file, test].filter(Boolean).join(' > '), [error]);
    }
    const target = process.env.TEST_RESULT;
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, JSON.stringify(result, null, 2));
  }
}
