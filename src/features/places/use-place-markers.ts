import { divIcon, type LatLngExpression, layerGroup, type Map as LeafletMap, marker } from 'leaflet';
import { useEffect, useEffectEvent } from 'react';
import type { PlaceGroup } from '../../api/generated/api/index.ts';
import { formatCount } from '../../lib/format.ts';

/** The side of a picture on the map, CSS pixels. */
const side = 48;

/** What a group is called: the place of its one item; of several that of the last, because they may be of many. Null where it has no name. */
export const nameOf = ({ place, count }: PlaceGroup): string | null =>
  place === null ? null : count === 1 ? place : `Around ${place}`;

const describe = (group: PlaceGroup): string =>
  `${nameOf(group) ?? 'A place without a name'}: ${group.count === 1 ? group.filename : `${formatCount(group.count)} items`}`;

/** Shows groups as pictures with their counts, which a click, Enter or a finger opens. */
export function usePlaceMarkers(
  map: LeafletMap | null,
  groups: readonly PlaceGroup[],
  onOpen: (group: PlaceGroup) => void,
): void {
  const opened = useEffectEvent(onOpen);
  useEffect(() => {
    if (!map) return undefined;
    const layer = layerGroup().addTo(map);
    for (const group of groups) {
      const at: LatLngExpression = [group.latitude, group.longitude];
      const made = marker(at, {
        icon: divIcon({ html: drawGroup(group), className: 'place-marker', iconSize: [side, side] }),
        title: describe(group),
        riseOnHover: true,
      });
      made.addTo(layer);
      made.getElement()?.setAttribute('aria-label', describe(group));
      made.on('click', () => opened(group));
      made.on('keydown', ({ originalEvent }) => {
        if (!['Enter', ' '].includes(originalEvent.key)) return;
        originalEvent.preventDefault();
        opened(group);
      });
    }
    return () => void layer.remove();
  }, [map, groups]);
}

/** The picture of a group, with its count. */
function drawGroup({ thumbnail, count }: PlaceGroup): HTMLElement {
  const element = document.createElement('span');
  element.className = 'place-picture';
  if (thumbnail !== null) {
    const image = document.createElement('img');
    image.alt = '';
    image.src = thumbnail;
    element.append(image);
  }
  if (count > 1) {
    const badge = document.createElement('span');
    badge.className = 'place-count';
    badge.textContent = formatCount(count);
    element.append(badge);
  }
  return element;
}
