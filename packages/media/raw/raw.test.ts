import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { decodeImage } from '../decode-image.ts';
import { detectMediaType } from '../detect-media-type.ts';
import { readImageTags } from '../read-image-tags.ts';
import { makeRaw, type RawForm } from '../testing/make-raw.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

/** Left half red, right half blue. */
async function drawHalves(width: number, height: number, orientation?: number): Promise<Buffer> {
  const half = { width: width / 2, height, channels: 3, background: '#2014c8' } as const;
  const right = await sharp({ create: half }).png().toBuffer();
  const image = sharp({ create: { ...half, width, background: '#c81414' } })
    .composite([{ input: right, left: width / 2, top: 0 }])
    .jpeg({ quality: 95 });
  return (orientation === undefined ? image : image.withMetadata({ orientation })).toBuffer();
}

const small = await drawHalves(40, 20);
const preview = await drawHalves(240, 120);

const forms: [RawForm, mimeType: string, camera: string][] = [
  ['cr2', 'image/x-canon-cr2', 'Canon EOS 5D'],
  ['cr3', 'image/x-canon-cr3', 'Canon EOS R5'],
  ['nef', 'image/x-nikon-nef', 'NIKON D850'],
  ['arw', 'image/x-sony-arw', 'SONY ILCE-7M4'],
  ['dng', 'image/x-adobe-dng', 'Apple iPhone 15 Pro'],
  ['orf', 'image/x-olympus-orf', 'OLYMPUS CORPORATION E-M1'],
  ['rw2', 'image/x-panasonic-rw2', 'Panasonic DC-GH6'],
];

describe.each(forms)('%s', (form, mimeType, camera) => {
  test('is told by its content, shows its largest picture upright, and says when, where and with what', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('photo.jpg');
    await writeFile(file, makeRaw(form, preview, small, 6));
    expect(await detectMediaType(file)).toEqual({ type: 'image', mimeType });
    // Turned clockwise: what was left is above.
    const { width, height, channels, data, full } = await decodeImage(file, mimeType);
    expect([width, height, full]).toEqual([120, 240, { width: 120, height: 240 }]);
    const at = (y: number) => Array.from(data.subarray(channels * (y * width + 60), channels * (y * width + 60) + 3));
    expect(at(40)[0]).toBeGreaterThan(180);
    expect(at(200)[2]).toBeGreaterThan(180);
    const { recording, details } = await readImageTags(file, mimeType);
    expect(recording).toMatchObject({ takenAt: '2026-07-14T19:12:08.000Z', takenZone: '+02:00', camera });
    expect(recording.latitude).toBeCloseTo(53.5458, 3);
    expect(recording.longitude).toBeCloseTo(9.9694, 3);
    expect(details.image).toMatchObject({ format: form.toUpperCase(), lens: 'Test Lens 50mm' });
    expect(details.image?.bit_depth).toBeUndefined();
  });

  test('cut off anywhere, or with any of its bytes wrong, ends with a picture or a sentence', async () => {
    await using folder = await temporaryFolder();
    const whole = makeRaw(form, preview, small, 1);
    const damaged = [
      ...Array.from({ length: 12 }, (_, i) => whole.subarray(0, Math.floor((whole.length * (i + 1)) / 13))),
      ...Array.from({ length: 60 }, (_, i) => {
        const copy = Buffer.from(whole);
        // Among the first bytes stand the directories.
        for (let k = 0; k < 4; k++) copy[(37 * i + 101 * k) % Math.min(700, whole.length)] = 255;
        return copy;
      }),
    ];
    for (const [i, bytes] of damaged.entries()) {
      const file = folder.file(`${i}`);
      await writeFile(file, bytes);
      const ended = await decodeImage(file, mimeType).then(
        () => 'shown',
        (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
      );
      expect(['shown', 'UnreadableMediaError']).toContain(ended);
      if (ended === 'shown') await readImageTags(file, mimeType);
    }
  });
});

test('a RAF shows the picture in it, which says itself how it is turned', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('photo');
  await writeFile(file, makeRaw('raf', await drawHalves(240, 120, 8), small));
  expect(await detectMediaType(file)).toEqual({ type: 'image', mimeType: 'image/x-fujifilm-raf' });
  expect(await decodeImage(file, 'image/x-fujifilm-raf')).toMatchObject({ width: 120, height: 240 });
  expect((await readImageTags(file, 'image/x-fujifilm-raf')).details.image).toMatchObject({ format: 'RAF' });
});

test('one without a picture says so', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('photo');
  await writeFile(file, makeRaw('arw', Buffer.from('no picture'), Buffer.from('none')));
  await expect(decodeImage(file, 'image/x-sony-arw')).rejects.toThrow(/ARW photograph holds no picture/);
});

/** A TIFF whose directories go in circles, and count as many entries as there can be. */
function drawCircle(entries: number): Buffer {
  const file = Buffer.alloc(16 + 12 * entries + 4);
  file.write('II*\0\u0008\0\0\0', 'latin1');
  file.writeUInt16LE(entries, 8);
  for (let i = 0; i < entries; i++) {
    const at = 10 + 12 * i;
    file.writeUInt16LE(i === 0 ? 0x14a : 0x106, at);
    file.writeUInt16LE(4, at + 2);
    file.writeUInt32LE(0xff_ff_ff_ff, at + 4);
    file.writeUInt32LE(8, at + 8);
  }
  file.writeUInt32LE(8, 10 + 12 * entries);
  return file;
}

test.each([1, 500, 60_000])(
  'a TIFF of %d entries that leads back to itself is read once, and is none',
  async (count) => {
    await using folder = await temporaryFolder();
    const file = folder.file('circle');
    await writeFile(file, drawCircle(count));
    const began = performance.now();
    expect((await detectMediaType(file))?.mimeType ?? 'image/tiff').toBe('image/tiff');
    expect(performance.now() - began).toBeLessThan(1000);
  },
);
