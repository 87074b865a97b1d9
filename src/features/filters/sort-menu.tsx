import { ArrowUpDown } from 'lucide-react';
import { orders } from '../../../contract/fields.ts';
import type { MediaSort } from '../../api/queries.ts';
import { MenuButton } from './menu-button.tsx';

/** The order that people gave a collection. */
const ofCollection = { value: 'position', text: 'Collection order' } as const;

/**
 * The order of a list, by its name; on a phone an icon.
 * @param within whether one collection is shown, which has an order of its own
 */
export function SortMenu({
  value,
  within,
  onChange,
}: {
  value: MediaSort;
  within: boolean;
  onChange: (value: MediaSort) => void;
}) {
  const options = within ? [ofCollection, ...orders] : orders;
  const text = options.find((order) => order.value === value)?.text ?? '';
  return (
    <MenuButton
      label={`Sort: ${text}`}
      icon={ArrowUpDown}
      text={text}
      entries={[{ kind: 'choice', label: 'Sort', value, options, onChange: (chosen) => onChange(chosen as MediaSort) }]}
    />
  );
}
