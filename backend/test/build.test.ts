import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const { STOLAS_TEST_PRODUCT: folder = '' } = process.env;
const IMPORT = /^(?:import|export) (?:[^'"]* from )?["'](?<name>[^'"]+)["']/gm;

/** The imports of a built file that load before it runs. */
const importsOf = (file: string): string[] =>
  [...readFileSync(path.join(folder, file), 'utf8').matchAll(IMPORT)].map(
    ({ groups }) => groups?.name ?? '',
  );

/** A built file and all files that it imports, directly or not. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const name of importsOf(file)) {
    if (name.startsWith('.')) loadedBy(path.basename(name), seen);
    else seen.add(name);
  }
  return seen;
}

describe('a built process', () => {
  it.each(['web', 'worker'])('%s contains its packages, except those with native code', (name) => {
    const loaded = [...loadedBy(`${name}.js`)];
    expect(loaded.filter((it) => it.endsWith('.js')).length).toBeGreaterThan(1);
    const packages = loaded.filter((it) => !it.endsWith('.js') && !isBuiltin(it));
    expect(packages).toEqual(['@node-rs/argon2']);
  });

  it('keeps source maps that lead to the sources', () => {
    for (const file of readdirSync(folder).filter((it) => it.endsWith('.js')))
      expect(readFileSync(path.join(folder, file), 'utf8')).toContain(
        `//# sourceMappingURL=${file}.map`,
      );
    const { sources } = JSON.parse(readFileSync(path.join(folder, 'web.js.map'), 'utf8')) as {
      sources: string[];
    };
    const places = sources.map((source) => path.resolve(folder, source));
    expect(places).toContain(path.resolve('src/processes/web.ts'));
  });
});
