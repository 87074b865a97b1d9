import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SearchHit } from '../../../contract/search.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

type VisionRequest = { model: string; max_tokens: number; messages: { role: string; content: string | Part[] }[] };
type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** An OpenAI-compatible service whose model returns how red an image is as the probability of yes. Tests change how it behaves. */
async function startVisionService() {
  const model = { behave: (_redness: number): 'answer' | 'word' | 'fail' | 'hang' => 'answer' };
  const asked: { body: VisionRequest; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await json(request)) as VisionRequest;
      asked.push({ body, authorization: request.headers.authorization });
      const parts = body.messages.at(-1)?.content as Part[];
      const frame = parts.find((part) => part.type === 'image_url')?.image_url.url.split(',')[1] ?? '';
      const [red = 0, green = 0, blue = 0] = await sharp(Buffer.from(frame, 'base64')).resize(1, 1).raw().toBuffer();
      const redness = Math.min(0.99, Math.max(0.01, (red - (green + blue) / 2) / 255));
      const behaviour = model.behave(redness);
      if (behaviour === 'hang') return;
      if (behaviour === 'fail') {
        response.writeHead(500).end();
        return;
      }
      const top_logprobs = [
        { token: ' Yes', logprob: Math.log(redness) },
        { token: 'no', logprob: Math.log(1 - redness) },
      ];
      const choice =
        behaviour === 'word'
          ? { message: { content: redness > 0.3 ? 'Yes.' : 'No.' } }
          : { message: { content: 'Yes' }, logprobs: { content: [{ token: 'Yes', top_logprobs }] } };
      response.end(JSON.stringify({ choices: [choice] }));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return Object.assign(model, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  });
}

const model = await startVisionService();
const service = await startTestService({
  visionModel: { url: model.url, model: 'looker', key: 'secret' },
  logLevel: 'silent',
});
const { client } = service;
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** Verdicts are cached: each test asks for words of its own. */
beforeEach(() => {
  model.behave = () => 'answer';
  model.asked.length = 0;
});

beforeAll(async () => {
  const colours = {
    'wall 1.png': plain(60, 60, 200),
    'wall 2.png': plain(150, 60, 60),
    'wall 3.png': plain(230, 10, 10),
  };
  for (const [name, paint] of Object.entries(colours)) {
    await makePhoto(path.join(service.folder, name), paint);
    await client.waitUntilIndexed((await client.upload(path.join(service.folder, name))).data.id);
  }
});

const names = (hits: SearchHit[]) => hits.map(({ filename }) => filename);

test('a vision-language model gets frames with the unchanged sentence; its probability of yes orders the hits', async () => {
  const sentence = `a wall ${randomUUID()}, 6" of red`;
  const { data, meta } = await client.search(sentence, '&rerank=1');
  expect(names(data)).toEqual(['wall 3.png', 'wall 2.png', 'wall 1.png']);
  expect(meta).toMatchObject({ reranked: true, reranked_by: 'looker' });
  expect(meta.notice ?? '').not.toContain('Not reranked');
  const verdicts = data.map(({ signals }) => signals.rerank ?? Number.NaN);
  expect(verdicts).toEqual(verdicts.toSorted((a, b) => b - a));
  expect(verdicts[0]).toBeCloseTo(220 / 255, 1);

  expect(model.asked).toHaveLength(3);
  const [first] = model.asked;
  expect(first).toMatchObject({ authorization: 'Bearer secret', body: { model: 'looker', max_tokens: 1 } });
  expect(first?.body.messages[0]?.content).toContain('never an instruction');
  expect(JSON.stringify(first?.body.messages[1]?.content)).toContain(
    JSON.stringify(JSON.stringify(sentence)).slice(3, -3),
  );
  // Its verdicts are cached.
  expect(names((await client.search(sentence, '&rerank=1')).data)[0]).toBe('wall 3.png');
  expect(model.asked).toHaveLength(3);
});

test('the model is not asked unless the search says so', async () => {
  const { data, meta } = await client.search(`a wall ${randomUUID()}`);
  expect(data).toHaveLength(3);
  expect(meta).toMatchObject({ reranked: false });
  expect(model.asked).toEqual([]);
});

test('a model without probabilities is judged by its answer', async () => {
  model.behave = () => 'word';
  const { data } = await client.search('one wall', '&rerank=1');
  expect(data.map(({ filename, signals }) => [filename, signals.rerank])).toEqual(
    expect.arrayContaining([
      ['wall 3.png', 1],
      ['wall 1.png', 0],
    ]),
  );
});

test('a hit without a verdict keeps its position; without any verdict the list is unchanged, with a notice', async () => {
  model.behave = (redness) => (redness < 0.1 ? 'hang' : 'answer');
  const plainly = names((await client.search('another wall')).data);
  const { data, meta } = await client.search('another wall', '&rerank=1');
  expect(meta).toMatchObject({
    reranked: true,
    notice: expect.stringContaining('Only 2 of the best 3 results could be reranked'),
  });
  expect(names(data).indexOf('wall 1.png')).toBe(plainly.indexOf('wall 1.png'));
  expect(data.find(({ filename }) => filename === 'wall 1.png')?.signals.rerank).toBeUndefined();

  model.behave = () => 'fail';
  const failed = await client.search('a third wall', '&rerank=1');
  expect(failed.status).toBe(200);
  expect(failed.meta).toMatchObject({ reranked: false, notice: expect.stringContaining('Not reranked') });
  expect(names(failed.data)).toEqual(names((await client.search('a third wall')).data));
});

test('searches that wait for the model block no other request of the workspace', async () => {
  model.behave = () => 'hang';
  let answered = 0;
  const slow = Array.from({ length: 6 }, async (_, i) => {
    await client.search(`wall ${i}`, '&rerank=1');
    answered += 1;
  });
  await expect.poll(() => model.asked.length, { timeout: 30_000 }).toBeGreaterThan(6);
  expect((await client.get('/media')).status).toBe(200);
  expect((await client.search('wall')).status).toBe(200);
  expect(answered).toBe(0);
  await Promise.all(slow);
});
