import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { makeVideo } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../../server/testing/running-service.ts';

test('frames that are too large for one answer are made narrower, and the answer says so', async () => {
  await using library = await startTestService();
  const { client, folder } = library;
  const requestInit = { headers: { Authorization: `Bearer ${library.key}` } };
  const agent = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${library.url}/mcp`), { requestInit }));
  // Noise is what JPEG makes least small.
  const noise = () => [0, 0, 0].map(() => Math.floor(256 * Math.random())) as [number, number, number];
  const options = { scenes: [{ paint: noise, seconds: 1 }], width: 1280, height: 1280, fps: 2 };
  await makeVideo(`${folder}/noise.mp4`, options);
  const id = (await client.upload(`${folder}/noise.mp4`)).data.id;
  await client.waitUntilIndexed(id);
  const whole = await fetch(`${library.url}/api/v1/media/${id}/frame?at=0.2&width=1280`, requestInit);
  expect((await whole.arrayBuffer()).byteLength).toBeGreaterThan(450_000);
  const answer = await agent.callTool({
    name: 'show_moment',
    arguments: { media_id: id, start: 0, end: 1, frames: 2, width: 1280 },
  });
  expect(JSON.stringify(answer).length).toBeLessThan(2 ** 20);
  const images = answer.content.filter((block) => block.type === 'image');
  expect(images).toHaveLength(2);
  const { width } = await sharp(Buffer.from(images[0]?.data ?? '', 'base64')).metadata();
  expect(answer.content[0]).toMatchObject({
    text: expect.stringContaining(`Frames are ${width} pixels wide`) as string,
  });
  expect(width).toBeLessThan(1280);
  await agent.close();
});
