import { expect, test } from 'vitest';
import type { Comment } from '../../api/comments.ts';
import { findTypedName, isShown, toTextParts, toThreads } from './threads.ts';

const comment = (id: string, changes: Partial<Comment> = {}): Comment => ({
  id,
  media_id: 'item',
  parent_id: null,
  author: { kind: 'member', id: 'ana', name: 'Ana' },
  text: id,
  start: null,
  end: null,
  point: null,
  mentions: [],
  resolved: null,
  created_at: '2026-11-22T14:00:00.000Z',
  edited_at: null,
  ...changes,
});

test('comments stand in order of time with their replies, those about the whole item in front', () => {
  const threads = toThreads([
    comment('late', { start: 9 }),
    comment('early', { start: 1 }),
    comment('reply', { parent_id: 'late' }),
    comment('whole'),
    comment('lost reply', { parent_id: 'nothing' }),
  ]);
  expect(threads.map((thread) => [thread.comment.id, thread.replies.map(({ id }) => id)])).toEqual([
    ['whole', []],
    ['early', []],
    ['late', ['reply']],
  ]);
  const [resolved] = toThreads([comment('done', { resolved: { at: '2026-11-22T14:00:00.000Z', by: null } })]);
  expect((['open', 'resolved', 'all'] as const).map((shown) => resolved && isShown(resolved, shown))).toEqual([
    false,
    true,
    true,
  ]);
});

test('web addresses become links without the sentence around them, and nothing else does', () => {
  expect(toTextParts('See https://example.org/a?b=1, @Ana Lima (or @Ana).', ['Ana', 'Ana Lima'])).toEqual([
    { kind: 'text', text: 'See ' },
    { kind: 'link', text: 'https://example.org/a?b=1' },
    { kind: 'text', text: ', ' },
    { kind: 'mention', text: '@Ana Lima' },
    { kind: 'text', text: ' (or ' },
    { kind: 'mention', text: '@Ana' },
    { kind: 'text', text: ').' },
  ]);
  for (const text of ['javascript:alert(1)', '<img src=x onerror=alert(1)>', 'data:text/html,x', '']) {
    expect(toTextParts(text, ['.*']).every(({ kind }) => kind === 'text')).toBe(true);
  }
});

test('a name is being typed behind an at sign that begins a word', () => {
  expect(findTypedName('Hello @an', 9)).toBe('an');
  expect(findTypedName('@', 1)).toBe('');
  expect(findTypedName('@Ana Li', 7)).toBe('Ana Li');
  expect(findTypedName('ana@example.org', 15)).toBeNull();
  expect(findTypedName('@an and more words', 18)).toBeNull();
});
