import { BoxSelect, Maximize, Minus, Move, Plus } from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
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
    <div className="flex items-center rounded-control bg-surface inset-ring-1 inset-ring-line">
      <IconButton icon={Plus} label="Zoom in" size="smallIcon" onClick={() => onZoom('in')} />
      <IconButton icon={Minus} label="Zoom out" size="smallIcon" onClick={() => onZoom('out')} />
      <IconButton icon={Maximize} label="Fit all" size="smallIcon" onClick={onShowAll} />
    </div>
  </div>
);
