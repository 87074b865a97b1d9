import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { openDemuxer } from './open-demuxer.ts';
import { ProcessorTimeExceededError, withProcessorTimeLimit } from './processor-time-limit.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

/** An element of Matroska: identifier, size in eight bytes, content. */
function element(id: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}

/** A video of one frame, with as many tags. FFmpeg reads them in a time that grows with the cube of their number. */
async function drawTaggedVideo(tags: number): Promise<Buffer> {
  const frame = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#c03020' } })
    .jpeg()
    .toBuffer();
  const tag = (i: number) =>
    element('7373', element('67c8', element('45a3', Buffer.from(`K${i}`)), element('4487', Buffer.from('v'))));
  const size = element('e0', element('b0', Buffer.from([64])), element('ba', Buffer.from([64])));
  const number = Buffer.from([1]);
  const track = element(
    'ae',
    element('d7', number),
    element('83', number),
    element('86', Buffer.from('V_MJPEG')),
    size,
  );
  const block = Buffer.concat([Buffer.from([0x81, 0, 0, 0x80]), frame]);
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('matroska'))),
    element(
      '18538067',
      element('1654ae6b', track),
      element('1254c367', ...Array.from({ length: tags }, (_, i) => tag(i))),
      element('1f43b675', element('e7', Buffer.from([0])), element('a3', block)),
    ),
  ]);
}

test('headers that FFmpeg reads for minutes are given up by the processor time that they take', async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file('few.mkv'), await drawTaggedVideo(20));
  const opened = await withProcessorTimeLimit(openDemuxer(folder.file('few.mkv')), 20);
  expect(opened.demuxer.streams).toHaveLength(1);
  await opened[Symbol.asyncDispose]();
  await writeFile(folder.file('many.mkv'), await drawTaggedVideo(2000));
  await expect(withProcessorTimeLimit(openDemuxer(folder.file('many.mkv')), 1)).rejects.toBeInstanceOf(
    ProcessorTimeExceededError,
  );
});

test('time that passes without computing does not count', async () => {
  const later = new Promise((resolve) => setTimeout(() => resolve('done'), 700));
  expect(await withProcessorTimeLimit(later, 0.6)).toBe('done');
});
