import { defineConfig } from 'vite';

/** One file with all libraries in it, which Node 20 and later run without installing anything. */
export default defineConfig({
  build: {
    ssr: 'main.ts',
    target: 'node20',
    outDir: 'dist',
    // The licences of the libraries ask to come along.
    license: { fileName: 'licenses.md' },
    emptyOutDir: true,
    // People read the stack traces of `--verbose`.
    minify: false,
    rolldownOptions: { output: { entryFileNames: 'media-search.js', codeSplitting: false } },
  },
  ssr: { noExternal: true, target: 'node' },
});
