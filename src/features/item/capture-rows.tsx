import { MapPin } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatTaken } from '../../lib/taken.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

/** When, where and with what an item was recorded, as rows of its details; what its file does not say is left out. */
export function CaptureRows({ item: { taken_at: takenAt, capture } }: { item: MediaItem }) {
  if (!capture) return null;
  const { zone, camera, place, latitude, longitude } = capture;
  return (
    <>
      {takenAt ? (
        <Row name="Taken">
          <time dateTime={takenAt}>{formatTaken(takenAt, zone)}</time>
          <span className="block text-xs text-quiet">
            {capture.text} · {zone === null ? 'time zone unknown' : `UTC${zone === '+00:00' ? '' : zone}`}
          </span>
          <span className="block text-xs text-quiet">{capture.source}</span>
        </Row>
      ) : null}
      {camera ? <Row name="Camera">{camera}</Row> : null}
      {place ? <Row name="Place">{place}</Row> : null}
      {latitude === null || longitude === null ? null : (
        <Row name="Position">
          <Position latitude={latitude} longitude={longitude} />
        </Row>
      )}
    </>
  );
}

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents">
    <dt className="text-quiet">{name}</dt>
    <dd className="text-right break-words tabular-nums">{children}</dd>
  </div>
);

/** Digits behind the point: a step of 11 m, better than the receivers of cameras. */
const digits = 4;
/** Streets and their names can be read. */
const mapZoom = 15;

/** A position to copy, and to see on a map once somebody asks for that: nobody else learns of it before. */
function Position({ latitude, longitude }: { latitude: number; longitude: number }) {
  const text = `${latitude.toFixed(digits)}, ${longitude.toFixed(digits)}`;
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${mapZoom}/${latitude}/${longitude}`;
  return (
    <span className="-my-2 inline-flex items-center">
      {text}
      <CopyButton text={text} label="Copy position" />
      <Button asChild variant="quiet" size="icon" className="-mr-2.5">
        <a href={map} target="_blank" rel="noreferrer" aria-label="Show on OpenStreetMap" title="Show on OpenStreetMap">
          <MapPin aria-hidden />
        </a>
      </Button>
    </span>
  );
}
