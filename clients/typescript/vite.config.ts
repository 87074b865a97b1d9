import { defineConfig } from 'vite';

/** Files with all libraries in them, once for browsers and once for Node: what sends parts of an upload is another in each. */
export default defineConfig(({ mode }) => {
  const output = { outDir: `dist/${mode}`, emptyOutDir: true, minify: false, target: 'es2023' };
  return mode === 'node'
    ? {
        build: { ...output, ssr: true, rolldownOptions: { input: ['index.ts', 'node.ts'] } },
        ssr: { noExternal: true },
      }
    : { build: { ...output, lib: { entry: 'index.ts', formats: ['es'], fileName: 'index' } } };
});
