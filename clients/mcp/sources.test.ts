import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { Source } from '../../contract/sources.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../server/testing/running-service.ts';

test('agents are told of sources with their folders, and find items by both', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService({ workers: 0, sourceRoots: [folder.path] });
  const root = folder.file('nas');
  await mkdir(path.join(root, '2026', 'berlin'), { recursive: true });
  await makePhoto(path.join(root, '2026', 'berlin', 'a.png'), plain(200, 30, 30));
  await makePhoto(path.join(root, 'top.png'), plain(20, 30, 200));
  await makePhoto(folder.file('own.png'), plain(20, 200, 30));
  await service.client.upload(folder.file('own.png'));
  const { id } = (await service.client.post<Source>('/sources', { name: 'My “NAS”', location: root })).data;
  const source = async () => (await service.client.get<Source>(`/sources/${id}`)).data;
  await expect.poll(async () => (await source()).last_scan, { timeout: 30_000 }).not.toBeNull();

  const agent = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { Authorization: `Bearer ${service.key}` } };
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, structuredContent } = await agent.callTool({ name, arguments: args });
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    return { text, fields: structuredContent as Record<string, unknown> };
  };
  try {
    const { text, fields } = await call('usage', {});
    expect(fields['sources']).toEqual([
      { name: 'My “NAS”', state: 'ready', location: root, items: 2, folders: ['2026'] },
    ]);
    expect(text).toContain(`Source “My "NAS"”, ready, 2 items, “${root}”, folders: “2026”.`);
    const all = await call('list_media', { source: 'my “nas”' });
    expect(all.fields).toMatchObject({ total: 2 });
    expect(all.text).toContain(`at “${root}/top.png”`);
    const some = await call('list_media', { folder: '2026' });
    expect(some.fields).toMatchObject({ total: 1, items: [{ location: `${root}/2026/berlin/a.png` }] });
    expect((await call('search_moments', { query: 'red', source: 'Other' })).text).toContain(
      'There is no source named “Other”. There are: “My "NAS"”.',
    );
  } finally {
    await agent.close();
  }
});
