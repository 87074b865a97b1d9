import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Check, Clock, Crosshair, Pencil, Reply, RotateCcw, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import {
  type Comment,
  membersOptions,
  useChangeComment,
  useCreateComment,
  useDeleteComment,
} from '../../api/comments.ts';
import { formatDate, formatTime } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Avatar } from './avatar.tsx';
import { CommentForm } from './comment-form.tsx';
import { CommentText } from './comment-text.tsx';
import { MentionField } from './mention-field.tsx';
import { mentionedIn, type Thread } from './threads.ts';
import type { ReviewState } from './use-review.ts';

/** The person who looks at comments. */
export type Viewer = { id: string; isOwner: boolean } | null;

/** A comment with its replies, and what can be done with it. */
export function CommentThread({
  thread: { comment, replies },
  viewer,
  review,
  onSeek,
}: {
  thread: Thread;
  viewer: Viewer;
  review: ReviewState;
  /** Goes to a time of the video; left out for a photograph. */
  onSeek: ((time: number) => void) | undefined;
}) {
  const entry = useRef<HTMLLIElement>(null);
  const [replying, setReplying] = useState(false);
  const isSelected = review.selected === comment.id;
  useEffect(() => {
    if (isSelected) entry.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <li
      ref={entry}
      data-comment={comment.id}
      className={clsx(
        'rounded-control px-2 py-2.5 transition-colors duration-calm',
        isSelected && 'bg-accent-soft/60',
        comment.resolved !== null && 'opacity-80',
      )}
    >
      <Entry comment={comment} viewer={viewer} review={review} onSeek={onSeek} />
      {replies.length > 0 ? (
        <ul aria-label="Replies" className="mt-2 ml-9 space-y-2 border-l-2 border-line pl-3">
          {replies.map((reply) => (
            <li key={reply.id}>
              <Entry comment={reply} viewer={viewer} review={review} onSeek={undefined} />
            </li>
          ))}
        </ul>
      ) : null}
      {replying ? (
        <div className="ml-9">
          <ReplyForm comment={comment} onClose={() => setReplying(false)} />
        </div>
      ) : (
        <ThreadActions comment={comment} onReply={() => setReplying(true)} />
      )}
    </li>
  );
}

/** Replies to a comment, resolves it or opens it again. */
function ThreadActions({ comment: { id, media_id, resolved }, onReply }: { comment: Comment; onReply: () => void }) {
  const change = useChangeComment(media_id);
  return (
    <div className="mt-1 ml-9 flex gap-1">
      <Button variant="quiet" size="small" onClick={onReply} className="pointer-coarse:h-11">
        <Reply aria-hidden />
        Reply
      </Button>
      <Button
        variant="quiet"
        size="small"
        disabled={change.isPending}
        onClick={() => change.mutate({ id, resolved: resolved === null })}
        className="pointer-coarse:h-11"
      >
        {resolved === null ? <Check aria-hidden /> : <RotateCcw aria-hidden />}
        {resolved === null ? 'Resolve' : 'Open again'}
      </Button>
    </div>
  );
}

type EntryProps = {
  comment: Comment;
  viewer: Viewer;
  review: ReviewState;
  onSeek: ((time: number) => void) | undefined;
};

/** Who wrote a comment, when, where, and what it says. */
function Entry({ comment, viewer, review, onSeek }: EntryProps) {
  const [editing, setEditing] = useState(false);
  const { author, created_at, edited_at, resolved } = comment;
  const isOwn = viewer !== null && author.id === viewer.id;
  const mayDelete = isOwn || viewer?.isOwner === true || author.kind === 'guest';
  return (
    <div className="flex gap-2">
      <Avatar author={author} />
      <div className="min-w-0 flex-1">
        <div className="flex min-h-7 flex-wrap items-center gap-x-2">
          <span className="truncate font-medium">{author.name}</span>
          {author.kind === 'guest' ? (
            <span className="rounded-full bg-warm-soft px-2 text-xs leading-5 text-warm">Guest</span>
          ) : null}
          <time
            dateTime={created_at}
            title={edited_at === null ? undefined : `Edited ${formatDate(edited_at)}`}
            className="text-xs text-quiet"
          >
            {formatDate(created_at)}
            {edited_at === null ? '' : ', edited'}
          </time>
          <span className="ml-auto flex">
            {isOwn && !editing ? (
              <IconButton
                icon={Pencil}
                size="smallIcon"
                label="Edit comment"
                onClick={() => setEditing(true)}
                className="-my-1 pointer-coarse:size-11"
              />
            ) : null}
            {mayDelete ? <DeleteComment comment={comment} /> : null}
          </span>
        </div>
        <PlaceChips comment={comment} review={review} onSeek={onSeek} />
        {editing ? <EditForm comment={comment} onClose={() => setEditing(false)} /> : <CommentText comment={comment} />}
        {resolved === null ? null : (
          <p className="mt-1 flex items-center gap-1 text-xs text-good">
            <Check className="size-3.5" aria-hidden />
            Resolved{resolved.by === null ? '' : ` by ${resolved.by}`}
          </p>
        )}
      </div>
    </div>
  );
}

const chip =
  'inline-flex h-6 items-center gap-1 rounded-full bg-accent-soft px-2 text-xs font-medium text-accent tabular-nums hover:brightness-95 pointer-coarse:h-11 pointer-coarse:px-3';

/** Where a comment is: its moment and its place in the picture lead there. */
function PlaceChips({ comment: { id, start, end, point }, review, onSeek }: Omit<EntryProps, 'viewer'>) {
  if (start === null && point === null) return null;
  const go = () => {
    review.select(id);
    if (start !== null) onSeek?.(start);
  };
  return (
    <div className="my-0.5 flex gap-1.5">
      <button type="button" onClick={go} className={chip}>
        {start === null ? null : (
          <>
            <Clock className="size-3.5" aria-hidden />
            {end === null ? formatTime(start, true) : `${formatTime(start, true)} – ${formatTime(end, true)}`}
          </>
        )}
        {point === null ? null : (
          <>
            <Crosshair className="size-3.5" aria-hidden />
            {start === null ? 'In the picture' : <span className="sr-only">with a place in the picture</span>}
          </>
        )}
      </button>
    </div>
  );
}

function DeleteComment({ comment: { id, media_id, parent_id } }: { comment: Comment }) {
  const remove = useDeleteComment(media_id);
  return (
    <ConfirmDialog
      trigger={
        <IconButton
          icon={Trash2}
          size="smallIcon"
          label="Delete comment"
          disabled={remove.isPending}
          className="-my-1 pointer-coarse:size-11"
        />
      }
      title="Delete this comment?"
      confirm="Delete"
      onConfirm={() => remove.mutate(id)}
    >
      {parent_id === null ? 'Its replies are deleted too.' : 'The comment that it replies to stays.'} This cannot be
      undone.
    </ConfirmDialog>
  );
}

/** A stable function, so that an element gets the focus once: when it comes. */
const focusIt = (element: HTMLElement | null): void => element?.focus();

function ReplyForm({ comment: { id, media_id }, onClose }: { comment: Comment; onClose: () => void }) {
  const create = useCreateComment(media_id);
  return (
    <SmallForm
      label="Reply"
      before=""
      busy={create.isPending}
      error={create.error}
      onSubmit={(text, mentions) => create.mutate({ text, parent_id: id, mentions }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

function EditForm({ comment: { id, media_id, text: before }, onClose }: { comment: Comment; onClose: () => void }) {
  const change = useChangeComment(media_id);
  return (
    <SmallForm
      label="Save"
      before={before}
      busy={change.isPending}
      error={null}
      onSubmit={(text, mentions) => change.mutate({ id, text, mentions }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

/** The text of a reply, or of a comment that is changed. */
function SmallForm({
  label,
  before,
  busy,
  error,
  onSubmit,
  onClose,
}: {
  label: string;
  before: string;
  busy: boolean;
  error: Error | null;
  onSubmit: (text: string, mentions: string[]) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState(before);
  const members = useQuery(membersOptions).data ?? [];
  const send = () => {
    if (text.trim() !== '' && !busy) onSubmit(text, mentionedIn(text, members));
  };
  return (
    <CommentForm label={label} error={error} onSubmit={send} className="mt-2">
      <MentionField
        ref={focusIt}
        label={`${label}: text`}
        value={text}
        members={members}
        onChange={setText}
        onSubmit={send}
        onCancel={onClose}
      />
      <div className="flex justify-end gap-1.5 px-2 pb-2">
        <Button variant="quiet" size="small" onClick={onClose} className="pointer-coarse:h-11">
          Cancel
        </Button>
        <Button type="submit" variant="primary" size="small" disabled={busy} className="pointer-coarse:h-11">
          {label}
        </Button>
      </div>
    </CommentForm>
  );
}
