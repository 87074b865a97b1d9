import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { listFFmpeg, listPackages } from './bundled-works.ts';

type Component = {
  'bom-ref': string;
  type: string;
  name: string;
  version?: string;
  purl: string;
  licenses: { license?: { id?: string; name?: string }; expression?: string }[];
  hashes?: { alg: string; content: string }[];
};
type Sbom = {
  bomFormat: string;
  specVersion: string;
  serialNumber: string;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

const root = path.join(import.meta.dirname, '..');

test.runIf(process.platform === 'linux')(
  'the SBOM is CycloneDX: each component has an identifier, terms and, of the registry, a hash',
  async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 2 ** 26 });
    const sbom = JSON.parse(stdout) as Sbom;
    const { components, dependencies, metadata } = sbom;
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
    // Not the name of the folder that it lies in.
    expect(metadata.component).toMatchObject({ name: 'media-search', type: 'application' });

    const references = new Set([metadata.component, ...components].map((component) => component['bom-ref']));
    expect(references.size).toBe(components.length + 1);
    const named = dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    expect(named.filter((reference) => !references.has(reference))).toEqual([]);
    const hasTerms = ({ licenses }: Component) =>
      licenses.every(({ license, expression }) => Boolean(license?.id ?? license?.name ?? expression));
    const incomplete = components.filter(
      (component) =>
        !/^pkg:(?:npm|generic)\/.+/.test(component.purl) || component.licenses.length === 0 || !hasTerms(component),
    );
    expect(incomplete).toEqual([]);

    // Some packages lie inside of another, whose hash holds for them.
    const packages = components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
    const unhashed = packages.filter(({ hashes }) => !/^[0-9a-f]{128}$/.test(hashes?.[0]?.content ?? ''));
    expect(unhashed.map(({ name }) => name).filter((name) => !/^(?:@emnapi|@napi-rs|@tybys|tslib)/.test(name))).toEqual(
      [],
    );
    const listed = new Set(packages.map(({ purl }) => decodeURIComponent(purl)));
    const real = listPackages().filter(({ name }) => !['onnxruntime-web', 'werift'].includes(name));
    const missing = real.filter(({ name, version }) => !listed.has(`pkg:npm/${name}@${version}`));
    expect(missing).toEqual([]);

    const holder = dependencies.find(({ ref }) => ref.startsWith(`@seydx/node-av-linux-${process.arch}@`));
    expect(holder?.dependsOn).toHaveLength(listFFmpeg().length);
    const ffmpeg = components.find(({ name }) => name === 'FFmpeg');
    expect(ffmpeg).toMatchObject({ licenses: [{ expression: 'GPL-3.0-or-later' }] });
    expect(holder?.dependsOn).toContain(ffmpeg?.['bom-ref']);
  },
);
