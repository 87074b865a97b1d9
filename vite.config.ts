import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';
import { generateClient } from './scripts/generate-client.ts';

/** The service that `npm run dev` starts beside this. */
const service = process.env['SERVICE_URL'] ?? 'http://127.0.0.1:8080';

/** The libraries of the first load. */
const vendor = [
  'react',
  'react-dom',
  'react-router',
  'scheduler',
  'clsx',
  '@tanstack/(query-core|react-query|react-virtual|virtual-core)',
  'react-dropzone',
  'file-selector',
  'attr-accept',
  'thumbhash',
  'lucide-react/dist/esm/(createLucideIcon|Icon|context|defaultAttributes|shared)',
];

/** What comes with pages that are loaded later, and with the player. */
const later = [
  'captions',
  'found-text',
  'language-name',
  'playback-clock',
  'search-in',
  'text-reading',
  'time-to-read',
];

export default defineConfig({
  // The service sends the compressed files that lie beside the others.
  plugins: [
    { name: 'generate-client', buildStart: generateClient },
    react(),
    tailwindcss(),
    compression({ algorithms: ['brotliCompress', 'gzip'], include: /\.(js|css|html|svg)$/ }),
  ],
  // The Host header is passed on as it is: signed addresses name it, and a session accepts only its own origin.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/auth', '/manage', '/reference', '/files', '^/s/'].map((path) => [
        path,
        { target: service, changeOrigin: false },
      ]),
    ),
  },
  build: {
    target: 'es2023',
    sourcemap: false,
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // In few files: they compress better than many, and libraries stay in the caches of browsers when the dashboard changes.
          groups: [
            { name: 'vendor', test: new RegExp(`/node_modules/(${vendor.join('|')})/`) },
            { name: 'shared', test: new RegExp(`/src/(api|lib)/(?!(${later.join('|')}))`) },
          ],
        },
      },
    },
  },
});
