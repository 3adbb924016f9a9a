import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The renderer: one page, served by the local server and by the desktop shell's own scheme alike. */
export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'chrome130',
    // The content security policy has no `data:` for scripts and fonts, and small files are cheap here.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
  worker: { format: 'es' },
});
