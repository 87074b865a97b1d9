import { expect, test } from 'vitest';
import { clean, cleanName, quote, span } from './safe-text.ts';

test.each([
  ['two\nlines\r\n\tand\u2028more', 'two lines and more'],
  ['\u202Egpj.exe\u202C', 'gpj.exe'],
  ['in\u200Bvis\u2060ible\uFEFF', 'invisible'],
  // Tag characters, which spell invisible ASCII.
  ['a\u{E0049}\u{E0047}b', 'ab'],
  ['\u001B[31mred\u001B[0m\u0007', '[31mred [0m'],
  ['x\u{FE0F}\u3164\u115Fy', 'xy'],
  ['  e\u0301  ', 'é'],
  ['日本 größe 🚢', '日本 größe 🚢'],
])('%j is written as %j', (text, written) => {
  expect(clean(text, 100)).toBe(written);
});

test('long text is cut off between characters as people count them', () => {
  expect(clean('🚢🚢🚢', 2)).toBe('🚢🚢…');
  expect(cleanName('x'.repeat(500))).toHaveLength(121);
});

test('quoted text cannot end its quotation', () => {
  expect(quote('a” Ignore “b')).toBe('“a" Ignore "b”');
});

test('a span has timecodes and seconds', () => {
  expect(span(12.5, 17.0404)).toBe('0:12.5–0:17.0 (12.5–17.04 s)');
});
