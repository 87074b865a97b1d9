import type { Comment } from '../../../contract/comments.ts';
import { escapeHtml, formatClock, formatDay, toHtml } from './html.ts';

/** A comment that a guest tried to write, and why it was refused. */
export type Draft = { name: string; text: string; at: string; problem: string | null };

/** What a page says of the comments on its item. */
export type Talk = {
  comments: Comment[];
  /** Where the form is sent; null: visitors only read. */
  action: string | null;
  /** Whether a comment can be at a moment. */
  isVideo: boolean;
  draft: Draft;
};

function renderComment({ author, text, start, resolved, created_at }: Comment): string {
  const at = start === null ? '' : `<a class="at" href="#t=${start}" data-time="${start}">${formatClock(start)}</a>`;
  return `<div class="who"><b>${escapeHtml(author.name)}</b>${author.kind === 'guest' ? '<span class="tag">Guest</span>' : ''}
<span class="quiet">${formatDay(created_at)}</span>${at}${resolved === null ? '' : '<span class="done">Resolved</span>'}</div><p dir="auto">${toHtml(text)}</p>`;
}

function renderForm(action: string, isVideo: boolean, { name, text, at, problem }: Draft): string {
  const nameField = `<div><label for="name">Your name</label><input id="name" name="name" required maxlength="80" autocomplete="name" value="${escapeHtml(name)}"></div>`;
  const names = isVideo
    ? `<div class="pair">${nameField}<div><label for="at">At</label><input id="at" name="at" maxlength="12" placeholder="0:12" value="${escapeHtml(at)}"></div></div>`
    : nameField;
  return `<form method="post" action="${escapeHtml(action)}">${names}
<div><label for="text">Comment</label><textarea id="text" name="text" required maxlength="4000" dir="auto">${escapeHtml(text)}</textarea></div>
${problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}<button class="primary">Comment</button></form>`;
}

/** The comments on an item, in order of its time, with their replies; below them, where visitors may, the form for another. */
export function renderTalk({ comments, action, isVideo, draft }: Talk): string {
  const replies = Map.groupBy(comments, ({ parent_id }) => parent_id);
  const threads = [...(replies.get(null) ?? [])].sort((a, b) => (a.start ?? -1) - (b.start ?? -1));
  const list = threads.map((comment) => {
    const answers = replies.get(comment.id) ?? [];
    const below = answers.map((answer) => `<li>${renderComment(answer)}</li>`).join('');
    return `<li>${renderComment(comment)}${below === '' ? '' : `<ul>${below}</ul>`}</li>`;
  });
  const said = list.length === 0 ? '<p class="quiet">No comments yet.</p>' : `<ul>${list.join('')}</ul>`;
  return `<section class="talk" id="comments" aria-label="Comments" tabindex="0"><h2>Comments</h2>${said}${
    action === null ? '' : renderForm(action, isVideo, draft)
  }</section>`;
}
