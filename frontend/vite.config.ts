import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { catalogue, translations } from './catalogue.ts';
import { leaveOut } from './left-out.ts';
import { minifyPublic, precompress } from './precompress.ts';

const web = process.env.STOLAS_WEB_URL ?? 'http://127.0.0.1:3001';

// What every page needs is one file: each further one costs its HTTP headers, and compresses worse on its own.
const BASE = [
  /node_modules\/(react|react-dom|scheduler|wouter|regexparam|zustand|clsx)\//,
  // Only lists that are loaded page by page need its infinite queries.
  /node_modules\/@tanstack\/(react-query|query-core)\/(?!.*[iI]nfiniteQuery)/,
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
  /frontend\/src\/ui\/(icon-button|kbd|search-field|skeleton|tooltip[\w-]*|use-width)\./,
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
