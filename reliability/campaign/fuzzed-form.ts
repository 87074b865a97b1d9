import { flipped, type Material } from './fuzz-material.ts';
import { hostileStrings, type Resolve, type Schema, validValue } from './schema-values.ts';

type Part = { head: string; body: Buffer };
type Form = { type: string; body: Buffer };

/** A multipart form with a file, and fields that fit their schemas. */
export function validForm(schema: Schema, resolve: Resolve, { campaign, known, files }: Material): Form {
  const boundary = `boundary-${campaign.integer(1e9)}`;
  return write(boundary, [
    ...fieldsOf(schema, resolve, { campaign, known }),
    filePart('a.png', campaign.pick([files.photo, files.video])),
  ]);
}

function fieldsOf(schema: Schema, resolve: Resolve, { campaign, known }: Pick<Material, 'campaign' | 'known'>): Part[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== 'file' && campaign.chance(0.3))
    .map(([name, part]) => field(name, String(validValue(part, resolve, known, campaign))));
}

/** A form that is wrong in one way or another. */
export function hostileForm(schema: Schema, resolve: Resolve, material: Material): Form {
  const { campaign, files } = material;
  const { pick, integer } = campaign;
  const boundary = `boundary-${integer(1e9)}`;
  const text = pick(hostileStrings).toWellFormed();
  const fields = fieldsOf(schema, resolve, material);
  const file = filePart('a.png', files.photo);
  const good = write(boundary, [...fields, file]);
  const names = Object.keys(schema.properties ?? {}).filter((name) => name !== 'file');
  return pick<() => Form>([
    () => write(boundary, fields),
    () => write(boundary, []),
    () => write(boundary, [file, file]),
    () => write(boundary, [filePart('a.png', Buffer.alloc(0))]),
    () => write(boundary, [filePart('a.png', Buffer.from(text))]),
    () => write(boundary, [filePart('a.png', Buffer.alloc(2 ** 20 + 1))]),
    () => write(boundary, [filePart('a.png', flipped(files.photo, campaign))]),
    () => write(boundary, [filePart('a.mp4', files.video.subarray(0, integer(files.video.length)))]),
    () => write(boundary, [filePart(text.replaceAll(/["\r\n]/g, ''), files.photo)]),
    () => write(boundary, [filePart('../../../../tmp/escaped', files.photo)]),
    () => write(boundary, [{ ...file, head: "Content-Disposition: form-data; name=file; filename*=UTF-8''%E0%A4%A" }]),
    () => write(boundary, [{ ...file, head: 'Content-Disposition: form-data; name="file"' }]),
    () =>
      write(boundary, [
        { ...file, head: `Content-Disposition: form-data; name="file"; filename="${'x'.repeat(20_000)}"` },
      ]),
    () => write(boundary, [{ ...file, head: '' }]),
    () => write(boundary, [{ ...file, head: `${file.head}\r\nContent-Transfer-Encoding: base64` }]),
    () => write(boundary, [field(names.length > 0 ? pick(names) : 'a', text), file]),
    () => write(boundary, [file, field(names.length > 0 ? pick(names) : 'a', text)]),
    () =>
      write(boundary, [field(pick(['__proto__', 'constructor', 'toString', '', 'file', 'x'.repeat(2000)]), 'a'), file]),
    () => write(boundary, [...Array.from({ length: 30 }, (_, i) => field(`f${i}`, 'a')), file]),
    () => write(boundary, [field(names[0] ?? 'a', 'x'.repeat(5000)), file]),
    () => ({ ...good, body: good.body.subarray(0, integer(good.body.length)) }),
    () => ({ ...good, body: flipped(good.body, campaign) }),
    () => ({ ...good, type: 'multipart/form-data; boundary=other' }),
    () => ({ ...good, type: 'multipart/form-data' }),
    () => ({ ...good, body: Buffer.concat([Buffer.from('preamble\r\n'), good.body, Buffer.from('epilogue')]) }),
    () => write('x'.repeat(200), [file]),
  ])();
}

const field = (name: string, value: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  body: Buffer.from(value),
});

const filePart = (filename: string, body: Buffer): Part => ({
  head: `Content-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/octet-stream`,
  body,
});

function write(boundary: string, parts: Part[]): Form {
  const written = parts.flatMap(({ head, body }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    body,
    Buffer.from('\r\n'),
  ]);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
