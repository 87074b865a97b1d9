import 'leaflet/dist/leaflet.css';
import { geoJSON, type Map as LeafletMap, map as createMap, tileLayer } from 'leaflet';
import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import type { Box } from '../../../contract/positions.ts';
import { type MapView, maxZoom } from './map-area.ts';
import { worldOutline } from './world-outline.ts';

/** What is drawn under the pictures besides the outline of the world: a template with `{z}`, `{x}` and `{y}`. */
export type Tiles = { url: string; attribution: string };

/** What a map shows when nothing is on it: inhabited latitudes. */
const wholeWorld: Box = { south: -50, west: -170, north: 72, east: 180 };
/** A single position is shown with its country around it. */
const mostFitted = 10;

const readBox = (map: LeafletMap): Box => {
  const bounds = map.getBounds();
  return { south: bounds.getSouth(), west: bounds.getWest(), north: bounds.getNorth(), east: bounds.getEast() };
};

/**
 * A map in an element: the outlines of countries, and tiles where the service names some.
 * @param view what it shows at first; null: `fitted`, or the whole world
 * @param onMove it shows another part
 */
export function useLeafletMap(
  ref: RefObject<HTMLElement | null>,
  {
    view,
    fitted,
    tiles,
    onMove,
  }: { view: MapView | null; fitted: Box | null; tiles: Tiles | null; onMove: (view: MapView, box: Box) => void },
) {
  const [map, setMap] = useState<LeafletMap | null>(null);
  const [first] = useState({ view, fitted });
  const moved = useEffectEvent(onMove);

  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    // Its own buttons have names and sizes that nothing else on the page has.
    const made = createMap(element, {
      zoomControl: false,
      attributionControl: false,
      minZoom: 0,
      maxZoom,
      maxBounds: [
        [-88, -200],
        [88, 200],
      ],
      maxBoundsViscosity: 0.8,
    });
    geoJSON(worldOutline(), { interactive: false, style: { className: 'place-land', weight: 0.7 } }).addTo(made);
    const tell = () => {
      const { lat, lng } = made.getCenter();
      moved({ latitude: lat, longitude: lng, zoom: made.getZoom() }, readBox(made));
    };
    if (first.view) made.setView([first.view.latitude, first.view.longitude], first.view.zoom);
    else fit(made, first.fitted);
    made.on('moveend', tell);
    tell();
    const observer = new ResizeObserver(() => made.invalidateSize({ animate: false }));
    observer.observe(element);
    setMap(made);
    return () => {
      observer.disconnect();
      made.remove();
    };
  }, [ref, first]);

  const { url } = tiles ?? {};
  useEffect(() => {
    if (!map || url === undefined) return undefined;
    const layer = tileLayer(url, { noWrap: true, maxZoom });
    layer.addTo(map);
    return () => void layer.remove();
  }, [map, url]);

  return { map, showAll: () => map && fit(map, fitted) };
}

function fit(map: LeafletMap, box: Box | null): void {
  const { south, west, north, east } = box ?? wholeWorld;
  map.fitBounds(
    [
      [south, west],
      [north, east],
    ],
    { maxZoom: mostFitted, padding: [48, 48] },
  );
}
