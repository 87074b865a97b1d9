import './places.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Map as LeafletMap } from 'leaflet';
import { type RefObject, useRef, useState } from 'react';
import type { Box } from '../../../contract/positions.ts';
import type { PlaceGroup } from '../../api/generated/api/index.ts';
import { type MediaFilter, placesOptions } from '../../api/queries.ts';
import { around, type MapView, writeBox } from './map-area.ts';
import { MapButtons } from './map-buttons.tsx';
import { PlacePanel } from './place-panel.tsx';
import { type Corner, SelectArea } from './select-area.tsx';
import { type Tiles, useLeafletMap } from './use-leaflet-map.ts';
import { nameOf, usePlaceMarkers } from './use-place-markers.ts';

const noGroups: PlaceGroup[] = [];

/** An area whose items are shown, and what it is called. */
type Chosen = { box: Box; name: string | null };

type PlaceMapProps = {
  filter: MediaFilter;
  search: URLSearchParams;
  /** What holds all items of the filter. */
  located: Box | null;
  tiles: Tiles | null;
  /** What it shows at first; null: all of them. */
  view: MapView | null;
  onView: (view: MapView) => void;
};

/** A map of where items were recorded. A group opens a panel with its pictures; so does an area that is selected. */
export function PlaceMap({ filter, search, located, tiles, view, onView }: PlaceMapProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [isSelecting, setSelecting] = useState(false);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const { map, showAll } = useGroupedMap(ref, { filter, located, tiles, view, onView }, setChosen);
  const close = () => {
    setChosen(null);
    map?.getContainer().focus();
  };
  return (
    <div className="relative isolate h-[max(24rem,calc(100dvh-15rem))] overflow-hidden rounded-card border border-line max-sm:h-[max(22rem,calc(100dvh-17rem))]">
      <div
        ref={ref}
        role="application"
        aria-label="Map of where items were recorded. Arrow keys move it, plus and minus zoom, Tab goes to the pictures."
        data-tiles={tiles ? '' : undefined}
        className="place-map h-full"
      />
      {isSelecting && map ? (
        <SelectArea
          onSelect={(from, to) => {
            setSelecting(false);
            setChosen({ box: boxBetween(map, from, to), name: null });
          }}
        />
      ) : null}
      <MapButtons
        selecting={isSelecting}
        onSelecting={setSelecting}
        onZoom={(steps) => map?.setZoom(map.getZoom() + steps)}
        onShowAll={showAll}
      />
      {tiles?.attribution ? (
        <p className="absolute right-0 bottom-0 z-[650] bg-surface/85 px-1.5 py-0.5 text-xs text-quiet">
          {tiles.attribution}
        </p>
      ) : null}
      {chosen ? (
        <PlacePanel
          key={writeBox(chosen.box)}
          area={writeBox(chosen.box)}
          name={chosen.name}
          filter={filter}
          search={search}
          onZoom={() => map && zoomTo(map, chosen.box)}
          onClose={close}
        />
      ) : null}
    </div>
  );
}

/** The map with the groups of what it shows. */
function useGroupedMap(
  ref: RefObject<HTMLDivElement | null>,
  { filter, located, tiles, view, onView }: Omit<PlaceMapProps, 'search'>,
  onChoose: (chosen: Chosen) => void,
) {
  const [shown, setShown] = useState<{ zoom: number; view: string } | null>(null);
  const leaflet = useLeafletMap(ref, {
    view,
    fitted: located,
    tiles,
    onMove: (next, box) => {
      setShown({ zoom: next.zoom, view: writeBox(box) });
      onView(next);
    },
  });
  const { data } = useQuery({
    ...placesOptions(filter, shown ?? { zoom: 1 }),
    enabled: shown !== null,
    placeholderData: keepPreviousData,
  });
  usePlaceMarkers(leaflet.map, data?.data ?? noGroups, (group) =>
    onChoose({ box: around(group.box), name: nameOf(group) }),
  );
  return leaflet;
}

/** The area between two corners, CSS pixels from the upper left of the map. */
function boxBetween(map: LeafletMap, from: Corner, to: Corner): Box {
  const [a, b] = [map.containerPointToLatLng([from.x, from.y]), map.containerPointToLatLng([to.x, to.y])];
  return {
    south: Math.min(a.lat, b.lat),
    west: Math.min(a.lng, b.lng),
    north: Math.max(a.lat, b.lat),
    east: Math.max(a.lng, b.lng),
  };
}

const zoomTo = (map: LeafletMap, { south, west, north, east }: Box) =>
  map.fitBounds(
    [
      [south, west],
      [north, east],
    ],
    { padding: [64, 64] },
  );
