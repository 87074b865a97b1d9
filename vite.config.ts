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
  '@tanstack/(query-core|react-query)',
  '@radix-ui/react-(slot|compose-refs)',
  'lucide-react/dist/esm/(createLucideIcon|Icon|context|defaultAttributes|shared)',
];

/** What many pages show, the library among them: in files of their own, some hundred bytes each, they would compress badly. */
const common = [
  'src/ui/(button|card-image|choice|focus-content|notice|page-title|progress-bar|query-failure)',
  'src/use-search-state',
  'src/features/(request/show-request|saved-searches/(use-save-search|use-notify|saved-view)|filters/(filter-bar|filter-chip|menu-button|sort-menu)|library/(media-(card|grid|rows)|grid-(layout|size)|row-height|use-grid-|scrub-thumbnail|library-link|status-badge))',
  'lucide-react/dist/esm/icons/(arrow-up-down|bookmark(-check)?|check|ellipsis|film|image|list-filter|scan-text|search-x|terminal|x)\\.',
];

/** What comes with pages that are loaded later, and with the player. */
const later = [
  'at-most-every',
  'captions',
  'comments',
  'events',
  'exports',
  'for-each-item',
  'form-fields',
  'found-text',
  'fullscreen',
  'label-requests',
  'justified-rows',
  'language-name',
  'model-name',
  'parse-clock',
  'playback-clock',
  'search-in',
  'recent-searches',
  'shares',
  'stage',
  'stored-state',
  'suggestions',
  'text-reading',
  'time-to-read',
  'timecode',
  'trash',
  'try-connection',
  'upload',
  'use-element-size',
  'use-keys',
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
    // The licences of the libraries ask to come along.
    license: { fileName: 'licenses.md' },
    // Every browser that runs the script preloads modules by itself.
    modulePreload: { polyfill: false },
    // The outline of the world, which only the map loads, has 900 kB. `scripts/check-size.ts` limits what every page loads.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // The public pages of links have a script of their own (`server/http/endpoints/shared-page.ts`).
      input: { index: 'index.html', 'share-page': 'src/share-page.ts' },
      output: {
        codeSplitting: {
          // In few files: they compress better than many, and libraries stay in the caches of browsers when the dashboard changes.
          groups: [
            // Only the trash reads its list page by page.
            {
              name: 'vendor',
              test: new RegExp(`/node_modules/(${vendor.join('|')})/(?!.*(useInfinite|infiniteQueryO))`),
            },
            {
              name: 'shared',
              test: new RegExp(`/(src/(api|lib)|clients/typescript)/(?!(${later.join('|')}))|/(${common.join('|')})`),
            },
          ],
        },
      },
    },
  },
});
