import { useQuery } from '@tanstack/react-query';
import { ExternalLink, Film, Image, Trash2 } from 'lucide-react';
import { Link } from 'react-router';
import type { Share } from '../../api/generated/api/index.ts';
import { sharesOptions, useDeleteShare } from '../../api/shares.ts';
import { formatCount, formatDate, formatTime } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';

const icons = { video: Film, image: Image };

/** All public links of the workspace: copy, open, revoke. */
export function SharesPanel() {
  const shares = useQuery(sharesOptions);
  return (
    <Panel
      title="Shared links"
      description="Each of these links shows what it leads to without signing in. A link ends when it expires, when it is revoked, and while its item is in the trash."
    >
      <PanelList
        list={shares}
        label="Shared links"
        empty="Nothing is shared. Share an item on its page, or a moment from a search result."
      >
        {(share) => <ShareRow key={share.id} share={share} />}
      </PanelList>
    </Panel>
  );
}

function ShareRow({ share }: { share: Share }) {
  const { id, url, media_id, filename, title, created_by, created_at, expires_at, views, start, end } = share;
  const revoke = useDeleteShare();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 sm:flex-nowrap">
      <Thumbnail share={share} />
      <div className="min-w-0 flex-1">
        <p className="flex gap-2 font-medium">
          <Link to={paths.media(media_id, start === null ? {} : { t: start })} className="truncate hover:underline">
            {title ?? filename}
          </Link>
          {start === null || end === null ? null : (
            <span className="shrink-0 font-normal text-quiet tabular-nums">
              {formatTime(start, true)} – {formatTime(end, true)}
            </span>
          )}
        </p>
        <p className="text-xs leading-relaxed text-quiet tabular-nums">
          {title === null ? null : `${filename} · `}
          Created {formatDate(created_at)} {created_by === null ? 'by a script' : `by ${created_by}`} · Expires{' '}
          {formatDate(expires_at)} · {formatCount(views)} {views === 1 ? 'view' : 'views'}
        </p>
      </div>
      <div className="ml-auto flex items-center max-sm:basis-full max-sm:justify-end">
        <CopyButton text={url} label={`Copy link to ${title ?? filename}`} />
        <Button asChild variant="quiet" size="icon">
          <a href={url} target="_blank" rel="noreferrer" aria-label={`Open link to ${title ?? filename}`} title="Open">
            <ExternalLink aria-hidden />
          </a>
        </Button>
        <ConfirmDialog
          trigger={
            <IconButton
              icon={Trash2}
              label={`Revoke link to ${title ?? filename}`}
              title="Revoke"
              disabled={revoke.isPending}
            />
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

function Thumbnail({ share: { thumbnail, type } }: { share: Share }) {
  const Icon = icons[type];
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
