import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/running-service.ts';
import { dot, norm } from '../../vectors.ts';
import { readTextTower } from './text-tower.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
const vocabulary = ['[UNK]', 'red', 'dog', 'run', '##ning', 'the', '犬', ...letters, ...letters.map((a) => `##${a}`)];
const [width, hidden, dimensions] = [3, 2, 4];

type Values = { name: string; type: 'int8' | 'float16' | 'float32'; shape: number[]; values: number[] };

/** A text tower of the form that training exports: random weights of a small vocabulary. */
function smallTower(type: 'float16' | 'float32' = 'float32'): { sections: Values[]; manyFactor: number } {
  let state = 7;
  const random = (count: number) =>
    Array.from({ length: count }, () => {
      state = (state * 16_807) % 2_147_483_647;
      return Math.round((state / 2_147_483_647 - 0.5) * 64) / 32;
    });
  const count = vocabulary.length;
  return {
    manyFactor: 1.5,
    sections: [
      {
        name: 'table',
        type: 'int8',
        shape: [count, width],
        values: random(count * width).map((value) => Math.round(100 * value)),
      },
      { name: 'scales', type: 'float32', shape: [count], values: random(count).map((value) => 0.01 + value ** 2) },
      { name: 'weights', type: 'float32', shape: [count], values: random(count).map((value) => 0.1 + value ** 2) },
      { name: 'linear', type, shape: [width, dimensions], values: random(width * dimensions) },
      { name: 'hidden', type, shape: [width, hidden], values: random(width * hidden) },
      { name: 'bias', type: 'float32', shape: [hidden], values: random(hidden) },
      { name: 'output', type, shape: [hidden, dimensions], values: random(hidden * dimensions) },
    ],
  };
}

async function writeTower(folder: string, { sections, manyFactor }: ReturnType<typeof smallTower>): Promise<void> {
  const arrays = { int8: Int8Array, float16: Float16Array, float32: Float32Array };
  const bytes = sections.flatMap(({ type, values }) => {
    const { buffer } = arrays[type].from(values);
    return [Buffer.from(buffer), Buffer.alloc((4 - (buffer.byteLength % 4)) % 4)];
  });
  const description = {
    dimensions,
    width,
    hidden,
    vocabulary: vocabulary.length,
    manyFactor,
    sections: sections.map(({ name, type, shape }) => ({ name, type, shape })),
  };
  const tokenizer = {
    version: '1.0',
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    added_tokens: [],
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((piece, id) => [piece, id])),
    },
  };
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'text.bin'), Buffer.concat(bytes));
  await writeFile(path.join(folder, 'text.json'), JSON.stringify(description));
  await writeFile(path.join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
}

/** The vector by the definition. */
function vectorOf(pieces: string[], { sections, manyFactor }: ReturnType<typeof smallTower>): number[] {
  const at = (name: string, place: number) => sections.find((section) => section.name === name)?.values[place] ?? NaN;
  const ids = pieces.map((piece) => vocabulary.indexOf(piece));
  const total = ids.reduce((sum, id) => sum + at('weights', id), 0);
  const mean = Array.from({ length: width }, (_, i) => {
    const sum = ids.reduce((sum, id) => sum + at('weights', id) * at('scales', id) * at('table', id * width + i), 0);
    return (sum / total) * (ids.length > 1 ? manyFactor : 1);
  });
  const product = (row: number[], matrix: string, columns: number, column: number) =>
    row.reduce((sum, value, i) => sum + value * at(matrix, i * columns + column), 0);
  const active = Array.from({ length: hidden }, (_, j) =>
    Math.max(0, product(mean, 'hidden', hidden, j) + at('bias', j)),
  );
  const vector = Array.from(
    { length: dimensions },
    (_, j) => product(mean, 'linear', dimensions, j) + product(active, 'output', dimensions, j),
  );
  return vector.map((value) => value / norm(vector));
}

test.for(['float32', 'float16'] as const)('computes the vector of a text from weights in %s', async (type) => {
  await using folder = await temporaryFolder();
  const tower = smallTower(type);
  await writeTower(folder.path, tower);
  const embedText = await readTextTower(folder.path);
  for (const [text, pieces] of [
    ['Dog', ['dog']],
    ['the red dog', ['the', 'red', 'dog']],
    ['running', ['run', '##ning']],
    ['dog dog red', ['dog', 'dog', 'red']],
    ['dog '.repeat(40), Array.from({ length: 32 }, () => 'dog')],
  ] as const) {
    const { vector, unknown } = embedText(text);
    expect(unknown).toEqual([]);
    expect(norm(vector as Float32Array)).toBeCloseTo(1, 5);
    for (const [i, value] of vectorOf([...pieces], tower).entries()) expect(vector?.[i]).toBeCloseTo(value, 4);
  }
});

test('names words that it cannot read, and reads the others', async () => {
  await using folder = await temporaryFolder();
  await writeTower(folder.path, smallTower());
  const embedText = await readTextTower(folder.path);
  for (const [text, unknown] of [
    ['qwzx', ['qwzx']],
    ['犬', ['犬']],
    ['собака', ['собака']],
    ['🐕', ['🐕']],
    ['qwzx qwzx Собака', ['qwzx', 'Собака']],
    ['', []],
    ['?!', []],
    ['\u0000', []],
  ] as const) {
    expect(embedText(text)).toEqual({ vector: null, unknown });
  }
  const { vector, unknown } = embedText('a red qwzx dog 🐕');
  expect(unknown).toEqual(['qwzx', '🐕']);
  expect(dot(vector as Float32Array, embedText('a red dog').vector as Float32Array)).toBeCloseTo(1, 5);
});

test('refuses weights that do not fit together', async () => {
  await using folder = await temporaryFolder();
  const tower = smallTower();
  await writeTower(folder.file('short'), { ...tower, sections: tower.sections.slice(0, -1) });
  await expect(readTextTower(folder.file('short'))).rejects.toThrow('no section output of the shape 2 × 4');
  await writeTower(folder.file('long'), tower);
  await writeFile(folder.file('long/text.bin'), Buffer.alloc(8));
  await expect(readTextTower(folder.file('long'))).rejects.toThrow('text.bin has 8 bytes');
});
