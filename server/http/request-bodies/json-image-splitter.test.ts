import { randomBytes } from 'node:crypto';
import { randomLcg, randomUniform } from 'd3-random';
import { expect, test } from 'vitest';
import { InvalidJsonError, JsonImageSplitter } from './json-image-splitter.ts';

/** Splits a body that comes in pieces of these sizes, again and again. */
function splitBody(json: string, sizes: number[] = [json.length + 9]) {
  const bytes = Buffer.from(json);
  const splitter = new JsonImageSplitter();
  const pictures: Buffer[] = [];
  for (let i = 0, turn = 0; i < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    pictures.push(splitter.push(bytes.subarray(i, i + size)));
    i += size;
  }
  return { text: splitter.text, valid: splitter.valid, count: splitter.imageCount, picture: Buffer.concat(pictures) };
}

const picture = randomBytes(1000);
const base64 = picture.toString('base64');

test.each([
  ['plain', base64],
  ['base64url', picture.toString('base64url')],
  ['a data URL', `data:image/png;base64,${base64}`],
  ['a data URL in capitals with parameters', `DATA:image/png;charset=x;BASE64,${base64}`],
  ['with line breaks', base64.replaceAll(/(.{76})/g, '$1\\r\\n')],
  ['with escaped slashes, as PHP writes them', base64.replaceAll('/', '\\/')],
  ['with escapes by number', base64.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d')],
])('base64 %s comes out as the picture, however it is cut into pieces', (_, image) => {
  const random = randomUniform.source(randomLcg(0.5))(1, 40);
  for (const sizes of [[1], [2, 3], [7], [5000], Array.from({ length: 50 }, () => Math.floor(random()))]) {
    const result = splitBody(`{"n": 3, "image" : "${image}", "type":"video"}`, sizes);
    expect(result.picture.equals(picture)).toBe(true);
    expect(result).toMatchObject({ valid: true, count: 1, text: '{"n": 3, "image" : "…", "type":"video"}' });
  }
});

test.each([
  '{"images":"aGk=","x":{"image":"aGk="},"y":["image","aGk="],"image":5}',
  '["image","aGk="]',
  '"image"',
  '{"url":"http://x/?\\"image\\":\\"aGk=\\""}',
  '{"image":null,"n":"image"}',
  '{"image":["aGk="]}',
  '{"image":{"image":"aGk="}}',
  '{"a":"\\\\","b":"image"}',
])('what only looks like the member stays where it is: %s', (json) => {
  for (const sizes of [[1], [3], [999]]) expect(splitBody(json, sizes)).toMatchObject({ text: json, count: 0 });
});

test('a name that is written with escapes is the same name', () => {
  expect(splitBody('{"\\u0069mage":"aGk="}', [1])).toMatchObject({ count: 1, picture: Buffer.from('hi') });
});

test.each([
  'no base64!',
  'a=b',
  'a===',
  '=',
  'data:image/png,aGk=',
  'data:',
  'äöü',
  '<svg/>',
  `data:${'x'.repeat(2000)}`,
])('%s is no base64, and the rest is read all the same', (image) => {
  for (const sizes of [[1], [4], [9999]]) {
    const { text, valid } = splitBody(`{"image":"${image}","n":2}`, sizes);
    expect([text, valid]).toEqual(['{"image":"…","n":2}', false]);
  }
});

test('an empty image stays empty', () => {
  expect(splitBody('{"image":""}', [1])).toMatchObject({ text: '{"image":""}', picture: Buffer.alloc(0) });
});

test.each(['{"image":"a\nb"}', '{"image":"\\x"}', '{"image":"\\u00zz"}'])('%j is no JSON', (json) => {
  for (const sizes of [[1], [999]]) expect(() => splitBody(json, sizes)).toThrow(InvalidJsonError);
});

test('a body that ends early is left to the parser', () => {
  for (const json of ['{"image":"aGk', '{"image', '{"image":"aGk="']) {
    expect(() => JSON.parse(splitBody(json, [2]).text) as unknown).toThrow(SyntaxError);
  }
});
