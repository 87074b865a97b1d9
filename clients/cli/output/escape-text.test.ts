import { expect, test } from 'vitest';
import { escapeJson, escapeText } from './escape-text.ts';

test('shows what a terminal would obey, and leaves all other writing as it is', () => {
  expect(escapeText('a\u001b]0;owned\u0007b\tc\nd\r')).toBe(String.raw`a\u001b]0;owned\u0007b\tc\nd\r`);
  // The control sequence introducer of one byte, the end of a right-to-left override, and a lone surrogate.
  expect(escapeText('\u009b2J gpj\u202eexe \ud800')).toBe(String.raw`\u009b2J gpj\u202eexe \ud800`);
  expect(escapeText('東京 café 👩‍👩‍👧 می‌خواهم')).toBe('東京 café 👩‍👩‍👧 می‌خواهم');
});

test('JSON keeps its meaning and holds nothing that a terminal obeys', () => {
  const value = { name: 'a\u009b2J\u001b[31m\u202eb\u007f', list: ['東京'] };
  for (const indent of [0, 2]) {
    const json = escapeJson(value, indent);
    expect(json).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).toContain('東京');
  }
});
