import path from 'node:path';
import type { Rolldown } from 'vite';

const APP = path.join(import.meta.dirname, 'src/app');
const MAIN = path.join(APP, 'main.tsx');
/** Imports each page when it is opened. */
const PAGES = path.join(APP, 'pages.tsx');
/** Packages that are lists; a page needs little of each. */
const LISTS = /\/(radix-ui\/dist\/index|lucide-react)\.mjs$/;
/** A module that so many pages share is in one file with others of that kind: each file costs 0.5 KB of HTTP headers. */
const MANY = 7;
/** The pages of a visitor who is not signed in. Modules for the others only do not belong to the base. */
const SIGNED_OUT = ['lan', 'log'];
/**
 * A module of this size that three pages share, or chat and landing page, belongs to the base if it imports nothing.
 */
const SMALL_BYTES = 1_200;

/**
 * The names of the pages that load a module from the start, 'base' when it belongs to every page, or 'most' when it
 * belongs to most pages of a signed-in user.
 */
function pagesWith(id: string, bundler: Rolldown.ChunkingContext): string[] | 'base' | 'most' {
  const above = new Set([id]);
  for (const module of above) {
    if (LISTS.test(module)) continue;
    for (const importer of bundler.getModuleInfo(module)?.importers ?? []) above.add(importer);
  }
  const pages = bundler.getModuleInfo(PAGES)?.dynamicallyImportedIds ?? [];
  const found = pages.filter((page) => above.has(page));
  const names = found.map(nameOf);
  const isForVisitors = names.some((it) => SIGNED_OUT.includes(it));
  const isForAll = above.has(MAIN) || (found.length >= MANY && isForVisitors);
  const isShared = names.length > 2 || names.join('-') === 'cha-lan';
  if (isForAll || (isShared && isLight(id, bundler))) return 'base';
  if (found.length >= MANY) return 'most';
  return isSharedByChat(names) ? SIGNED_IN : names;
}

/** The pages of a signed-in user, by their names. The first one is the chat, which most of them open first. */
const SIGNED_IN = ['cha', 'sub', 'set', 'fil', 'mem', 'per', 'wor'];

/**
 * Modules that the chat shares with one of those pages belong to all of them, so the chat's first load has fewer files.
 */
const isSharedByChat = (pages: readonly string[]): boolean =>
  pages.length > 1 && pages[0] === SIGNED_IN[0] && pages.every((it) => SIGNED_IN.includes(it));

function isLight(id: string, bundler: Rolldown.ChunkingContext): boolean {
  const { code, importedIds = [] } = bundler.getModuleInfo(id) ?? {};
  return (
    (code?.length ?? 0) < SMALL_BYTES &&
    importedIds.every((it) => pagesWith(it, bundler) === 'base')
  );
}

/** Short, because files name each other: `features/chat/index.ts` is `cha`, `features/auth/login-page.tsx` is `log`. */
const nameOf = (page: string) => path.basename(page.replace(/\/index\.ts$/, '')).slice(0, 3);

/** Modules that exactly this number of pages share. */
const sharedBy = (count: number): Rolldown.CodeSplittingGroup => ({
  minShareCount: 2,
  name(id, bundler) {
    const pages = pagesWith(id, bundler);
    return Array.isArray(pages) && pages.length === count ? pages.join('-') : null;
  },
});

/**
 * Modules that the same pages load from the start share a file: a page consists of few files, and loads nothing that
 * only other pages need. Left to itself the bundler makes three times as many files, 20 KB more of the chat's first load.
 */
export const groups: Rolldown.CodeSplittingGroup[] = [
  {
    name(id, bundler) {
      const pages = pagesWith(id, bundler);
      return Array.isArray(pages) ? null : pages;
    },
  },
  { name: 'icons', test: 'lucide-react', minShareCount: 2 },
  // Groups shared by more pages come first, because a group includes the imports of its modules.
  ...Array.from({ length: MANY }, (_, i) => sharedBy(MANY - i)),
];
