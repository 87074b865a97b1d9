import type { RefObject } from 'react';
import type { FieldFilters } from '../../lib/filter-url.ts';
import { AnchoredPanel } from '../../ui/anchored-panel.tsx';
import { FieldEditor } from './field-editor.tsx';
import type { ChangeFilters } from './filter-bar.tsx';
import { useSources } from './use-sources.ts';

/** The values of a filter that is set, beside its chip. */
export function ChipEditor({
  anchor,
  of,
  search,
  onChange,
  onRemove,
  onClose,
}: {
  anchor: RefObject<HTMLElement | null>;
  of: FieldFilters;
  search: URLSearchParams;
  onChange: ChangeFilters;
  onRemove: () => void;
  onClose: () => void;
}) {
  const sources = useSources(search);
  return (
    <AnchoredPanel anchor={anchor} label={of.label} className="w-72" onClose={onClose}>
      <FieldEditor of={of} search={search} sources={sources} onChange={onChange} onRemove={onRemove} onDone={onClose} />
    </AnchoredPanel>
  );
}
