import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const web = process.env.STOLAS_WEB_URL ?? 'http://127.0.0.1:3001';

// What every page needs stays in one file. Left alone, the bundler splits it by who shares what, and each piece
// compresses worse.
const BASE =
  /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|@tanstack\/(react-query|query-core)|zustand|clsx|tailwind-merge)\/|frontend\/src\/(lib\/(api|auth-token|location|query-client|storage)|features\/auth\/(index|hooks|session)|ui\/(cn|toast-store|eye|spinner|button))\.tsx?$/;

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
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', test: BASE }] } } },
  },
});
