import { Tokenizer } from '@huggingface/tokenizers';
import { expect, test } from 'vitest';
import { createWordReader, type PieceTokenizer } from './text-tower.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
const words = '[UNK] [CLS] [SEP] red dog run ##ning the 犬 4 ##2 ##js ##df ##oo caf'.split(' ');
const vocabulary = [...words, ...letters, ...letters.map((letter) => `##${letter}`)];
const idOf = (piece: string) => vocabulary.indexOf(piece);
const marks = { '[CLS]': idOf('[CLS]'), '[SEP]': idOf('[SEP]') };

/** A tokenizer of the form that the service ships, with a small vocabulary. */
const tokenizer = new Tokenizer(
  {
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: Object.fromEntries(Object.entries(marks).map(([id, mark]) => [id, { id, ids: [mark] }])),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    added_tokens: [],
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((piece, id) => [piece, id])),
    },
  },
  {},
) as PieceTokenizer;
const readWords = createWordReader(tokenizer);
const pieces = (...names: string[]) => ['[CLS]', ...names, '[SEP]'].map(idOf);

test.for([
  ['Dog', ['dog']],
  ['the red dog!', ['the', 'red', 'dog', '[UNK]']],
  ['running', ['run', '##ning']],
  ['CAFÉ', ['caf', '##e']],
  ['42', ['4', '##2']],
  ['tv', ['t', '##v'], ['tv']],
  ['zoo', ['z', '##oo']],
] as const)('reads %s', ([text, expected, unknown = []]) => {
  expect(readWords(text)).toMatchObject(
    unknown.length > 0 ? { pieces: [], unknown } : { pieces: pieces(...expected), unknown },
  );
});

test.for([
  ['qwzx', ['qwzx']],
  ['kjsdfjs', ['kjsdfjs']],
  ['犬', ['犬']],
  ['собака', ['собака']],
  ['🐕', ['🐕']],
  ['qwzx qwzx Собака', ['qwzx', 'Собака']],
  ['', []],
  ['?!', []],
  ['\u0000', []],
] as const)('has nothing to read in %s', ([text, unknown]) => {
  expect(readWords(text)).toMatchObject({ pieces: [], unknown });
});

test('reads what is left of a text without its unknown words', () => {
  const { readable, ...read } = readWords('the red qwzx dog 🐕');
  expect(readable.split(/ +/).join(' ').trim()).toBe('the red dog');
  expect(read).toEqual({ contentCount: 2, pieces: pieces('the', 'red', 'dog'), unknown: ['qwzx', '🐕'] });
});

test('reads no more than a hundred words', () => {
  expect(readWords('dog '.repeat(5000)).pieces).toHaveLength(102);
});
