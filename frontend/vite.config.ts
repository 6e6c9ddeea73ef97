import { createHash } from 'node:crypto';
import path from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { catalogue, translations } from './catalogue.ts';
import { minifyPublic, precompress } from './precompress.ts';
import { groups } from './split.ts';

const web = process.env.STOLAS_WEB_URL ?? 'http://127.0.0.1:3001';

/** The pages whose files `public/start.js` preloads; those of replies, beside those of the chat. */
const PAGES = {
  chat: 'src/features/chat/index.ts',
  replies: 'src/features/chat/thread/reply-message.tsx',
  landing: 'src/features/landing/landing-page.tsx',
  login: 'src/features/auth/login-page.tsx',
};
/** The font of the interface, for the texts of most languages. */
const FONT = /hanken-grotesk-latin-wght-normal.*\.woff2$/;

/**
 * Names the files of those pages and of the translations in index.html, and preloads the font, which the browser would
 * find after the styles.
 */
const nameFiles = (): Plugin => ({
  name: 'name-files',
  transformIndexHtml: {
    order: 'post',
    handler(page, { bundle, chunk: entry }) {
      const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
      const languages = translations().map((it) => {
        const file = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`:${it}`));
        return file ? `${it}=/${file.fileName}` : it;
      });
      const translated = page.replace(
        'data-languages=""',
        `data-languages="${languages.join(' ')}"`,
      );
      if (!bundle || !entry) return translated;
      const loaded = filesOf(entry, bundle);
      const chunkOf = (module: string) => {
        const found = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
        if (!found) throw new Error(`The build has no chunk of ${module}.`);
        return found;
      };
      const named = Object.entries(PAGES).reduce((text, [name, module]) => {
        const had = name === 'replies' ? filesOf(chunkOf(PAGES.chat), bundle) : loaded;
        const files = [...filesOf(chunkOf(module), bundle)].filter((file) => !had.has(file));
        return text.replace(
          `data-${name}=""`,
          `data-${name}="${files.map((it) => `/${it}`).join(' ')}"`,
        );
      }, translated);
      const font = Object.keys(bundle).find((file) => FONT.test(file));
      if (!font) throw new Error('The build has no font of the interface.');
      const attrs = {
        rel: 'preload',
        href: `/${font}`,
        as: 'font',
        type: 'font/woff2',
        crossorigin: '',
      };
      const html = named.replace(
        '<meta name="build" content="" />',
        `<meta name="build" content="${buildOf(named, bundle)}" />`,
      );
      return { html, tags: [{ tag: 'link', attrs, injectTo: 'head' as const }] };
    },
  },
});

/** The server checks what pages send; zod would be a sixth of the first load. */
const refuseSchemas = (): Plugin => ({
  name: 'refuse-schemas',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? Object.entries(file.modules) : [],
    );
    const found = modules.find(([id, { code }]) => /node_modules.zod/.test(id) && code);
    if (found)
      throw new Error(
        'A page imports a value of a file of the contract with schemas, which loads all of zod.',
      );
  },
});

/** `contract/build.ts` describes it. The names of the files have hashes of their contents. */
function buildOf(page: string, bundle: Rolldown.OutputBundle): string {
  const hash = createHash('sha256').update(page).update(Object.keys(bundle).toSorted().join());
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return `${time}-${hash.digest('hex').slice(0, 12)}`;
}

/** A chunk, its styles, and those of everything that it imports statically. */
function filesOf(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
  found = new Set<string>(),
): Set<string> {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (imported?.type === 'chunk') filesOf(imported, bundle, found);
  }
  return found;
}

/** What the server writes into the page and the sources cannot do without, for `npm run dev`, whose page is Vite's. */
const fillSettings = (): Plugin => ({
  name: 'fill-settings',
  apply: 'serve',
  transformIndexHtml: (page) =>
    page
      .replace('%MAILS%', process.env.SMTP_URL ? 'server' : 'folder')
      .replace('%ROBOTS%', 'all')
      .replace('%PLANS%', process.env.PLANS === 'off' ? 'off' : 'on'),
});

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    catalogue(),
    nameFiles(),
    refuseSchemas(),
    fillSettings(),
    minifyPublic(['start.js']),
    precompress(),
  ],
  resolve: {
    alias: {
      '@transloadit/prettier-bytes': path.join(
        import.meta.dirname,
        'src/features/files/upload/uppy-size.ts',
      ),
    },
  },
  server: {
    // Sandboxed frames, which have no origin, load the code of diagrams.
    cors: { origin: 'null' },
    proxy: {
      '/api': web,
      '/socket': { target: web, ws: true },
      // The pages of test payments.
      '^/test-(checkout|portal|invoice|payments)': web,
    },
  },
  // The highlighter's worker loads grammars on demand.
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // The content security policy allows no `data:` fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
});
