import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * `npm start`: builds the dashboard where its tools are installed, then runs the service. An install without them (`--omit=dev`) shows the
 * dashboard that was built before.
 */

const root = path.join(import.meta.dirname, '..');
const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
const built = ['dist/index.html', 'clients/typescript/generated/index.ts'];

if (existsSync(vite)) {
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
} else if (!built.every((file) => existsSync(path.join(root, file)))) {
  console.error(
    'The dashboard is not built, and what builds it is not installed: npm ci && npm run build && npm prune --omit=dev',
  );
  process.exit(1);
}
await import('../server/main.ts');
