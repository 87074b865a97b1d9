import { useQuery } from '@tanstack/react-query';
import {
  Download,
  ExternalLink,
  Film,
  AudioLines,
  FolderOpen,
  Image,
  Images,
  LockKeyhole,
  MessageSquare,
  Trash2,
} from 'lucide-react';
import { Link } from 'react-router';
import type { Share } from '../../api/generated/api/index.ts';
import { sharesOptions, useDeleteShare } from '../../api/shares.ts';
import { countItems, formatCount, formatDate, formatTime } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';
import { EditShare } from './edit-share.tsx';

/** All public links of the workspace: copy, open, edit, revoke. */
export function SharesPanel() {
  const shares = useQuery(sharesOptions);
  return (
    <Panel
      title="Shared links"
      description="Each of these links shows what it leads to without signing in. A link ends when it expires or is revoked, and never shows an item that is in the trash."
    >
      <PanelList
        list={shares}
        label="Shared links"
        empty="Nothing is shared. Share an item on its page, a moment from a search result, a collection, or selected items."
      >
        {(share) => <ShareRow key={share.id} share={share} />}
      </PanelList>
    </Panel>
  );
}

/** What people call a link. */
function nameOf({ title, filename, items }: Share): string {
  if (title !== null) return title;
  return filename === '' ? countItems(items) : filename;
}

/** Where in the dashboard that is; null: a selection has no page. */
function pathOf({ media_id, collection_id, start }: Share): string | null {
  if (media_id !== null) return paths.media(media_id, start === null ? {} : { t: start });
  return collection_id === null ? null : paths.collection(collection_id);
}

function ShareRow({ share }: { share: Share }) {
  const { id, url, filename, title, created_by, created_at, expires_at, items, kind } = share;
  const revoke = useDeleteShare();
  const name = nameOf(share);
  const path = pathOf(share);
  const isToMany = kind === 'collection' || kind === 'selection';
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 sm:flex-nowrap">
      <Thumbnail share={share} />
      <div className="min-w-0 flex-1">
        <p className="flex gap-2 font-medium">
          {path === null ? (
            <span className="truncate">{name}</span>
          ) : (
            <Link to={path} className="truncate hover:underline">
              {name}
            </Link>
          )}
          <span className="shrink-0 font-normal text-quiet tabular-nums">
            {share.start === null || share.end === null
              ? isToMany
                ? countItems(items)
                : ''
              : `${formatTime(share.start, true)} – ${formatTime(share.end, true)}`}
          </span>
        </p>
        <p className="text-xs leading-relaxed text-quiet tabular-nums">
          {title === null || filename === '' ? null : `${filename} · `}
          Created {formatDate(created_at)} {created_by === null ? 'by a script' : `by ${created_by}`} · Expires{' '}
          {formatDate(expires_at)}
        </p>
        <Allowed share={share} />
      </div>
      <div className="ml-auto flex items-center max-sm:basis-full max-sm:justify-end">
        <CopyButton text={url} label={`Copy link to ${name}`} />
        <Button asChild variant="quiet" size="icon">
          <a href={url} target="_blank" rel="noreferrer" aria-label={`Open link to ${name}`} title="Open">
            <ExternalLink aria-hidden />
          </a>
        </Button>
        <EditShare share={share} name={name} />
        <ConfirmDialog
          trigger={
            <IconButton icon={Trash2} label={`Revoke link to ${name}`} title="Revoke" disabled={revoke.isPending} />
          }
          title="Revoke this link?"
          confirm="Revoke"
          onConfirm={() => revoke.mutate(id)}
        >
          The link stops working immediately. It cannot be turned on again.
        </ConfirmDialog>
      </div>
    </li>
  );
}

const kinds: Record<Share['kind'], string> = {
  item: 'Item',
  moment: 'Moment',
  collection: 'Collection',
  selection: 'Selection',
};

const count = (number: number, one: string): string => `${formatCount(number)} ${one}${number === 1 ? '' : 's'}`;

/** What kind of link it is, how often it was used, and what it allows. */
const Allowed = ({ share: { kind, views, download, downloads, comments, has_password } }: { share: Share }) => (
  <p className="flex flex-wrap gap-x-3 text-xs leading-relaxed text-quiet tabular-nums [&_svg]:mr-1 [&_svg]:inline [&_svg]:size-3.5">
    <span>{kinds[kind]}</span>
    <span>{count(views, 'view')}</span>
    {download === 'none' ? null : (
      <span>
        <Download aria-hidden />
        {count(downloads, 'download')}
        {download === 'original' ? ', originals' : ''}
      </span>
    )}
    {comments === 'none' ? null : (
      <span>
        <MessageSquare aria-hidden />
        {comments === 'write' ? 'Visitors comment' : 'Comments shown'}
      </span>
    )}
    {has_password ? (
      <span>
        <LockKeyhole aria-hidden />
        Password
      </span>
    ) : null}
  </p>
);

function Thumbnail({ share: { thumbnail, kind, type } }: { share: Share }) {
  const Icon =
    kind === 'collection'
      ? FolderOpen
      : kind === 'selection'
        ? Images
        : type === 'image'
          ? Image
          : type === 'audio'
            ? AudioLines
            : Film;
  return (
    <span className="grid aspect-video w-20 shrink-0 place-items-center overflow-hidden rounded-control bg-raised text-quiet">
      {thumbnail === null ? (
        <Icon className="size-5 opacity-60" aria-hidden />
      ) : (
        <img src={thumbnail} alt="" loading="lazy" decoding="async" className="size-full object-cover" />
      )}
    </span>
  );
}
