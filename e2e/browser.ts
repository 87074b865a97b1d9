import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const cache = path.join(import.meta.dirname, '..', 'node_modules', '.cache');
/** In a lockfile of its own, so that who only runs the service does not download a browser. */
const browserPackage = path.join(import.meta.dirname, 'node_modules', '@sparticuz', 'chromium');

/**
 * The Chromium that comes from npm, with the libraries and fonts it needs on a bare machine.
 * Unpacked once per version, beside the other dependencies: the package itself would use the system's temporary folder and take
 * whatever an interrupted run left there for whole.
 */
export async function prepareBrowser(): Promise<{
  executablePath: string;
  args: string[];
  env: Record<string, string>;
}> {
  if (!existsSync(browserPackage))
    throw new Error('The browser of the tests is not installed: npm run browser:install');
  const { version } = JSON.parse(readFileSync(path.join(browserPackage, 'package.json'), 'utf8')) as {
    version: string;
  };
  const home = path.join(cache, `chromium-${version}`);
  if (!existsSync(home)) await unpack(home);
  return {
    executablePath: path.join(home, 'chromium'),
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
    ],
    env: {
      HOME: home,
      LD_LIBRARY_PATH: path.join(home, 'al2023', 'lib'),
      FONTCONFIG_PATH: path.join(home, 'fonts'),
    },
  };
}

async function unpack(home: string): Promise<void> {
  const { default: chromium, inflate } = await import('@sparticuz/chromium');
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(path.join(cache, 'unpacking-'));
  const temporary = process.env['TMPDIR'];
  process.env['TMPDIR'] = staging;
  try {
    await chromium.executablePath();
    await inflate(path.join(browserPackage, 'bin', 'al2023.tar.br'));
  } finally {
    if (temporary === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = temporary;
  }
  await writeFile(path.join(staging, 'fonts', 'fonts.conf'), fontConfiguration(home));
  try {
    await rename(staging, home);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another process may have been faster; what it unpacked is the same.
    if (!existsSync(home)) throw error;
  }
}

/** The package's own configuration looks for fonts under /tmp; without any font Chromium crashes at the first text field. */
const fontConfiguration = (home: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <cachedir>${path.join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`;
