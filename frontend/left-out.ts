import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

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
 * What packages import and the product never runs, replaced by less: 19 KB on the wire of the chat. Tests run the whole
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
    source: '../createLucideIcon.mjs',
    code: `
      import { createElement, forwardRef } from 'react';
      const box = { xmlns: 'http://www.w3.org/2000/svg', width: 24, height: 24, viewBox: '0 0 24 24', fill: 'none' };
      const line = { stroke: 'currentColor', strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round' };
      export default ({ node }) => forwardRef((props, ref) =>
        createElement('svg', { 'aria-hidden': true, ...box, ...line, ...props, ref },
          node.map(([tag, attributes]) => createElement(tag, attributes))));
    `,
  },
  // React has the hook since version 18.
  {
    importer: '/wouter/',
    source: 'use-sync-external-store/shim/index.js',
    code: "export { useSyncExternalStore } from 'react';",
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
  {
    importer: '/hast-util-to-jsx-runtime/',
    source: 'vfile-message',
    code: 'export class VFileMessage extends Error {}',
  },
  // A reply is a string, not a file with a path.
  { importer: '/react-markdown/', source: 'vfile', code: 'export class VFile {}' },
  // The plugins are synchronous and attached once, in their order.
  {
    importer: '/react-markdown/',
    source: 'unified',
    code: `
      export function unified() {
        const data = {};
        const transforms = [];
        const attach = (plugin, ...options) => transforms.push(plugin.apply(processor, options));
        const processor = {
          data: (key) => (key ? data[key] : data),
          use(plugins, options) {
            if (Array.isArray(plugins)) for (const plugin of plugins) attach(...[plugin].flat());
            else attach(plugins, options);
            return processor;
          },
          parse: (file) => processor.parser(file.value),
          runSync: (tree, file) => transforms.reduce((from, to) => to?.(from, file) ?? from, tree),
        };
        return processor;
      }
    `,
  },
  // Uppy writes sizes with a decimal point in every language.
  {
    importer: '/@uppy/',
    source: '@transloadit/prettier-bytes',
    code: `export { formatSize as default } from '${SIZES}';`,
  },
].map((one, i) => ({ ...one, id: `\0left-out-${i}` }));

/** Puts the code of `LEFT_OUT` in the place of what packages import. */
export const leaveOut = (): Plugin => ({
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
