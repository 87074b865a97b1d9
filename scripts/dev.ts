import { spawn } from 'node:child_process';
import path from 'node:path';

/** `npm run dev`: the service, which starts again when its code changes, and beside it the dashboard with hot reload. When one ends, so does the other. */

const vite = path.join('node_modules', 'vite', 'bin', 'vite.js');
const programs = [['--watch', 'server/main.ts'], [vite]].map((args) =>
  spawn(process.execPath, args, { cwd: path.join(import.meta.dirname, '..'), stdio: 'inherit' }),
);
for (const program of programs) {
  program.on('exit', (code) => {
    process.exitCode ??= code ?? 1;
    for (const other of programs) other.kill();
  });
}
// A terminal sends Ctrl-C to all of them, others send a signal to this process alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => programs.forEach((program) => program.kill(signal)));
