import {
  ArrowLeft,
  Download,
  GalleryHorizontalEnd,
  Info,
  Maximize,
  Pencil,
  ScanSearch,
  Scissors,
  Share2,
  Terminal,
  Trash2,
} from 'lucide-react';
import { type MouseEvent, useRef, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import type { MediaItem } from '../api/generated/api/index.ts';
import { ItemTitle } from '../features/item/item-title.tsx';
import { useDeleteItem } from '../features/library/item-actions.tsx';
import { ItemStars } from '../features/library/item-stars.tsx';
import { SlideshowMenu } from '../features/viewer/slideshow-menu.tsx';
import { useFullscreen } from '../lib/fullscreen.ts';
import { readMoment } from '../lib/timecode.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { toast } from '../ui/toast.ts';
import { touchSize, type ViewerAction, ViewerBar } from '../ui/viewer-bar.tsx';
import { type ItemDialog, ItemDialogs } from './item-dialogs.tsx';

type BarProps = {
  item: MediaItem;
  /** Where the way back leads, and what goes there. */
  from: string;
  onClose: () => void;
  place: string | undefined;
  drawer: { isOpen: boolean; toggle: () => void };
  strip: { isShown: boolean; toggle: () => void } | null;
  onSlideshow: (() => void) | null;
  /** Goes on when it was deleted. */
  leave: () => Promise<void> | void;
};

/** The way back, the name of an item, and what can be done with it. */
export function ItemBar({ item, from, onClose, place, drawer, strip, onSlideshow, leave }: BarProps) {
  const [isRenaming, setRenaming] = useState(false);
  const [open, setOpen] = useState<ItemDialog | null>(null);
  const [search] = useSearchParams();
  const more = useRef<HTMLButtonElement>(null);
  const deletion = useDeleteItem(item, leave);
  const endRenaming = () => {
    setRenaming(false);
    more.current?.focus();
  };
  const actions = useActions(item, { drawer, strip, open: setOpen, rename: () => setRenaming(true), deletion });
  return (
    <>
      <PageTitle>{item.filename}</PageTitle>
      <ViewerBar
        back={<BackLink from={from} onClose={onClose} />}
        title={<ItemTitle key={item.id} item={item} isRenaming={isRenaming} onRenamed={endRenaming} />}
        place={isRenaming ? undefined : place}
        actions={actions}
        menuButton={more}
        menu={onSlideshow ? <SlideshowMenu onStart={onSlideshow} /> : null}
      >
        {isRenaming ? null : <ItemStars item={item} />}
      </ViewerBar>
      <ItemDialogs item={item} open={open} moment={readMoment(search.get('t'))} onClose={() => setOpen(null)} />
      {deletion.question}
    </>
  );
}

type Doing = {
  drawer: BarProps['drawer'];
  strip: BarProps['strip'];
  open: (dialog: ItemDialog) => void;
  rename: () => void;
  deletion: ReturnType<typeof useDeleteItem>;
};

function useActions(item: MediaItem, { drawer, strip, open, rename, deletion }: Doing): ViewerAction[] {
  const navigate = useNavigate();
  const [isFull, toggleFullscreen] = useFullscreen();
  const isComplete = item.status === 'complete';
  const whole: ViewerAction[] = isComplete
    ? [
        { label: 'Share', icon: Share2, bar: 'always', onSelect: () => open('share') },
        { label: 'Export', icon: Scissors, bar: 'wide', onSelect: () => exportItem(open) },
      ]
    : [];
  return [
    ...whole,
    { label: 'Download', icon: Download, bar: 'wide', ...downloadOf(item) },
    { label: 'Delete', icon: Trash2, bar: 'wide', disabled: deletion.busy, onSelect: deletion.start },
    { label: 'Details', icon: Info, keys: 'I', bar: 'always', pressed: drawer.isOpen, onSelect: drawer.toggle },
    { label: 'Rename', icon: Pencil, onSelect: rename },
    ...(isComplete
      ? [{ label: 'Find similar', icon: ScanSearch, onSelect: () => void navigate(paths.searchLike(item.id)) }]
      : []),
    ...(strip
      ? [
          {
            label: strip.isShown ? 'Hide the filmstrip' : 'Show the filmstrip',
            icon: GalleryHorizontalEnd,
            onSelect: strip.toggle,
          },
        ]
      : []),
    { label: isFull ? 'Exit full screen' : 'Full screen', icon: Maximize, keys: 'F', onSelect: toggleFullscreen },
    { label: 'View API request', icon: Terminal, onSelect: () => open('request') },
  ];
}

/** The file, or why it cannot be had at the moment. */
const downloadOf = ({ source, download_url: href }: MediaItem): Pick<ViewerAction, 'href' | 'onSelect'> =>
  source?.offline
    ? {
        onSelect: () =>
          toast.error('The original is offline', {
            description: `${source.name} is not to be reached at the moment. It can be downloaded once it is back.`,
          }),
      }
    : { href };

function exportItem(open: (dialog: ItemDialog) => void): void {
  // Two players at once are one too many.
  for (const video of document.querySelectorAll('video')) video.pause();
  open('export');
}

/** The way back, with an address to open in another tab. */
export function BackLink({ from, onClose }: { from: string; onClose: () => void }) {
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onClose();
  };
  return (
    <Button asChild variant="quiet" size="icon" className={touchSize}>
      <Link to={from} aria-label={describeWay(from)} title={`${describeWay(from)} (Esc)`} onClick={onClick}>
        <ArrowLeft aria-hidden />
      </Link>
    </Button>
  );
}

/** Where the way back leads. */
function describeWay(from: string): string {
  if (from.startsWith(paths.search)) return 'Back to the results';
  if (from.startsWith(paths.highlights)) return 'Back to the highlights';
  return /^\/(\?|$)/.test(from) ? 'Back to the library' : 'Back to the list';
}
