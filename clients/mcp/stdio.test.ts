import { execFile } from 'node:child_process';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksIn } from '../../scripts/document-blocks.ts';
import { compileCache } from '../../server/testing/programs.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { createClient } from '../typescript/index.ts';
import { runStdio } from './stdio.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
});
afterAll(() => service[Symbol.asyncDispose]());

const run = promisify(execFile);

const program = path.join(import.meta.dirname, 'testing', 'stdio-program.ts');

/** Starts the program as an agent does. */
async function start(key: string, mode: 'legacy' | 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const env = { ...getDefaultEnvironment(), ...compileCache };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, service.url, key], env }));
  return client;
}

test('an agent that starts the program has the tools', async () => {
  const client = await start(service.key, 'auto');
  expect((await client.listTools()).tools).toHaveLength(9);
  const answer = await client.callTool({ name: 'usage', arguments: {} });
  expect(answer.structuredContent).toMatchObject({ workspace: 'My workspace', amounts: { media_items: { used: 0 } } });
  await client.close();
});

test('an agent of an earlier revision is told what is wrong with its key', async () => {
  const client = await start('service_wrong', 'legacy');
  const { isError, content } = await client.callTool({ name: 'list_media', arguments: {} });
  const text = expect.stringContaining('The service does not accept the API key') as string;
  expect([isError, content]).toEqual([true, [{ type: 'text', text }]]);
  await client.close();
});

/** Gives the program its whole input at once, and reads what it writes until it ends. */
async function pipe(...lines: string[]) {
  const env = { ...getDefaultEnvironment(), ...compileCache };
  const running = run(process.execPath, [program, service.url, service.key], { env, timeout: 20_000 });
  running.child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  const { stdout, stderr } = await running;
  return {
    answers: stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { id: number }),
    stderr,
  };
}

const request = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

test('calls that came before the end of the input are answered; a line that is no message costs a sentence', async () => {
  const clientInfo = { name: 'test', version: '1' };
  const { answers, stderr } = await pipe(
    request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
    '{"garbage":true}',
    'garbage',
    request(2, 'tools/list'),
    request(3, 'tools/call', { name: 'usage', arguments: {} }),
  );
  expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(answers[2]).toMatchObject({ result: { structuredContent: { workspace: 'My workspace' } } });
  expect(stderr).toContain('A line of the input is no message of the Model Context Protocol. It was skipped.');
  expect(stderr).not.toContain('invalid_');
});

test('a signal ends it at once, although its input is open', async () => {
  const controller = new AbortController();
  const { stdin } = process;
  const input = new PassThrough();
  Object.defineProperty(process, 'stdin', { value: input, configurable: true });
  try {
    const client = createClient({ url: service.url, key: service.key });
    const running = runStdio({ client, version: '0', onError: console.error }, controller.signal);
    controller.abort();
    await running;
    expect(input.destroyed).toBe(true);
  } finally {
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  }
});

type Entry = { url?: string; httpUrl?: string; headers?: Record<string, string>; command?: string; args?: string[] };

test('each configuration of docs/mcp.md is JSON, and reaches the service with its key', async () => {
  const blocks = blocksIn('docs/mcp.md', 'json');
  expect(blocks).toHaveLength(5);
  for (const block of blocks) {
    const { mcpServers, servers } = JSON.parse(block) as Record<string, Record<string, Entry>>;
    const { url, httpUrl, headers, command, args } = (mcpServers ?? servers)?.['media-search'] ?? {};
    if (command !== undefined) {
      expect([command, args]).toEqual(['media-search', ['mcp']]);
      continue;
    }
    const client = new Client({ name: 'test', version: '1' });
    const address = (url ?? httpUrl ?? '').replace('http://127.0.0.1:8080', service.url);
    const Authorization = (headers?.['Authorization'] ?? '').replace(/\$(?:\{[\w:-]+\}|\w+)/, service.key);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers: { Authorization } } }),
    );
    expect((await client.listTools()).tools).toHaveLength(9);
    await client.close();
  }
  const [toml = ''] = blocksIn('docs/mcp.md', 'toml');
  expect(toml).toMatch(/^\[mcp_servers\.media-search\]\nurl = "http:\/\/127\.0\.0\.1:8080\/mcp"\n/);
});

type Schema = { [keyword: string]: unknown };

/** Keywords that say nothing about a value by themselves. */
const annotations = new Set(['title', 'description', 'default', 'examples']);

/**
 * What the inspector of the protocol reports of a schema (its rules of version 2.12): what not every provider of models takes.
 * @param path where the schema is
 */
function findUnportable(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [`${path}: ${String(schema)} in place of a schema`];
  const { type, $ref, properties = {}, items, anyOf = [], additionalProperties } = schema as Schema;
  const children: [string, unknown][] = [
    ...Object.entries(properties as Schema).map(([name, value]): [string, unknown] => [`${path}.${name}`, value]),
    ...(anyOf as unknown[]).map((value, i): [string, unknown] => [`${path}|${i}`, value]),
    ...(items === undefined ? [] : [[`${path}[]`, items] as [string, unknown]]),
    ...(typeof additionalProperties === 'object' ? [[`${path}{}`, additionalProperties] as [string, unknown]] : []),
  ];
  return [
    ...(Array.isArray(type) ? [`${path}: several types`] : []),
    ...(typeof $ref === 'string' && !$ref.startsWith('#') ? [`${path}: a reference to elsewhere`] : []),
    ...(Object.keys(schema).every((keyword) => annotations.has(keyword)) ? [`${path}: no type`] : []),
    ...children.flatMap(([where, child]) => findUnportable(child, where)),
  ];
}

test('the command of docs/mcp.md for the inspector names address and key; all models can read what the tools take', async () => {
  const command =
    blocksIn('docs/mcp.md', 'sh').find((block) => block.includes('npx @modelcontextprotocol/inspector')) ?? '';
  const [, address = '', name = '', value = ''] =
    /--cli "(.*?)" --header "(.*?): (.*?)" --method tools\/list/.exec(command) ?? [];
  const fill = (text: string) => text.replace('$URL', service.url).replace('$KEY', service.key);
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { [name]: fill(value) } };
  await client.connect(new StreamableHTTPClientTransport(new URL(fill(address)), { requestInit }));
  const { tools } = await client.listTools();
  await client.close();
  expect(tools).toHaveLength(9);
  expect(tools.flatMap((tool) => findUnportable(tool.inputSchema, tool.name))).toEqual([]);
  // A schema that breaks each rule is reported.
  const broken = { type: 'object', properties: { a: true, b: { type: ['string', 'null'] }, c: {}, d: { $ref: 'x' } } };
  expect(findUnportable(broken, 'broken')).toHaveLength(4);
});
