import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { compileCache } from '../../../server/testing/programs.ts';
import { startTestService } from '../../../server/testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  folder = await temporaryFolder();
  const names = ['Ana Lima', 'anders $(touch owned) `touch owned`', 'anna; touch owned', "an'other one", 'an:colon=b'];
  // A name that does not fit into a line is not offered.
  for (const name of [...names, 'anders\ntouch owned']) await service.client.post('/creators', { name });
  await mkdir(folder.file('bin'));
  const main = path.join(import.meta.dirname, '..', 'main.ts');
  // Answers the shell, and shows what it makes of a completed line.
  const program = `#!/bin/sh
    case "$1" in complete|completion) exec '${process.execPath}' '${main}' "$@" ;; esac
    printf '<%s>' "$@" >> '${folder.file('calls')}'
    echo >> '${folder.file('calls')}'`;
  await writeFile(folder.file('bin/media-search'), program, { mode: 0o755 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const prompt = 'ready>';

/** How each shell starts, and what its file of settings holds. */
const shells = {
  bash: { start: 'bash --rcfile rc', settings: `PS1='${prompt}'\nsource <(media-search completion bash)` },
  zsh: {
    start: 'zsh',
    settings: `PS1='${prompt}'\nautoload -Uz compinit && compinit -u -D\nsource <(media-search completion zsh)`,
  },
  fish: {
    start: "fish --no-config --init-command 'source rc'",
    settings: `function fish_prompt; printf '${prompt}'; end\nmedia-search completion fish | source`,
  },
};

/** Types each line and a tab into a shell on a terminal, and gives what the program is called with then. */
async function completeIn(shell: keyof typeof shells, lines: string[], work: string): Promise<string[]> {
  const { start, settings } = shells[shell];
  for (const name of ['rc', '.zshrc']) await writeFile(path.join(work, name), settings);
  await writeFile(folder.file('calls'), '');
  const calls = async () => (await readFile(folder.file('calls'), 'utf8')).split('\n').slice(0, -1);
  const terminal = spawn('script', ['-qec', start, '/dev/null'], {
    cwd: work,
    env: {
      ...compileCache,
      PATH: `${folder.file('bin')}:/usr/bin:/bin`,
      HOME: folder.path,
      ZDOTDIR: work,
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      MEDIA_SEARCH_URL: service.url,
      MEDIA_SEARCH_KEY: service.key,
    },
  });
  let shown = '';
  terminal.stdout.on('data', (bytes) => (shown += String(bytes)));
  const closed = new Promise((resolve) => terminal.on('close', resolve));
  for (const [i, line] of lines.entries()) {
    await expect.poll(() => shown, { timeout: 15_000 }).toContain(prompt);
    shown = '';
    terminal.stdin.write(`media-search ${line}\t\r`);
    await expect.poll(calls, { timeout: 15_000, message: `${line} in ${shown}` }).toHaveLength(i + 1);
  }
  terminal.stdin.end('exit\r');
  await closed;
  return calls();
}

test.for(['bash', 'zsh', 'fish'] as const)(
  '%s completes what is typed, and runs nothing of what is in a name',
  { timeout: 60_000 },
  async (shell, { skip }) => {
    for (const program of [shell, 'script'])
      skip(spawnSync(program, ['--version']).error !== undefined, `this machine has no ${program}`);
    const work = folder.file(shell);
    await mkdir(work);
    for (const name of ['photo.jpg', 'my file.mp4']) await writeFile(path.join(work, name), '');
    const lines: [typed: string, called: string][] = [
      ['sea', '<search>'],
      ['search --ty', '<search><--type>'],
      ['search --type=v', '<search><--type=video>'],
      [String.raw`search --creator Ana\ L`, '<search><--creator><Ana Lima>'],
      ['search --creator ande', '<search><--creator><anders $(touch owned) `touch owned`>'],
      ['search --creator "ande', '<search><--creator><anders $(touch owned) `touch owned`>'],
      [`search --creator "an'`, `<search><--creator><an'other one>`],
      [String.raw`search --creator=anna\;`, '<search><--creator=anna; touch owned>'],
      ['search --creator an:', '<search><--creator><an:colon=b>'],
      ['search --image=ph', '<search><--image=photo.jpg>'],
      [String.raw`upload my\ f`, '<upload><my file.mp4>'],
    ];
    const called = await completeIn(
      shell,
      lines.map(([typed]) => typed),
      work,
    );
    expect(called).toEqual(lines.map(([, call]) => call));
    expect((await readdir(work)).toSorted()).toEqual(['.zshrc', 'my file.mp4', 'photo.jpg', 'rc']);
  },
);
