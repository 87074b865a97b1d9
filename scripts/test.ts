import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findTestDatabase } from './test-database.ts';

/**
 * Runs all tests on the dashboard as it is built: those of Vitest and, beside them, those in the browser, whose output follows in one
 * piece. Names those that failed or were skipped, and closes with one count of both. Exits non-zero when a test failed, or a runner did, or none ran.
 */

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    /** The error of a file that does not load; else empty. */
    message: string;
    assertionResults: {
      status: string;
      fullName: string;
      meta: { skipped?: string; flaky?: true };
      failureMessages: string[];
    }[];
  }[];
};
type PlaywrightSuite = {
  specs: {
    file: string;
    title: string;
    tests: {
      projectName: string;
      status: string;
      annotations: { type: string; description?: string }[];
      results: { error?: { message?: string } }[];
    }[];
  }[];
  suites?: PlaywrightSuite[];
};
type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: PlaywrightSuite[];
};

const folder = 'test-results';
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);

using database = await findTestDatabase();
if (database.url !== undefined) process.env['TEST_DATABASE_URL'] = database.url;

const browserLog = path.join(folder, 'playwright.log');
const succeeded = await Promise.all([runTests('vitest', ['run']), runTests('playwright', ['test'], browserLog)]);
console.log(`\n> playwright test\n\n${readFileSync(browserLog, 'utf8')}`);

const unit = readReport<VitestReport>('vitest.json');
const browser = readReport<PlaywrightReport>('playwright.json');
const passed = (unit?.numPassedTests ?? 0) + (browser ? browser.stats.expected + browser.stats.flaky : 0);
const counted = (unit?.numFailedTests ?? 0) + (browser?.stats.unexpected ?? 0);
const complete = unit !== undefined && browser !== undefined && passed > 0;
// A test file that does not load and a runner that crashes have no failed test to show: they count as one.
const failed = succeeded.includes(false) || !complete ? Math.max(counted, 1) : counted;
const skipped = [...(unit ? skippedByVitest(unit) : []), ...(browser?.suites.flatMap(skippedByPlaywright) ?? [])];
if (failed > 0) process.exitCode = 1;
if (skipped.length > 0) console.log(`\nSkipped:\n${skipped.map((test) => `  ${test}`).join('\n')}`);
console.log(`\nPostgreSQL was ${database.description}.`);
const hasBucket = Boolean(process.env['TEST_STORAGE_URL']);
console.log(`S3 was a server of the tests${hasBucket ? ', and the bucket of TEST_STORAGE_URL' : ''}.`);
// Behind those that were skipped: of a log that is cut, the end is what people have.
const inBrowser = (status: 'unexpected' | 'flaky') =>
  browser?.suites.flatMap((suite) => listBrowserTests(status, suite)) ?? [];
const flaky = [...(unit ? flakyByVitest(unit) : []), ...inBrowser('flaky')];
if (flaky.length > 0)
  console.log(`\nPassed at the second attempt only:\n${flaky.map((test) => `  ${test}`).join('\n')}`);
const failures = [...(unit ? failedByVitest(unit) : []), ...inBrowser('unexpected')];
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((test) => `  ${test}`).join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);

/** Runs a program of tests, its output in a file where one is named. Returns whether all passed. */
async function runTests(program: string, options: string[], log?: string): Promise<boolean> {
  const output = log === undefined ? 'inherit' : openSync(log, 'w');
  const child = spawn(program, options, { stdio: ['ignore', output, output] });
  const [status] = (await once(child, 'exit')) as [number | null];
  if (typeof output === 'number') closeSync(output);
  return status === 0;
}

/** Each failed test by file and name, with the first lines of its last error, and each file that did not load. */
function failedByVitest({ testResults }: VitestReport): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = path.relative('.', name);
    const tests = assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => describe(file, fullName, firstLines(failureMessages.at(-1))));
    return tests.length === 0 && message ? [describe(file, 'the file itself', firstLines(message))] : tests;
  });
}

/** Each test of a suite in the browser that ended so, with the first lines of its last error. */
function listBrowserTests(wanted: 'unexpected' | 'flaky', { specs, suites = [] }: PlaywrightSuite): string[] {
  const own = specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === wanted)
      .map(({ projectName, results }) => {
        const message = results.findLast(({ error }) => error)?.error?.message ?? '';
        return describe(`e2e/${file} (${projectName})`, title, firstLines(stripVTControlCharacters(message)));
      }),
  );
  return [...own, ...suites.flatMap((suite) => listBrowserTests(wanted, suite))];
}

function firstLines(message = ''): string {
  return message.split('\n').slice(0, 6).join('\n    ');
}

/** Each test that failed once and then passed, by file and name. */
function flakyByVitest({ testResults }: VitestReport): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ meta }) => meta.flaky)
      .map(({ fullName }) => `${path.relative('.', name)} › ${fullName}`),
  );
}

/** Each skipped test by file, name and reason. */
function skippedByVitest({ testResults }: VitestReport): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'skipped' || status === 'todo')
      .map(({ fullName, meta }) => describe(path.relative('.', name), fullName, meta.skipped)),
  );
}

/** The same of a suite in the browser, with the suites inside it. */
function skippedByPlaywright({ specs, suites = [] }: PlaywrightSuite): string[] {
  const own = specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === 'skipped')
      .map(({ projectName, annotations }) => {
        const reason = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description;
        return describe(`e2e/${file} (${projectName})`, title, reason);
      }),
  );
  return [...own, ...suites.flatMap(skippedByPlaywright)];
}

function describe(file: string, name: string, reason = 'no reason given'): string {
  return `${file} › ${name}: ${reason}`;
}

function readReport<Report>(name: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Report;
  } catch {
    console.error(`There is no report ${name}: the runner did not come to its end.`);
    return undefined;
  }
}
