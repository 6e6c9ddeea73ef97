import path from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { precompress } from './precompress.ts';

const web = process.env.STOLAS_WEB_URL ?? 'http://127.0.0.1:3001';

// What every page needs is one file: each further one costs its HTTP headers, and compresses worse on its own.
const BASE = [
  /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|zustand|clsx)\//,
  /node_modules\/(@tanstack\/(react-query|query-core)|@radix-ui\/react-(slot|compose-refs))\//,
  /lucide-react\/dist\/esm\/(Icon|createLucideIcon|context|defaultAttributes|shared\/|icons\/check\.)/,
  /preload-helper|backend\/src\/contract\/(?!plans)/,
  /frontend\/src\/app\/(main|routes|pages|redirects|error-boundary|connection-notice|notifications|not-found-page)\./,
  /frontend\/src\/lib\/(api|auth-token|location|online|product|query-client|storage|theme)\./,
  /frontend\/src\/features\/auth\/(index|hooks|session|auth-frame|link-token|failure-text)\./,
  /frontend\/src\/ui\/(banner|button|cn|eye|input|password-field|sky|spinner|states|toast-store)\./,
];
// What the chat shares with the other pages of signed-in users is one file, too.
const SIGNED_IN = [
  /frontend\/src\/realtime\//,
  /frontend\/src\/lib\/(charged-tokens|number|time)\./,
  /frontend\/src\/ui\/(icon-button|kbd|skeleton|tooltip[\w-]*)\./,
  /frontend\/src\/features\/files\/(index|lazy|place)\./,
  /frontend\/src\/features\/files\/upload\/(draft-files|lazy|open-uploader|upload-store|use-file-drop)\./,
  /lucide-react\/dist\/esm\/icons\/(file-text|files|moon|paperclip|rotate-ccw|search|sun)\./,
];
const oneOf = (parts: RegExp[]) => (id: string) => parts.some((part) => part.test(id));

/** Names the files of the chat in index.html, for `public/start.js` to preload. */
const nameChatFiles = (): Plugin => ({
  name: 'name-chat-files',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle, chunk: entry }) {
      if (!bundle || !entry) return html;
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const chat = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(CHAT_MODULE));
      if (!chat) throw new Error(`The build has no chunk of ${CHAT_MODULE}.`);
      const loaded = filesOf(entry, bundle);
      const files = [...filesOf(chat, bundle)].filter((file) => !loaded.has(file));
      return html.replace('data-chat=""', `data-chat="${files.map((it) => `/${it}`).join(' ')}"`);
    },
  },
});

const PROPERTIES = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('property-information'))),
  'lib',
);

/**
 * What packages import and the product never runs, replaced by less: 9 KB on the wire of the chat. Tests run the whole
 * packages; the build fails when one of them has changed so that nothing is replaced any more.
 */
const LEFT_OUT = [
  // Nothing here writes Markdown.
  {
    importer: '/remark-gfm/',
    source: 'mdast-util-gfm',
    code: "export { gfmFromMarkdown } from 'mdast-util-gfm'; export const gfmToMarkdown = () => ({});",
  },
  // The socket has one transport.
  {
    importer: '/engine.io-client/',
    source: './transports/index.js',
    code: "import { WebSocket } from 'engine.io-client'; export const transports = { get websocket() { return WebSocket; } };",
  },
  // Replies hold no SVG: HTML in Markdown is shown as text.
  {
    importer: '/hast-util-to-jsx-runtime/',
    source: 'property-information',
    code: ['aria', 'html', 'xlink', 'xmlns', 'xml']
      .map((name) => `import { ${name} } from '${PROPERTIES}/${name}.js';`)
      .concat(
        `import { merge } from '${PROPERTIES}/util/merge.js';`,
        `export { find } from '${PROPERTIES}/find.js';`,
        `export { hastToReact } from '${PROPERTIES}/hast-to-react.js';`,
        "const all = merge([aria, html, xlink, xmlns, xml], 'html');",
        'export { all as html, all as svg };',
      )
      .join('\n'),
  },
].map((one, i) => ({ ...one, id: `\0left-out-${i}` }));

const leaveOut = (): Plugin => ({
  name: 'leave-out',
  apply: 'build',
  enforce: 'pre',
  resolveId: (source, importer = '') =>
    LEFT_OUT.find((one) => one.source === source && importer.includes(one.importer))?.id,
  load: (id) => LEFT_OUT.find((one) => one.id === id)?.code,
  buildEnd(error) {
    const loaded = new Set(this.getModuleIds());
    const kept = LEFT_OUT.find(({ id }) => !loaded.has(id));
    if (!error && kept) this.error(`${kept.importer} no longer imports ${kept.source}.`);
  },
});

const CHAT_MODULE = 'src/app/chat-screen.tsx';

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

export default defineConfig({
  plugins: [react(), tailwindcss(), leaveOut(), nameChatFiles(), precompress()],
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
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: oneOf(BASE), priority: 2 },
            { name: 'signed-in', test: oneOf(SIGNED_IN), priority: 1 },
          ],
        },
      },
    },
  },
});
