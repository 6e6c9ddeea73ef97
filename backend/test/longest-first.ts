import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A sequencer of Vitest that starts these files first: they take minutes, and the others run meanwhile. */
export const longestFirst = (...names: string[]) =>
  class LongestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      // oxlint-disable-next-line unicorn/no-array-sort -- a method of Vitest
      const sorted = await super.sort(files);
      const isFirst = ({ moduleId }: TestSpecification) =>
        names.some((name) => moduleId.endsWith(`/${name}`));
      return sorted.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
    }
  };
