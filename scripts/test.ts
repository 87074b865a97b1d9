import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';

/**
 * Runs all tests, first those of Vitest, then those in the browser, and closes with one count of both. Exits non-zero when
 * a test failed, or a runner did, or none ran.
 */

type VitestReport = { numPassedTests: number; numFailedTests: number };
type PlaywrightReport = { stats: { expected: number; unexpected: number; flaky: number } };

const folder = 'test-results';
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);

// The browser tests use the dashboard as it is built.
const steps = [
  ['vite', 'build', '--logLevel', 'warn'],
  ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${folder}/vitest.json`],
  ['playwright', 'test'],
];
const failures = steps.filter(([program = '', ...options]) => {
  console.log(`\n> ${program} ${options.join(' ')}\n`);
  return spawnSync(program, options, { stdio: 'inherit' }).status !== 0;
});

const unit = readReport<VitestReport>('vitest.json');
const browser = readReport<PlaywrightReport>('playwright.json')?.stats;
const passed = (unit?.numPassedTests ?? 0) + (browser?.expected ?? 0);
const counted = (unit?.numFailedTests ?? 0) + (browser?.unexpected ?? 0) + (browser?.flaky ?? 0);
const complete = unit !== undefined && browser !== undefined && passed > 0;
// A test file that does not load and a runner that crashes have no failed test to show: they count as one.
const failed = failures.length > 0 || !complete ? Math.max(counted, 1) : counted;
if (failed > 0) process.exitCode = 1;
console.log(`\n${passed} passed, ${failed} failed`);

function readReport<Report>(name: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Report;
  } catch {
    console.error(`There is no report ${name}: the runner did not come to its end.`);
    return undefined;
  }
}
