import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

type Locked = {
  version?: string;
  resolved?: string;
  link?: boolean;
  optionalDependencies?: object;
};

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Record<string, Locked> };

// npm leaves them out when its registry lacks them, and then `npm ci` fails everywhere.
it('locks the optional packages of every platform', () => {
  const locked = new Set(Object.keys(packages).map((place) => place.split('node_modules/').at(-1)));
  const wanted = Object.values(packages).flatMap((one) =>
    Object.keys(one.optionalDependencies ?? {}),
  );
  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});

it('names no registry, so that any mirror will do', () => {
  const named = Object.values(packages).filter(({ resolved, link }) => resolved && !link);
  expect(named).toEqual([]);
});
