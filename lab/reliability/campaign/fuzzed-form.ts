import { corruptByte, type FuzzContext } from './fuzz-context.ts';
import { hostileStrings, type ResolveReference, type Schema, validValue } from './schema-values.ts';

type Part = { head: string; body: Buffer };
type Form = { type: string; body: Buffer };

/** A multipart form with a file, and fields that fit their schemas. */
export function validForm(schema: Schema, resolve: ResolveReference, { campaign, known, files }: FuzzContext): Form {
  const boundary = `boundary-${campaign.integer(1e9)}`;
  return writeForm(boundary, [
    ...fieldsOf(schema, resolve, { campaign, known }),
    filePart('a.png', campaign.pick([files.photo, files.video])),
  ]);
}

function fieldsOf(
  schema: Schema,
  resolve: ResolveReference,
  { campaign, known }: Pick<FuzzContext, 'campaign' | 'known'>,
): Part[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== 'file' && campaign.chance(0.3))
    .map(([name, part]) => field(name, String(validValue(part, resolve, known, campaign))));
}

/** A form that is wrong in one way or another. */
export function hostileForm(schema: Schema, resolve: ResolveReference, material: FuzzContext): Form {
  const { campaign, files } = material;
  const { pick, integer } = campaign;
  const boundary = `boundary-${integer(1e9)}`;
  const text = pick(hostileStrings).toWellFormed();
  const fields = fieldsOf(schema, resolve, material);
  const file = filePart('a.png', files.photo);
  const good = writeForm(boundary, [...fields, file]);
  const names = Object.keys(schema.properties ?? {}).filter((name) => name !== 'file');
  return pick<() => Form>([
    () => writeForm(boundary, fields),
    () => writeForm(boundary, []),
    () => writeForm(boundary, [file, file]),
    () => writeForm(boundary, [filePart('a.png', Buffer.alloc(0))]),
    () => writeForm(boundary, [filePart('a.png', Buffer.from(text))]),
    () => writeForm(boundary, [filePart('a.png', Buffer.alloc(2 ** 20 + 1))]),
    () => writeForm(boundary, [filePart('a.png', corruptByte(files.photo, campaign))]),
    () => writeForm(boundary, [filePart('a.mp4', files.video.subarray(0, integer(files.video.length)))]),
    () => writeForm(boundary, [filePart(text.replaceAll(/["\r\n]/g, ''), files.photo)]),
    () => writeForm(boundary, [filePart('../../../../tmp/escaped', files.photo)]),
    () =>
      writeForm(boundary, [{ ...file, head: "Content-Disposition: form-data; name=file; filename*=UTF-8''%E0%A4%A" }]),
    () => writeForm(boundary, [{ ...file, head: 'Content-Disposition: form-data; name="file"' }]),
    () =>
      writeForm(boundary, [
        { ...file, head: `Content-Disposition: form-data; name="file"; filename="${'x'.repeat(20_000)}"` },
      ]),
    () => writeForm(boundary, [{ ...file, head: '' }]),
    () => writeForm(boundary, [{ ...file, head: `${file.head}\r\nContent-Transfer-Encoding: base64` }]),
    () => writeForm(boundary, [field(names.length > 0 ? pick(names) : 'a', text), file]),
    () => writeForm(boundary, [file, field(names.length > 0 ? pick(names) : 'a', text)]),
    () =>
      writeForm(boundary, [
        field(pick(['__proto__', 'constructor', 'toString', '', 'file', 'x'.repeat(2000)]), 'a'),
        file,
      ]),
    () => writeForm(boundary, [...Array.from({ length: 30 }, (_, i) => field(`f${i}`, 'a')), file]),
    () => writeForm(boundary, [field(names[0] ?? 'a', 'x'.repeat(5000)), file]),
    () => ({ ...good, body: good.body.subarray(0, integer(good.body.length)) }),
    () => ({ ...good, body: corruptByte(good.body, campaign) }),
    () => ({ ...good, type: 'multipart/form-data; boundary=other' }),
    () => ({ ...good, type: 'multipart/form-data' }),
    () => ({ ...good, body: Buffer.concat([Buffer.from('preamble\r\n'), good.body, Buffer.from('epilogue')]) }),
    () => writeForm('x'.repeat(200), [file]),
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

function writeForm(boundary: string, parts: Part[]): Form {
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
