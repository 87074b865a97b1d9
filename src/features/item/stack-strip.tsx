import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { CircleDot, Layers } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { stackOptions } from '../../api/stacks.ts';
import { thumbnailOf } from '../../lib/thumbnail-of.ts';
import { paths } from '../../paths.ts';

type StackStripProps = {
  item: MediaItem;
  /** What can be done with it. */
  children: ReactNode;
};

/** The items that stand together with one, each with the way to it: the film of a Live Photo plays there. Nothing for an item that stands alone. */
export function StackStrip({ item: { id, stack }, children }: StackStripProps) {
  const members = useQuery({ ...stackOptions(stack?.id ?? ''), enabled: stack !== null });
  if (!stack) return null;
  return (
    <section aria-label="Stack" className="mb-4">
      <h3 className="flex items-center gap-1.5 text-label text-quiet">
        {stack.live ? <CircleDot className="size-4" aria-hidden /> : <Layers className="size-4" aria-hidden />}
        {stack.live ? 'Live Photo' : `Stack of ${stack.count}`}
      </h3>
      <ul className="mt-2 flex flex-wrap gap-1.5">
        {members.data?.map((member) => (
          <li key={member.id}>
            <Link
              to={paths.media(member.id)}
              aria-label={member.type === 'video' ? `Play ${member.filename}` : `Show ${member.filename}`}
              aria-current={member.id === id ? 'page' : undefined}
              title={member.filename}
              className={clsx(
                'block size-14 overflow-hidden rounded-control border-2 bg-raised',
                member.id === id ? 'border-accent' : 'border-transparent hover:border-line',
              )}
            >
              <img
                src={thumbnailOf(member, 160) ?? undefined}
                alt=""
                loading="lazy"
                className="size-full object-cover"
              />
            </Link>
          </li>
        ))}
      </ul>
      {children}
    </section>
  );
}
