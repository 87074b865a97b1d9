import type { Comment } from '../../api/comments.ts';

/** A comment with its replies, the oldest first. */
export type Thread = { comment: Comment; replies: Comment[] };

export type Shown = 'open' | 'resolved' | 'all';

/** Comments with their replies in order of time: those about the whole item in front, then by the moment, then by when they were written. */
export function toThreads(comments: readonly Comment[]): Thread[] {
  const replies = Map.groupBy(comments, ({ parent_id }) => parent_id);
  return (replies.get(null) ?? [])
    .map((comment) => ({ comment, replies: replies.get(comment.id) ?? [] }))
    .sort((a, b) => (a.comment.start ?? -1) - (b.comment.start ?? -1));
}

export const isShown = ({ comment: { resolved } }: Thread, shown: Shown): boolean =>
  shown === 'all' || (resolved !== null) === (shown === 'resolved');

/** A part of a text: plain, a link, or the name of a member that it mentions. */
export type TextPart = { kind: 'text' | 'link' | 'mention'; text: string };

/** What a link may not end with: the sentence around it does. */
const trailing = /[.,;:!?)\]}'"»”]+$/;

/** Cuts a text into parts: web addresses become links and the names of who is mentioned stand out. All else is plain text. */
export function toTextParts(text: string, mentioned: readonly string[]): TextPart[] {
  const names = [...mentioned]
    .sort((a, b) => b.length - a.length)
    .map((name) => `@${name.replaceAll(/[$()*+.?[\\\]^{|}-]/g, String.raw`\$&`)}`);
  const pattern = new RegExp([String.raw`https?://[^\s<>"]+`, ...names].join('|'), 'gu');
  const parts: TextPart[] = [];
  let from = 0;
  const add = (kind: TextPart['kind'], part: string) => {
    if (part !== '') parts.push({ kind, text: part });
  };
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const isLink = found.startsWith('http');
    const shown = isLink ? found.replace(trailing, '') : found;
    add('text', text.slice(from, index));
    add(isLink ? 'link' : 'mention', shown);
    from = index + shown.length;
  }
  add('text', text.slice(from));
  return parts;
}

/** The word after the last `@` before a position, where a name is being typed; null elsewhere. */
export function findTypedName(text: string, position: number): string | null {
  return /(?:^|[\s(])@([^\s@]{0,40}(?: [^\s@]{0,40})?)$/u.exec(text.slice(0, position))?.[1] ?? null;
}

/** The letter in the circle of a person. */
export const initialOf = (name: string): string => Array.from(name.trim())[0]?.toUpperCase() ?? '?';

/** The members whose names a text has behind an `@`. */
export const mentionedIn = (text: string, members: readonly { id: string; name: string }[]): string[] =>
  members.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id);
