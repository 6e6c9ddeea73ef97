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
  // Only lists that are loaded page by page need its infinite queries.
  /node_modules\/@tanstack\/(react-query|query-core)\/(?!.*[iI]nfiniteQuery)/,
  /lucide-react\/dist\/esm\/(Icon|createLucideIcon|context|defaultAttributes|shared\/)/,
  /lucide-react\/dist\/esm\/icons\/(arrow-up|check|file-text|paperclip|plus)\./,
  /preload-helper|backend\/src\/contract\/(?!plans)/,
  /frontend\/src\/app\/(main|routes|pages|redirects|error-boundary|connection-notice|notifications|not-found-page)\./,
  /frontend\/src\/lib\/(api|auth-token|location|online|product|query-client|storage|theme)\./,
  /frontend\/src\/features\/auth\/(index|hooks|session)\./,
  /frontend\/src\/ui\/(banner|button|cn|eye|message-look|sky|spinner|states|toast-store)\./,
];
// What the pages with forms share, login above all.
const FORMS = [
  /lucide-react\/dist\/esm\/icons\/(eye|eye-off)\./,
  /frontend\/src\/features\/auth\/(auth-frame|link-token|failure-text)\./,
  /frontend\/src\/ui\/(input|password-field)\./,
];
// What the chat shares with the other pages of signed-in users is one file, too.
const SIGNED_IN = [
  /node_modules\/@tanstack\/(react-query|query-core)\//,
  /frontend\/src\/realtime\//,
  /frontend\/src\/lib\/(charged-tokens|number|time|use-delayed)\./,
  /frontend\/src\/features\/chat\/(selection|use-media|sidebar\/sidebar-store)\./,
  /frontend\/src\/ui\/(icon-button|kbd|search-field|skeleton|tooltip[\w-]*)\./,
  /frontend\/src\/features\/files\/(index|lazy|place)\./,
  /frontend\/src\/features\/files\/upload\/(draft-files|lazy|open-uploader|upload-store|use-file-drop)\./,
  /lucide-react\/dist\/esm\/icons\/(files|moon|rotate-ccw|search|sun|x)\./,
];
const oneOf = (parts: RegExp[]) => (id: string) => parts.some((part) => part.test(id));

/** The pages whose files `public/start.js` preloads. */
const PAGES = {
  chat: 'src/app/chat-screen.tsx',
  landing: 'src/features/landing/landing-page.tsx',
  login: 'src/features/auth/login-page.tsx',
};
/** The font of the interface, for the texts of most languages. */
const FONT = /hanken-grotesk-latin-wght-normal.*\.woff2$/;

/** Names the files of those pages in index.html, and preloads the font, which the browser would find after the styles. */
const nameFiles = (): Plugin => ({
  name: 'name-files',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle, chunk: entry }) {
      if (!bundle || !entry) return html;
      const loaded = filesOf(entry, bundle);
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
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

/**
 * What packages import and the product never runs, replaced by less: 10 KB on the wire of the chat. Tests run the whole
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
  plugins: [react(), tailwindcss(), leaveOut(), nameFiles(), precompress()],
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
          ],
        },
      },
    },
  },
});
