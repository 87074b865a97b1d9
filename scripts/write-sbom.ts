import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { listFFmpeg, listLibvips, listOthers } from './bundled-works.ts';

/** Prints a list of all that is installed as CycloneDX JSON: npm's of the packages in the lockfile, and what their binaries hold. */

type Sbom = { components: object[] };

const root = path.join(import.meta.dirname, '..');
const options = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
const written = execFileSync('npm', options, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
  shell: process.platform === 'win32',
});
const sbom = JSON.parse(written) as Sbom;
const works = [...listFFmpeg(), ...listLibvips(), ...listOthers()].map(({ name, version, license, source }) => ({
  type: 'library',
  name,
  ...(version && { version }),
  licenses: [{ license: { name: license } }],
  ...(source && { externalReferences: [{ type: 'vcs', url: source }] }),
}));
console.log(JSON.stringify({ ...sbom, components: [...sbom.components, ...works] }, null, 2));
