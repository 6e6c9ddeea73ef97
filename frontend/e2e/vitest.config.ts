import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Its deletion waits a minute for the second check, so it starts first: the other files run meanwhile. */
const FIRST = 'privacy.test.ts';

class LongestWaitFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of Vitest
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification) => moduleId.endsWith(FIRST);
    return sorted.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  }
}

/** The long tests, and no others: `npm run test:soak`. */
const isSoak = process.env.SOAK === 'true';
const SOAK_TESTS = '*.soak.test.ts';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    // The tour pictures the screens that no journey reaches.
    include: [isSoak ? SOAK_TESTS : '*.test.ts', ...(process.env.SCREENSHOTS ? ['tour.ts'] : [])],
    exclude: isSoak ? [] : [SOAK_TESTS],
    passWithNoTests: isSoak,
    globalSetup: ['shared-products.ts'],
    // A journey with its product and browser keeps two thirds of a core busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestWaitFirst },
    // The files of a worker share the modules that they load.
    isolate: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
