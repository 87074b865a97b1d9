import { BoxSelect, Maximize, Minus, Move, Plus } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';

/** What dragging does on a map. */
export type DragMode = 'move' | 'select';

/** What dragging does, and zoom. */
export const MapToolbar = ({
  mode,
  onMode,
  onZoom,
  onShowAll,
}: {
  mode: DragMode;
  onMode: (mode: DragMode) => void;
  onZoom: (direction: 'in' | 'out') => void;
  onShowAll: () => void;
}) => (
  <div className="absolute top-2.5 right-2.5 flex flex-wrap justify-end gap-2">
    <Choice
      label="Drag to"
      value={mode}
      options={[
        { value: 'move', text: 'Pan', icon: Move },
        { value: 'select', text: 'Select', icon: BoxSelect },
      ]}
      onChange={(value) => onMode(value ?? 'move')}
    />
    <div className="flex h-8 items-center rounded-control border border-line bg-surface">
      <Button variant="quiet" size="smallIcon" aria-label="Zoom in" onClick={() => onZoom('in')}>
        <Plus aria-hidden />
      </Button>
      <Button variant="quiet" size="smallIcon" aria-label="Zoom out" onClick={() => onZoom('out')}>
        <Minus aria-hidden />
      </Button>
      <Button variant="quiet" size="smallIcon" aria-label="Fit all" onClick={onShowAll}>
        <Maximize aria-hidden />
      </Button>
    </div>
  </div>
);
