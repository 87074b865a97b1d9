import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openEmptyDatabase } from './testing/fresh-catalog.ts';
import { startTestService } from './testing/running-service.ts';
import { testDatabaseUrl } from './testing/temporary-database.ts';

const folder = path.join(import.meta.dirname, '..', 'deploy');

const dashboard = JSON.parse(readFileSync(path.join(folder, 'grafana', 'media-search.json'), 'utf8')) as {
  panels: { id: number; title: string; targets?: { expr: string }[] }[];
};
const alerts = parse(readFileSync(path.join(folder, 'prometheus', 'alerts.yml'), 'utf8')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};

/** The names of metrics in an expression of PromQL: words that have an underscore and stand in no braces, brackets or quotes; and `up`. */
const metricsIn = (expression: string): string[] =>
  expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)|"[^"]*"/g, ' ')
    .match(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g)
    ?.filter((name) => !['histogram_quantile', 'min_over_time', 'max_over_time', 'label_values'].includes(name)) ?? [];

const expressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
];

test('every metric that the dashboard and the alerts name is one of the service, with these labels', async () => {
  await using database = testDatabaseUrl === undefined ? null : await openEmptyDatabase();
  await using service = await startTestService(database ? { databaseUrl: database.url } : {});
  const text = await (await fetch(`${service.url}/metrics`)).text();
  // Of PostgreSQL alone.
  const names = new Set<string>(database ? [] : ['media_search_vector_indexes']);
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    names.add(name);
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`);
  }
  expect(names.size).toBeGreaterThan(40);
  expect(expressions.length).toBeGreaterThan(30);
  for (const expression of expressions) {
    const named = metricsIn(expression);
    if (!/\bup\{/.test(expression)) expect(named, expression).not.toEqual([]);
    expect(
      named.filter((name) => !names.has(name)),
      expression,
    ).toEqual([]);
  }
  expect(metricsIn('rate(media_search_absent_total{a="b_c"}[5m])')).toEqual(['media_search_absent_total']);
});

test('panels have numbers of their own, and the documents name each metric of ours', async () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const document = await readFile(path.join(folder, '..', 'docs', 'operations.md'), 'utf8');
  for (const name of expressions.flatMap(metricsIn)) {
    if (name.startsWith('media_search_')) expect(document).toContain(name.replace(/_(?:bucket|sum|count)$/, ''));
  }
});

test('Prometheus understands its configuration and the alerts, which fire when they should', (context) => {
  const cwd = path.join(folder, 'prometheus');
  context.skip(spawnSync('promtool', ['--version']).error !== undefined, 'promtool is not installed.');
  execFileSync('promtool', ['check', 'config', 'prometheus.yml'], { cwd });
  execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd });
  const tried = readFileSync(path.join(cwd, 'alerts.test.yml'), 'utf8');
  for (const { alert } of alerts.groups.flatMap(({ rules }) => rules)) expect(tried).toContain(`alertname: ${alert}\n`);
});
