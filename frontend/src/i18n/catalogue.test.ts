import english from 'catalogue:en';
import translations from 'catalogue:translations';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  MAX_FEEDBACK_REASON_LENGTH,
  MAX_FILES_PER_MESSAGE,
  MAX_GRANTS,
  MAX_MEMORIES,
  MAX_MEMORY_LENGTH,
  MAX_MESSAGE_LENGTH,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  PERSONA_LENGTHS,
  PLANS,
} from '@stolas/backend/contract';
import { build } from 'vite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalogue } from '../../catalogue.ts';
import type { Translation } from './translate.ts';

// The build is one of several on a busy machine.

const LANGUAGES: Record<string, () => Promise<{ default: Translation }>> = {
  en: () => Promise.resolve({ default: english as unknown as Translation }),
  ...translations,
};

/** Every argument is this number. */
const allOf = (value: number) => new Proxy<Record<string, number>>({}, { get: () => value });

describe.each(Object.entries(LANGUAGES))('the texts of %s', (_, load) => {
  it('are there, with every argument', async () => {
    const sections = Object.entries((await load()).default);
    expect(sections.length).toBeGreaterThan(5);
    for (const [section, texts] of sections)
      for (const [key, message] of Object.entries(texts))
        for (const value of [0, 1, 2, 5]) {
          const text = typeof message === 'string' ? message : message(allOf(value));
          expect(text, `${section}.${key}`).toMatch(/\S/);
          expect(text, `${section}.${key}`).not.toMatch(/[{}]|undefined|NaN|\[object/);
        }
  });
});

describe.each(Object.entries(LANGUAGES))('the button that upgrades to Pro in %s', (_, load) => {
  it('reads the same before and after its code is loaded', async () => {
    const { chat, billing } = (await load()).default;
    expect(chat?.upgradeToPro).toBe(billing?.upgrade);
  });
});

describe.each(Object.entries(translations))('the sentences of the server in %s', (_, load) => {
  it.each([
    `Shorten the memory to ${MAX_MEMORY_LENGTH} characters.`,
    `Shorten the name to ${PERSONA_LENGTHS.name} characters.`,
    `Share it with ${MAX_GRANTS} members and workspaces at most.`,
    `You have ${MAX_MEMORIES} memories, the most there can be. Delete some first.`,
    ...['memory', 'saved memory', 'persona', 'export', 'link'].map(
      (what) => `This ${what} does not exist, or it is not yours.`,
    ),
    ...['owner', 'manager', 'editor', 'admin', 'member'].map(
      (role) => `You need the role ${role} for this.`,
    ),
    'This memory was changed in the meantime. Check it, then decide again.',
    'Write the memory first.',
    'Give the persona a name.',
    'A file of this persona was deleted, or is not shared with you. Choose another one.',
    'This model is not offered. Choose another one.',
    'This card is nested too deeply.',
    'You can share with members of your workspaces only.',
    'Everybody can have an address there.',
    'The owner needs a verified address in this domain.',
    'Another workspace has this domain.',
    'Choose another member who may write.',
    'Enter 0 or more tokens.',
    `Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.`,
    `Choose a password of at most ${MAX_PASSWORD_LENGTH} characters.`,
    `Shorten the message to ${MAX_MESSAGE_LENGTH} characters.`,
    `Shorten the reason to ${MAX_FEEDBACK_REASON_LENGTH} characters.`,
    `You can only upload ${MAX_FILES_PER_MESSAGE} file(s)`,
    ...PLANS.flatMap(({ description, features }) => [
      description,
      ...features.map(({ text }) => text),
    ]),
  ])('have %s', async (sentence) => {
    expect((await load()).default.server).toHaveProperty([sentence]);
  });
});

describe('a build', () => {
  let folder: string;
  const write = (name: string, content: unknown) =>
    writeFileSync(
      path.join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  /** Builds a module with the catalogue in `folder`. @returns what the module exports */
  async function run<T>(source: string): Promise<T> {
    write('entry.js', source);
    await build({
      configFile: false,
      logLevel: 'silent',
      root: folder,
      plugins: [catalogue(folder)],
      build: {
        outDir: 'out',
        lib: { entry: 'entry.js', formats: ['es'], fileName: 'built' },
      },
    });
    const built = pathToFileURL(path.join(folder, 'out/built.js'));
    return import(/* @vite-ignore */ built.href) as Promise<T>;
  }

  beforeEach(() => {
    // In the project, so that the build finds the runtime of plurals.
    mkdirSync('node_modules/.cache', { recursive: true });
    folder = mkdtempSync(path.resolve('node_modules/.cache/catalogue-'));
    write('en.json', {
      chat: { files: '{count, plural, one {# file} other {# files}}', hi: "It's {name}" },
    });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('of another language needs only its file, with the plurals of that language', async () => {
    write('de.json', { chat: { files: '{count, plural, one {# Datei} other {# Dateien}}' } });
    write('pl.json', {
      chat: {
        files: '{count, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}',
      },
    });
    const { loaders, en } = await run<{
      loaders: typeof translations;
      en: Translation[string];
    }>(`
      export { default as loaders } from 'catalogue:translations';
      export { default as en } from 'catalogue:en/chat';
    `);
    expect(Object.keys(loaders)).toEqual(['de', 'pl']);
    const say = (texts: Translation[string] | undefined) =>
      [1, 3, 5].map((count) => {
        const message = texts?.files;
        return typeof message === 'function' ? message({ count }) : message;
      });
    expect(say(en)).toEqual(['1 file', '3 files', '5 files']);
    expect(say((await loaders.de?.())?.default.chat)).toEqual([
      '1 Datei',
      '3 Dateien',
      '5 Dateien',
    ]);
    expect(say((await loaders.pl?.())?.default.chat)).toEqual(['1 plik', '3 pliki', '5 plików']);
  });

  it('loads no parser, and a constant text as a string', async () => {
    write('en.json', { chat: { send: 'Send', hi: "It's {name}" } });
    const { en } = await run<{ en: Translation[string] }>(
      "export { default as en } from 'catalogue:en/chat';",
    );
    expect(en.send).toBe('Send');
    expect(readFileSync(path.join(folder, 'out/built.js'), 'utf8').length).toBeLessThan(200);
  });

  it('fails with a section that is not there', async () => {
    await expect(run("export { default } from 'catalogue:en/nothing';")).rejects.toThrow(
      'en.json has no section nothing.',
    );
  });
});
