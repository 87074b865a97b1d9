import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { type BundledWork, listFFmpeg, listLibvips, listOthers, termsOf } from './bundled-works.ts';

/** Prints a list of all that is installed as CycloneDX JSON: npm's of the packages in the lockfile, and what their binaries hold. */

type Component = { 'bom-ref': string; name: string; type: string; purl: string; licenses?: object[] };
type Sbom = {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
};

const root = path.join(import.meta.dirname, '..');
const platform = `${process.platform}-${process.arch}`;

const { metadata, components, dependencies, ...sbom } = listLocked();
const inside = [
  { holder: `@seydx/node-av-${platform}`, works: listFFmpeg() },
  { holder: `@img/sharp-libvips-${platform}`, works: listLibvips() },
  { holder: 'media-search', works: listOthers() },
].map(({ holder, works }) => ({ holder, found: works.map((work) => describeWork(holder, work)) }));
const described = {
  ...sbom,
  // npm names the project by its folder.
  metadata: { ...metadata, component: { ...metadata.component, name: 'media-search', type: 'application' } },
  components: [...components.map(describePackage), ...inside.flatMap(({ found }) => found)],
  dependencies: [
    ...dependencies.map(({ ref, dependsOn = [] }) => {
      const holds = inside.filter(({ holder }) => ref.replace(/@[^@]*$/, '') === holder);
      return { ref, dependsOn: [...dependsOn, ...holds.flatMap(({ found }) => found.map((work) => work['bom-ref']))] };
    }),
    ...inside.flatMap(({ found }) => found.map((work) => ({ ref: work['bom-ref'], dependsOn: [] }))),
  ],
};
console.log(JSON.stringify(described, null, 2));

/** What npm writes of the lockfile. The workspaces of this repository are parts of the application: what they depend on, it depends on. */
function listLocked(): Sbom {
  const written = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32',
  });
  const sbom = JSON.parse(written) as Sbom;
  const isOwn = (ref: string) => ref.startsWith('@media-search/');
  const own = sbom.dependencies.filter(({ ref }) => isOwn(ref));
  const application = sbom.metadata.component['bom-ref'];
  return {
    ...sbom,
    components: sbom.components.filter((component) => !isOwn(component['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => !isOwn(ref))
      .map(({ ref, dependsOn = [] }) => {
        const all = ref === application ? [...dependsOn, ...own.flatMap((each) => each.dependsOn ?? [])] : dependsOn;
        return { ref, dependsOn: [...new Set(all.filter((each) => !isOwn(each)))] };
      }),
  };
}

/** Under the name that it has in the registry, which differs where it takes the place of another, and with its terms where npm finds none. */
function describePackage(component: Component): Component {
  const name = decodeURIComponent(component.purl.slice('pkg:npm/'.length).replace(/@[^@]*$/, ''));
  return { ...component, name, licenses: component.licenses ?? [{ license: { id: termsOf(name) } }] };
}

function describeWork(holder: string, { name, version, license, source }: BundledWork): Component {
  const [, plain = name] = /^(.*?)(?: \(.*\)|, with .*)?$/.exec(name) ?? [];
  const isExpression = /^[\w.-]+(?: OR [\w.-]+)*$/.test(license);
  return {
    'bom-ref': `${holder}/${name}`,
    type: 'library',
    name,
    ...(version && { version }),
    purl: `pkg:generic/${encodeURIComponent(plain.toLowerCase())}${version && `@${encodeURIComponent(version)}`}`,
    licenses: [isExpression ? { expression: license } : { license: { name: license } }],
    ...(source && { externalReferences: [{ type: 'vcs', url: source }] }),
  };
}
