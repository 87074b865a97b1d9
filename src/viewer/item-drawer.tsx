import { Suspense } from 'react';
import type { MediaItem } from '../api/generated/api/index.ts';
import { lazyPart } from '../api/parts.ts';
import { UsedIn } from '../features/copies/used-in.tsx';
import { ItemGroups } from '../features/groups/item-groups.tsx';
import { FindInside } from '../features/item/find-inside.tsx';
import { ItemDetails } from '../features/item/item-details.tsx';
import { StackStrip } from '../features/item/stack-strip.tsx';
import { RetryButton } from '../features/library/item-actions.tsx';
import { LabelEditor } from '../features/library/label-editor.tsx';
import { StatusBadge } from '../features/library/status-badge.tsx';
import { UnstackButton } from '../features/library/unstack-button.tsx';
import { SceneList } from '../features/player/scene-list.tsx';
import { SearchInMenu } from '../features/search/search-in-menu.tsx';
import { ItemLocation } from '../features/sources/item-location.tsx';
import { type DrawerTab, InfoDrawer } from '../features/viewer/info-drawer.tsx';
import { PanelSkeleton } from '../ui/panel.tsx';
import { TextMatch } from '../ui/text-match.tsx';
import type { ItemState } from './use-item-state.ts';

const TranscriptPanel = lazyPart(
  async () => (await import('../features/transcript/transcript-panel.tsx')).TranscriptPanel,
);
const CommentsPanel = lazyPart(async () => (await import('../features/review/comments-panel.tsx')).CommentsPanel);
const PhotoTexts = lazyPart(async () => (await import('../features/transcript/photo-texts.tsx')).PhotoTexts);

type DrawerProps = { item: MediaItem; state: ItemState };

/** The details of an item, its texts, and what is found in it. */
export const ItemDrawer = ({ item, state, onClose }: DrawerProps & { onClose: () => void }) => (
  <InfoDrawer tabs={tabsOf({ item, state })} onClose={onClose} />
);

function tabsOf({ item, state }: DrawerProps): DrawerTab[] {
  const info = { id: 'info', label: 'Info', content: <Info key={item.id} item={item} /> };
  if (item.status !== 'complete') return [info];
  const comments = { id: 'comments', label: 'Comments', content: <Comments key={item.id} item={item} state={state} /> };
  if (item.type === 'image') {
    return [
      info,
      comments,
      { id: 'texts', label: 'Text', content: <PhotoText key={item.id} item={item} state={state} /> },
      ...(state.query.q === '' ? [] : [{ id: 'found', label: 'Found', content: <Matches state={state} /> }]),
    ];
  }
  return [
    info,
    comments,
    { id: 'texts', label: 'Transcript', content: <Transcript key={item.id} item={item} state={state} /> },
    { id: 'found', label: 'Find', content: <Found key={item.id} state={state} /> },
    ...(state.chunks.length < 2
      ? []
      : [
          {
            id: 'scenes',
            label: 'Scenes',
            content: (
              <SceneList
                chunks={state.chunks}
                clock={state.clock}
                onJump={(time) => state.player.current?.seek(time)}
              />
            ),
          },
        ]),
  ];
}

const Info = ({ item }: { item: MediaItem }) => (
  <ItemDetails item={item} badge={<StatusBadge item={item} />}>
    <StackStrip item={item}>
      <UnstackButton item={item} />
    </StackStrip>
    <LabelEditor item={item} />
    <div className="mt-4 border-t border-line pt-4">
      <ItemGroups item={item} />
    </div>
    {item.source ? (
      <div className="mt-4 border-t border-line pt-4">
        <ItemLocation source={item.source} />
      </div>
    ) : null}
    <UsedIn item={item} />
  </ItemDetails>
);

const Comments = ({ item, state: { review, clock, player } }: DrawerProps) => (
  <Suspense fallback={<PanelSkeleton />}>
    <CommentsPanel
      item={item}
      review={review}
      {...(item.type !== 'image' ? { clock, onSeek: (time: number) => player.current?.seek(time) } : {})}
    />
  </Suspense>
);

const Transcript = ({ item, state: { player, clock, show } }: DrawerProps) => (
  <Suspense fallback={<PanelSkeleton />}>
    <TranscriptPanel
      item={item}
      clock={clock}
      onPlay={(time) => player.current?.playFrom(time)}
      onShowText={(text) => {
        show(text);
        player.current?.playFrom(text.start);
      }}
      retry={<RetryButton item={item} />}
    />
  </Suspense>
);

const PhotoText = ({ item, state }: DrawerProps) => (
  <Suspense fallback={<PanelSkeleton />}>
    <PhotoTexts item={item} retry={<RetryButton item={item} />} onShow={state.show} />
  </Suspense>
);

const Found = ({ state: { query, setQuery, hits, player } }: { state: ItemState }) => (
  <FindInside
    query={query}
    hits={hits}
    places={<SearchInMenu searchedIn={query.in} onChange={(places) => setQuery({ in: places })} />}
    onSearch={setQuery}
    onJump={(time) => player.current?.seek(time)}
  />
);

/** The texts of a photograph that answer the words. */
const Matches = ({ state: { matches, show, hits } }: { state: ItemState }) =>
  matches.length === 0 ? (
    <p className="text-quiet">{hits.isPending ? 'Looking…' : 'It was found by what it shows, not by a text.'}</p>
  ) : (
    <ul aria-label="Texts that match" className="space-y-1">
      {matches.map((match, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- the texts of a hit never change places
        <li key={i}>
          <TextMatch match={match} type="image" onShow={() => show(match)} />
        </li>
      ))}
    </ul>
  );
