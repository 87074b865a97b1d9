import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { parseSettings } from './settings.ts';
import { renderTemplate } from './testing/render-chart.ts';

const folder = path.join(import.meta.dirname, '..', 'deploy', 'helm');

type Values = {
  host: string;
  image: { tag: string };
  secrets: { environment: string; key: string };
  ingress: { tlsSecret: string };
};

type Container = {
  env: { name: string; value: string }[];
  envFrom: { secretRef: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
  resources: { limits: object };
} & Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', { httpGet: { path: string; port: string } }>;

type Manifest = {
  kind: string;
  metadata: { name: string };
  spec: {
    selector: { matchLabels: object };
    template: {
      metadata: { labels: object };
      spec: { containers: [Container]; volumes: { name: string; secret?: { secretName: string } }[] };
    };
  };
};

const read = (name: string) => readFile(path.join(folder, name), 'utf8');

async function renderChart(): Promise<{ values: Values; manifests: Manifest[] }> {
  const values = parse(await read('values.yaml')) as Values;
  const manifests: Manifest[] = [];
  for (const name of ['processes', 'entrance']) {
    const text = renderTemplate(await read(`templates/${name}.yaml`), { Values: values, Release: { Name: 'ms' } });
    for (const document of parseAllDocuments(text)) {
      expect(document.errors).toEqual([]);
      const manifest = document.toJS() as Manifest | null;
      if (manifest) manifests.push(manifest);
    }
  }
  return { values, manifests };
}

test('the chart makes what it should, of this version', async () => {
  const { values, manifests } = await renderChart();
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Deployment ms-api',
    'PodDisruptionBudget ms-api',
    'Deployment ms-worker',
    'PodDisruptionBudget ms-worker',
    'Service ms',
    'Ingress ms',
  ]);
  const chart = parse(await read('Chart.yaml')) as { appVersion: string };
  expect([chart.appVersion, values.image.tag]).toEqual([packageJson.version, packageJson.version]);
});

test('its processes have right settings, secrets and probes, and only what selects them finds them', async () => {
  const { values, manifests } = await renderChart();
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  for (const [i, { spec }] of deployments.entries()) {
    const { containers, volumes } = spec.template.spec;
    const [container] = containers;
    const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    const secret = { DATABASE_URL: 'postgres://a:b@c/d', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const settings = parseSettings({ ...environment, ...secret });
    expect([settings.role, settings.storage?.bucket]).toEqual([i === 0 ? 'api' : 'worker', 'media-search']);
    expect(container.envFrom).toEqual([{ secretRef: { name: values.secrets.environment } }]);
    expect(container.ports).toEqual([{ name: 'http', containerPort: 8080 }]);
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz', '/readyz']);
    expect(container.resources.limits).toHaveProperty('memory');
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
    expect(volumes.flatMap((volume) => volume.secret?.secretName ?? [])).toEqual(i === 0 ? [values.secrets.key] : []);
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    const other = deployments[1 - i]?.spec.template.metadata.labels;
    expect(other).not.toMatchObject(spec.selector.matchLabels);
    expect(manifests[2 * i + 1]?.spec.selector).toEqual(spec.selector);
  }
  const [service, ingress] = manifests.slice(-2) as unknown as [
    { spec: { selector: object } },
    { spec: { tls: unknown[]; rules: { host: string }[] } },
  ];
  expect(deployments[0]?.spec.template.metadata.labels).toMatchObject(service.spec.selector);
  expect(deployments[1]?.spec.template.metadata.labels).not.toMatchObject(service.spec.selector);
  expect(ingress.spec.tls).toEqual([{ hosts: [values.host], secretName: values.ingress.tlsSecret }]);
  expect(ingress.spec.rules.map(({ host }) => host)).toEqual([values.host]);
});

test('what the renderer does not know is an error', () => {
  for (const [template, message] of [
    ['{{ .Values.absent }}', 'names no value'],
    ['{{ include "a" . }}', 'not understood'],
    ['{{ if eq .a .b }}', 'end is missing'],
    ['{{ end }}', 'without a beginning'],
  ] as const)
    expect(() => renderTemplate(template, { Values: {} })).toThrow(message);
});
