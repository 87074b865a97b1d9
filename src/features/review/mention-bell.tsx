import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { AtSign } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { Link } from 'react-router';
import { mentionsOptions, useSeeMentions } from '../../api/comments.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Avatar } from './avatar.tsx';

/** The comments that mention the person who is signed in and they have not seen; each leads to its moment. */
export function MentionBell() {
  const { data: mentions = [] } = useQuery(mentionsOptions);
  const [open, setOpen] = useState(false);
  const label = mentions.length === 0 ? 'Mentions' : `Mentions, ${mentions.length} new`;
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button
          variant="quiet"
          size="icon"
          aria-label={label}
          title={label}
          // A phone has the room for its search field.
          className={clsx('relative pointer-coarse:size-11', mentions.length === 0 && !open && 'max-md:hidden')}
        >
          <AtSign aria-hidden />
          {mentions.length === 0 ? null : (
            <span
              aria-hidden
              className="absolute top-0.5 right-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-warm px-1 text-xs leading-none font-bold text-surface"
            >
              {mentions.length}
            </span>
          )}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label="Mentions"
          sideOffset={6}
          collisionPadding={12}
          align="end"
          className="z-40 max-h-[70dvh] w-[min(22rem,calc(100vw-1.5rem))] overflow-y-auto rounded-card border border-line bg-surface p-2 shadow-float"
        >
          <NewMentions onClose={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function NewMentions({ onClose }: { onClose: () => void }) {
  const { data: mentions = [] } = useQuery(mentionsOptions);
  const see = useSeeMentions();
  if (mentions.length === 0) return <p className="p-3 text-quiet">Nobody has mentioned you since you last looked.</p>;
  return (
    <>
      <ul aria-label="New mentions">
        {mentions.map(({ comment, media }) => (
          <li key={comment.id}>
            <Link
              to={paths.media(media.id, comment.start === null ? {} : { t: comment.start })}
              onClick={onClose}
              className="flex gap-2.5 rounded-control p-2 hover:bg-raised"
            >
              <Avatar author={comment.author} small />
              <span className="min-w-0">
                <span className="line-clamp-2 wrap-anywhere">
                  <span className="font-medium">{comment.author.name}</span> {comment.text}
                </span>
                <span className="block truncate text-xs text-quiet">{media.filename}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <Button
        variant="quiet"
        size="small"
        className="mt-1 w-full pointer-coarse:h-11"
        disabled={see.isPending}
        onClick={() => see.mutate(undefined)}
      >
        Mark all as seen
      </Button>
    </>
  );
}
