import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const web = process.env.STOLAS_WEB_URL ?? 'http://127.0.0.1:3001';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  server: { proxy: { '/api': web, '/socket': { target: web, ws: true } } },
  // The highlighter's worker loads grammars on demand.
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // The content security policy allows no `data:` fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
