import { Ellipsis, Images, ScanSearch } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { formatCount } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { menuLooks } from '../../ui/menu-item.ts';
import type { ShownHit } from './shown-hit.ts';

/** What can be done with a hit without opening it. It shows under the pointer and with the focus; a finger always sees it. */
export const TileMenu = ({
  hit,
  similar,
  onUnfold,
  renderEntries,
}: {
  hit: ShownHit;
  /** How many near-duplicates it stands for. */
  similar: number;
  onUnfold: (() => void) | null;
  renderEntries: (hit: ShownHit, className: string) => ReactNode;
}) => (
  <DropdownMenu.Root>
    <DropdownMenu.Trigger
      aria-label={`More for ${hit.filename}`}
      className="absolute top-1.5 right-11 grid size-8 place-items-center rounded-full bg-black/60 text-white opacity-0 transition-opacity duration-quick group-hover/card:opacity-100 hover:bg-black/80 focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:top-0 pointer-coarse:right-0 pointer-coarse:size-11 pointer-coarse:bg-transparent pointer-coarse:opacity-100 pointer-coarse:drop-shadow-[0_0_3px_rgb(0_0_0/0.9)]"
    >
      <Ellipsis className="size-4.5" aria-hidden />
    </DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align="end"
        sideOffset={4}
        collisionPadding={12}
        className="z-50 w-56 rounded-card border border-line bg-surface p-1 shadow-float"
      >
        <DropdownMenu.Item asChild className={menuLooks.item}>
          <Link to={paths.searchLike(hit.id, { chunk: hit.chunk_id })}>
            <ScanSearch className="size-4 text-quiet" aria-hidden />
            Find similar
          </Link>
        </DropdownMenu.Item>
        {similar > 0 && onUnfold ? (
          <DropdownMenu.Item className={menuLooks.item} onSelect={onUnfold}>
            <Images className="size-4 text-quiet" aria-hidden />
            Show {formatCount(similar)} similar
          </DropdownMenu.Item>
        ) : null}
        {renderEntries(hit, menuLooks.item)}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);
