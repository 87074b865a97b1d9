import type { Comment } from '../../api/comments.ts';
import { toTextParts } from './threads.ts';

/** What a comment says: plain text, with its web addresses as links and the names of who is mentioned in colour. */
export const CommentText = ({ comment: { text, mentions } }: { comment: Comment }) => (
  <p dir="auto" className="leading-relaxed wrap-anywhere whitespace-pre-line">
    {toTextParts(
      text,
      mentions.map(({ name }) => name),
    ).map(({ kind, text: part }, i) => {
      if (kind === 'text') return part;
      if (kind === 'mention') {
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the parts of a text never change places
          <span key={i} className="font-medium text-accent">
            {part}
          </span>
        );
      }
      return (
        <a
          // oxlint-disable-next-line react/no-array-index-key -- as above
          key={i}
          href={part}
          target="_blank"
          rel="noreferrer nofollow ugc"
          className="text-accent underline underline-offset-2"
        >
          {part}
        </a>
      );
    })}
  </p>
);
