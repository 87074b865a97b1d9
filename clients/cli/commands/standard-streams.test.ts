import { readdir, readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { startLibrary } from '../testing/library.ts';

test('- is standard input and output', async () => {
  await using library = await startLibrary();
  const original = await readFile(library.files.file('photo.jpg'));
  const read = await library.run(['download', library.photo, '-o', '-']);
  expect(read).toMatchObject({ code: 0, err: '' });
  expect(Buffer.from(read.out, 'latin1').equals(original)).toBe(true);
  expect(await readdir('.')).not.toContain('-');
  const onTerminal = await library.run(['download', library.photo, '-o', '-'], { terminal: 80 });
  expect(onTerminal).toMatchObject({ code: 1, out: '' });

  for (const words of [
    ['download', library.photo, '--dir', '-'],
    ['search', 'red', '--export', '-'],
  ])
    expect(await library.run(words)).toMatchObject({
      code: 1,
      err: expect.stringContaining('names a folder') as string,
    });
  expect(await readdir('.')).not.toContain('-');

  const byInput = await library.run(['search', '--image', '-', '-n', '1'], { input: original });
  expect(byInput.out.split('\t')[1]).toBe('photo.jpg');
  expect(await library.run(['search', '--image', '-'])).toMatchObject({ code: 1, err: 'Standard input is empty.\n' });

  const other = await sharp(original).flop().png().toBuffer();
  const sent = await library.run(['upload', '-', '--name', 'mirrored.png', '--json'], { input: other });
  expect(JSON.parse(sent.out)).toMatchObject([{ result: 'uploaded' }]);
  const { data } = await library.client.get<{ id: string; size: number }[]>('/media?q=mirrored.png');
  expect(data).toMatchObject([{ size: other.length }]);
  await library.client.delete(`/media/${data[0]?.id}`);
  expect(await library.run(['upload', '-'])).toMatchObject({ code: 1, err: 'Standard input is empty.\n' });
});
