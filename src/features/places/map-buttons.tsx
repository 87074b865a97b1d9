import { Maximize, Minus, Plus, SquareDashedMousePointer } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';

/** What dragging does, and zoom. */
export const MapButtons = ({
  selecting,
  onSelecting,
  onZoom,
  onShowAll,
}: {
  selecting: boolean;
  onSelecting: (selecting: boolean) => void;
  onZoom: (steps: 1 | -1) => void;
  onShowAll: () => void;
}) => (
  <div className="absolute top-2.5 right-2.5 z-[650] flex flex-wrap justify-end gap-2">
    <Button
      size="small"
      variant={selecting ? 'pressed' : 'secondary'}
      aria-pressed={selecting}
      onClick={() => onSelecting(!selecting)}
    >
      <SquareDashedMousePointer aria-hidden />
      Select area
    </Button>
    <div className="flex items-center rounded-control bg-surface inset-ring-1 inset-ring-line">
      <IconButton icon={Plus} label="Zoom in" size="smallIcon" onClick={() => onZoom(1)} />
      <IconButton icon={Minus} label="Zoom out" size="smallIcon" onClick={() => onZoom(-1)} />
      <IconButton icon={Maximize} label="Fit all" size="smallIcon" onClick={onShowAll} />
    </div>
  </div>
);
