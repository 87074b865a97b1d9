import { expect, test } from 'vitest';
import { toHtml } from './html.ts';

test('addresses become links without what belongs to the sentence, all else is escaped', () => {
  expect(toHtml('See (https://example.org/a?b=1&c=2).')).toBe(
    'See (<a href="https://example.org/a?b=1&#38;c=2" target="_blank" rel="noreferrer nofollow ugc">https://example.org/a?b=1&#38;c=2</a>).',
  );
  const hostile = toHtml('javascript:alert(1) https://a.example/"onmouseover="alert(1) <img src=x onerror=alert(1)>');
  expect(hostile).not.toMatch(/<img|href="javascript|"onmouseover/);
});

test('a long run of signs takes no time that grows with its square', () => {
  const read = (signs: number) => {
    const text = `https://${'!'.repeat(signs)}a`;
    const start = performance.now();
    for (let i = 0; i < 20; i++) toHtml(text);
    return performance.now() - start;
  };
  read(100);
  // A comment of 4000 signs took 15 ms, and an item may have a thousand.
  expect(read(4000)).toBeLessThan(100);
});
