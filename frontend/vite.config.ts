import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { catalogue, translations } from './catalogue.ts';
import { minifyPublic, precompress } from './precompress.ts';

const web = process.env.STOLAS_WEB_URL ?? 'http://127.0.0.1:3001';

// What every page needs is one file: each further one costs its HTTP headers, and compresses worse on its own.
const BASE = [
  /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|zustand|clsx)\//,
  // Only lists that are loaded page by page need its infinite queries.
  /node_modules\/@tanstack\/(react-query|query-core)\/(?!.*[iI]nfiniteQuery)/,
  /lucide-react\/dist\/esm\/(Icon|createLucideIcon|context|defaultAttributes|shared\/)/,
  /lucide-react\/dist\/esm\/icons\/(arrow-up|brain|check|drama|file-text|gauge|paperclip|plus|users)\./,
  /preload-helper|rolldown\/runtime|backend\/src\/contract\/(?!conversation-cursor|file-limits|part-text|persona|realtime|reply-status|source-text)/,
  /node_modules\/(@messageformat\/runtime|make-plural)\//,
  /frontend\/src\/app\/(main|routes|pages|redirects|error-boundary|connection-notice|notifications)\./,
  /frontend\/src\/i18n\/(translate|language|app|rich)\.|catalogue:(translations|en\/app)/,
  /frontend\/src\/lib\/(api|auth-token|location|money|online|query-client|storage|theme)\./,
  /frontend\/src\/features\/auth\/(index|hooks|session)\./,
  /frontend\/src\/ui\/(banner|button|cn|eye|input|message-look|sky|spinner|states|toast-store)\./,
  // The landing page has these styles without the code.
  /markdown\.css$/,
];
// What the pages with forms share, login above all.
const FORMS = [
  /lucide-react\/dist\/esm\/icons\/(eye|eye-off)\./,
  /frontend\/src\/features\/auth\/(auth-frame|link-token|failure-text)\./,
  /frontend\/src\/i18n\/forms\.|catalogue:en\/forms/,
  /frontend\/src\/ui\/password-field\./,
];
// What the chat shares with the other pages of signed-in users is one file, too.
const SIGNED_IN = [
  /node_modules\/@tanstack\/(react-query|query-core)\//,
  /frontend\/src\/realtime\//,
  /frontend\/src\/i18n\/shared\.|catalogue:en\/shared/,
  /frontend\/src\/lib\/(charged-tokens|number|time|use-delayed)\./,
  /frontend\/src\/features\/chat\/(selection|use-media|sidebar\/sidebar-store)\./,
  /frontend\/src\/ui\/(icon-button|kbd|search-field|skeleton|tooltip[\w-]*)\./,
  /frontend\/src\/features\/files\/(index|lazy|place)\./,
  /frontend\/src\/i18n\/files\.|catalogue:en\/files$/,
  /frontend\/src\/features\/files\/upload\/(draft-files|lazy|open-uploader|upload-store|use-file-drop)\./,
  /frontend\/src\/features\/personas\/(api|failure|new-chat|persona-symbol)\./,
  /frontend\/src\/i18n\/(depth|memory-mode|persona-choice)\.|catalogue:en\/(depth|memoryMode|personaChoice)$/,
  /frontend\/src\/features\/chat\/api\.|frontend\/src\/lib\/(title|uuid)\./,
  /lucide-react\/dist\/esm\/icons\/(ellipsis|files|moon|pencil|rotate-ccw|search|sun|x)\./,
];
// What the chat shares with the file viewer.
const CONTENT = [
  /node_modules\/@tanstack\/(react-virtual|virtual-core)\//,
  /frontend\/src\/ui\/edge-resizer\./,
  /lucide-react\/dist\/esm\/icons\/chevron-(left|right)\./,
  /frontend\/src\/ui\/markdown\/(markdown|code-block)\./,
  /frontend\/src\/i18n\/markdown\.|catalogue:en\/markdown/,
];
const oneOf = (parts: RegExp[]) => (id: string) => parts.some((part) => part.test(id));

/** The pages whose files `public/start.js` preloads. */
const PAGES = {
  chat: 'src/features/chat/index.ts',
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
      const html = page.replace('data-languages=""', `data-languages="${languages.join(' ')}"`);
      if (!bundle || !entry) return html;
      const loaded = filesOf(entry, bundle);
      const named = Object.entries(PAGES).reduce((text, [name, module]) => {
        const page = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
        if (!page) throw new Error(`The build has no chunk of ${module}.`);
        const files = [...filesOf(page, bundle)].filter((file) => !loaded.has(file));
        return text.replace(
          `data-${name}=""`,
          `data-${name}="${files.map((it) => `/${it}`).join(' ')}"`,
        );
      }, html);
      const font = Object.keys(bundle).find((file) => FONT.test(file));
      if (!font) throw new Error('The build has no font of the interface.');
      const attrs = {
        rel: 'preload',
        href: `/${font}`,
        as: 'font',
        type: 'font/woff2',
        crossorigin: '',
      };
      return { html: named, tags: [{ tag: 'link', attrs, injectTo: 'head' as const }] };
    },
  },
});

const PROPERTIES = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('property-information'))),
  'lib',
);
/** Of the version that Socket.IO uses. */
const ENGINE = path.join(
  path.dirname(
    createRequire(import.meta.resolve('socket.io-client')).resolve('engine.io-client/package.json'),
  ),
  'build/esm',
);

const SIZES = path.join(import.meta.dirname, 'src/features/files/upload/file-size.ts');

/**
 * What packages import and the product never runs, replaced by less: 16 KB on the wire of the chat. Tests run the whole
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
    code: `
      import { WS } from '${ENGINE}/transports/websocket.js';
      export const transports = { websocket: WS };
    `,
  },
  {
    importer: '/socket.io-client/',
    source: 'engine.io-client',
    code: `
      export { Socket } from '${ENGINE}/socket.js';
      import { WS } from '${ENGINE}/transports/websocket.js';
      export { parse } from '${ENGINE}/contrib/parseuri.js';
      export { nextTick } from '${ENGINE}/globals.js';
      export { installTimerFunctions } from '${ENGINE}/util.js';
      export { WS as WebSocket, WS as NodeWebSocket };
      export const [Fetch, XHR, NodeXHR, WebTransport] = [];
    `,
  },
  // Its messages are text.
  {
    importer: '/socket.io-parser/',
    source: './is-binary.js',
    code: 'export const isBinary = () => false; export const hasBinary = isBinary;',
  },
  {
    importer: '/socket.io-parser/',
    source: './binary.js',
    code: 'export const deconstructPacket = (it) => it; export const reconstructPacket = deconstructPacket;',
  },
  {
    importer: '/engine.io-parser/',
    source: './contrib/base64-arraybuffer.js',
    code: 'export const decode = () => new ArrayBuffer(0);',
  },
  // Icons are sized and coloured by classes.
  {
    importer: '/lucide-react/',
    source: './Icon.mjs',
    code: `
      import { createElement, forwardRef } from 'react';
      const box = { xmlns: 'http://www.w3.org/2000/svg', width: 24, height: 24, viewBox: '0 0 24 24', fill: 'none' };
      const line = { stroke: 'currentColor', strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round' };
      export default forwardRef(({ icon, ...props }, ref) =>
        createElement('svg', { 'aria-hidden': true, ...box, ...line, ...props, ref },
          icon.node.map(([tag, attributes]) => createElement(tag, attributes))));
    `,
  },
  // HTML in Markdown is shown as text: replies hold no SVG and no styles. Names that are not in this list are React's own.
  {
    importer: '/hast-util-to-jsx-runtime/',
    source: 'property-information',
    code: `
      export { aria as html, aria as svg } from '${PROPERTIES}/aria.js';
      export { find } from '${PROPERTIES}/find.js';
      export { hastToReact } from '${PROPERTIES}/hast-to-react.js';
    `,
  },
  {
    importer: '/hast-util-to-jsx-runtime/',
    source: 'style-to-object',
    code: 'export default () => {};',
  },
  // Every browser that the build is for has it.
  {
    importer: '/mdast-util-to-hast/',
    source: '@ungap/structured-clone',
    code: 'export default structuredClone;',
  },
  // Reports of syntax errors, which Markdown does not have.
  ...['/hast-util-to-jsx-runtime/', '/vfile/'].map((importer) => ({
    importer,
    source: 'vfile-message',
    code: 'export class VFileMessage extends Error {}',
  })),
  // Uppy writes sizes with a decimal point in every language.
  {
    importer: '/@uppy/',
    source: '@transloadit/prettier-bytes',
    code: `export { formatSize as default } from '${SIZES}';`,
  },
  // A reply has no path.
  { importer: '/vfile/', source: '#minpath', code: 'export const minpath = {};' },
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
  plugins: [
    react(),
    tailwindcss(),
    catalogue(),
    leaveOut(),
    nameFiles(),
    minifyPublic(['start.js']),
    precompress(),
  ],
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
            { name: 'forms', test: oneOf(FORMS), priority: 2 },
            { name: 'signed-in', test: oneOf(SIGNED_IN), priority: 1 },
            { name: 'content', test: oneOf(CONTENT) },
          ],
        },
      },
    },
  },
});
