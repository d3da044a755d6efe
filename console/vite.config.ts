// Builds the console into dist/console. All addresses are relative; the service adapts those of the
// page to the depth of its path.
import { defineConfig } from 'vite';

const service = process.env['MILLRACE_DEV_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  base: command === 'build' ? './' : '/svc/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  // `npm run dev:console`: everything but the front end is answered by a running service.
  server: { proxy: { '^/(?!svc/console/)': { target: service, changeOrigin: false } } },
}));
