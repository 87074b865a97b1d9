import { clsx } from 'clsx';
import type { Comment } from '../../api/comments.ts';
import { initialOf } from './threads.ts';

const looks = {
  member: 'bg-accent-soft text-accent',
  key: 'bg-raised text-quiet',
  guest: 'bg-warm-soft text-warm',
};

/** The circle with the first letter of who wrote a comment. */
export const Avatar = ({ author: { kind, name }, small = false }: { author: Comment['author']; small?: boolean }) => (
  <span
    aria-hidden
    className={clsx(
      'grid shrink-0 place-items-center rounded-full font-semibold select-none',
      small ? 'size-6 text-xs' : 'size-7 text-label',
      looks[kind],
    )}
  >
    {initialOf(name)}
  </span>
);
