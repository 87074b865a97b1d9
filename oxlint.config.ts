import { defineConfig } from 'oxlint';

/** Imports that a folder must not have, and why. Of two overrides with the same rule the later replaces the earlier. */
type Ban = { group: string[]; allowTypeImports?: true; message: string } | { regex: string; message: string };

/** The imports that the files of a folder must not have: the module boundary of that folder. */
const boundary = (folder: string, ...patterns: Ban[]) => ({
  files: [folder],
  rules: { 'no-restricted-imports': ['error', { patterns }] as ['error', { patterns: Ban[] }] },
});

const dashboard: Ban = {
  group: ['**/src/**', 'react', 'react/*', 'react-*', 'react-*/**'],
  message: 'The service knows nothing of the dashboard.',
};
const sql: Ban = { group: ['kysely', 'kysely/*', 'better-sqlite3'], message: 'SQL stays in server/catalog.' };
const decoders: Ban = {
  group: ['node-av', 'node-av/*', 'heic-decode'],
  message: 'Reading and writing media stays in packages/media.',
};
const media: Ban = { ...decoders, group: [...decoders.group, 'sharp'] };
const http: Ban = { group: ['**/http/**', '@fastify/*'], message: 'HTTP stays in server/http.' };
const fastify: Ban = { group: ['fastify'], allowTypeImports: true, message: 'HTTP stays in server/http.' };
const insidePackages: Ban = {
  group: ['**/packages/**'],
  message: 'A package is imported by its name, and offers what its package.json exports.',
};
const jobs: Ban = {
  regex: String.raw`/jobs/(?!(?:task-pool|job-runner|job-errors)\.ts$)`,
  message: 'server/startup alone starts the jobs.',
};
const server: Ban = {
  group: ['**/server/**', 'kysely', 'kysely/*', 'better-sqlite3', '@fastify/*', 'fastify'],
  message: 'A package knows nothing of catalog, HTTP, settings or workspaces.',
};

const service: Ban = {
  group: ['**/server/**', 'node:*'],
  message: 'The dashboard speaks with the service over HTTP only.',
};
const schemas: Ban = {
  group: ['zod', 'zod/*', '**/contract/**', '!**/contract/{base-path,fields,map-path,positions,query-video}.ts'],
  message:
    'The dashboard knows the API by the types generated from its description, by the table of fields, by how paths are mapped, and by limits.',
};
const anyOfUs: Ban = {
  group: ['**/server/**', '!@modelcontextprotocol/**', '**/src/**', 'react', 'react/*', 'react-*', 'react-*/**'],
  message: 'A client knows the service by its API, as anybody else does.',
};
const node: Ban = {
  group: ['node:*', '**/node.ts'],
  message: 'Browsers load this too: what needs Node is in node.ts.',
};
const insides: Ban = {
  regex: String.raw`/typescript/(?!(?:index|node)\.ts$)`,
  message: 'Clients use what the package offers to everybody: typescript/index.ts and typescript/node.ts.',
};
const generated: Ban = {
  group: ['**/generated/*/*', '!**/generated/*/index.ts', '**/fetch-client.ts'],
  message: 'The generated clients are used by their index.',
};
const requests: Ban = {
  group: ['react-router', '@tanstack/*', '**/api/**'],
  message: 'This knows no route or request.',
};
const pages: Ban = { group: ['**/pages/**', '**/routes.tsx'], message: 'src/routes.tsx alone puts pages together.' };
const features: Ban = { group: ['**/features/**'], message: 'Features stand on this, not the other way round.' };
const primitives: Ban = { group: ['**/ui/**'], message: 'What can be seen stands on this, not the other way round.' };

export default defineConfig({
  plugins: ['typescript', 'import', 'react', 'jsx-a11y', 'node', 'promise', 'unicorn', 'oxc'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['dist', 'data', 'node_modules', 'public', 'src/api/generated', 'clients/typescript/generated'],
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    'typescript/no-unsafe-type-assertion': 'off',
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'import/no-unassigned-import': 'off',
    'oxc/no-barrel-file': ['error', { threshold: 0 }],
    'max-lines': ['error', { max: 400 }],
    'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
    'node/no-process-env': 'error',
    'react/react-in-jsx-scope': 'off',
    'react/rules-of-hooks': 'error',
    'react/exhaustive-deps': 'error',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    'no-unneeded-ternary': 'error',
    eqeqeq: 'error',
    'oxc/no-map-spread': 'off',
    'oxc/no-async-endpoint-handlers': 'off',
    'jsx-a11y/prefer-tag-over-role': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'typescript/no-unnecessary-type-parameters': 'off',
    'unicorn/no-array-sort': 'off',
    // `then` is a parameter of searches. What is no function there makes nothing a promise.
    'unicorn/no-thenable': 'off',
    'unicorn/no-array-reverse': 'off',
    // It takes the ports of threads for windows of a browser.
    'unicorn/require-post-message-target-origin': 'off',
  },
  overrides: [
    {
      files: [
        '*.config.ts',
        'server/main.ts',
        'server/admin.ts',
        'server/testing/programs.ts',
        'e2e/**',
        'lab/bench/**',
        'lab/reliability/**',
        'scripts/**',
      ],
      rules: { 'node/no-process-env': 'off' },
    },
    { files: ['*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    // A test suite is one function.
    {
      files: ['**/*.test.ts', 'e2e/**/*.spec.ts'],
      rules: { 'max-lines-per-function': 'off' },
    },
    {
      files: ['server/**'],
      rules: {
        'no-restricted-globals': [
          'error',
          { name: 'setInterval', message: 'Use runEvery of server/platform/periodic.ts.' },
        ],
      },
    },
    { files: ['server/platform/periodic.ts', '**/*.test.ts'], rules: { 'no-restricted-globals': 'off' } },
    // What a package offers has to be named in one place.
    { files: ['clients/typescript/index.ts'], rules: { 'oxc/no-barrel-file': 'off' } },
    // The program reads its environment at its start, as server/main.ts does.
    { files: ['clients/cli/main.ts'], rules: { 'node/no-process-env': 'off' } },
    // Playwright's fixtures call a function named `use`, which is no hook.
    { files: ['e2e/**'], rules: { 'react/rules-of-hooks': 'off' } },

    boundary('contract/**', {
      group: ['**', '!zod', '!./*', '!vitest'],
      message: 'The contract runs anywhere: zod and its own files, nothing else.',
    }),
    boundary('packages/media/**', dashboard, server, {
      group: ['@media-search/*'],
      message: 'Media code gets the path of a file, and knows neither models nor search.',
    }),
    boundary('packages/indexing/**', dashboard, server, media),
    // Models scale raw pixels with sharp.
    boundary('packages/models/**', dashboard, server, decoders),
    boundary('packages/search-engine/**', dashboard, server, media),
    boundary('packages/places/**', dashboard, server, media),

    boundary('server/**', dashboard, insidePackages),
    boundary('server/errors/**', dashboard, insidePackages, http, fastify, sql, media, jobs),
    boundary('server/http/**', dashboard, insidePackages, sql, media, jobs),
    boundary('server/catalog/**', dashboard, insidePackages, http, fastify, media, {
      group: ['**/search/**', '**/assets/**', '**/jobs/**'],
      allowTypeImports: true,
      message: 'The catalog stores what others made, and may name its type.',
    }),
    boundary('server/search/**', dashboard, insidePackages, http, fastify, sql, media),
    boundary('server/search/highlights/**', dashboard, insidePackages, http, fastify, sql, media, jobs, {
      group: ['**/assets/**', '@media-search/models/**'],
      message: 'Highlights compare the vectors that the catalog holds.',
    }),
    boundary('server/search/embedding/**', dashboard, insidePackages, http, fastify, sql, media, jobs, {
      group: ['**/assets/**'],
      message: 'Which embedder answers where is a matter of the catalog and the models.',
    }),
    boundary('server/search/query-workers/**', dashboard, insidePackages, http, fastify, sql, media, {
      group: ['**/service.ts', '**/settings.ts'],
      message: 'A query worker knows its tasks only.',
    }),
    boundary('server/assets/**', dashboard, insidePackages, http, fastify, sql, media, jobs, {
      group: ['**/search/**', '**/catalog/**', '@media-search/*'],
      message: 'The asset store knows files only.',
    }),
    boundary('server/platform/outbound/**', dashboard, insidePackages, http, fastify, sql, media, jobs, {
      group: ['../*', '!../../errors/api-error.ts'],
      message: 'What connects to addresses of users knows nothing of the service but its errors.',
    }),
    boundary('server/messaging/{events,webhooks}/**', dashboard, insidePackages, http, fastify, sql, media, jobs, {
      group: ['**/search/**', '@media-search/models/**', '**/assets/**'],
      message: 'Streams and webhooks send what the log of events holds.',
    }),
    boundary('server/messaging/saved-matches/**', dashboard, insidePackages, http, fastify, sql, media, jobs),
    boundary('server/delivery/{captions,export}/**', dashboard, insidePackages, http, fastify, sql, media, jobs, {
      group: ['@media-search/{models,search-engine}/**'],
      message: 'Captions and exports are made from what the catalog and the files hold.',
    }),
    ...['delivery/shares', 'uploads'].map((useCase) =>
      boundary(`server/${useCase}/**`, dashboard, insidePackages, http, fastify, sql, media, jobs),
    ),
    boundary('server/jobs/**', dashboard, insidePackages, http, fastify, sql, media, {
      group: ['@media-search/search-engine/{builder,index,ranking}/**'],
      message: 'Search finds what indexing stores by way of the catalog.',
    }),
    boundary('server/operations/check/**', dashboard, insidePackages, http, fastify, sql, media),
    boundary(
      'server/operations/transfer/**',
      dashboard,
      insidePackages,
      http,
      { ...fastify, message: 'A backup is made by a command.' },
      media,
      {
        group: ['**/search/**', '**/jobs/**', '@media-search/*'],
        message: 'A transfer knows the catalog and files only.',
      },
    ),
    boundary('clients/typescript/**', anyOfUs, node),
    boundary('clients/typescript/node.ts', anyOfUs),
    boundary('clients/{cli,mcp,shared}/**', anyOfUs, insides),
    // Tests of clients ask a real service.
    boundary('clients/**/*.test.ts', { ...dashboard, message: 'A client knows nothing of the dashboard.' }),
    boundary('clients/**/testing/**', { ...dashboard, message: 'A client knows nothing of the dashboard.' }),
    // Tests may cross the boundaries inside the service.
    boundary('server/**/*.test.ts', dashboard),
    boundary('server/testing/**', dashboard),
    boundary('packages/**/*.test.ts', dashboard),
    boundary('packages/**/testing/**', dashboard),
    boundary('contract/**/*.test.ts', dashboard, service),

    boundary('src/**', service, schemas),
    boundary('src/lib/**', service, schemas, requests, pages, features, primitives),
    boundary('src/ui/**', service, requests, pages, features, {
      group: ['**/contract/**', 'zod', 'zod/*'],
      message: 'Primitives know nothing of media search.',
    }),
    boundary('src/api/**', service, schemas, pages, features, primitives),
    boundary('src/features/**', service, schemas, generated, pages, {
      regex: String.raw`^\.\./[^.]|/features/`,
      message: 'A feature knows no other: share by src/ui, src/lib or src/api.',
    }),
    boundary('src/pages/**', service, schemas, generated, {
      regex: String.raw`^\./|/pages/|/routes\.tsx$`,
      message: 'A page knows no other page.',
    }),
  ],
});
