import { ArrowUpDown } from 'lucide-react';
import { orders } from '../../../contract/fields.ts';
import type { MediaSort } from '../../api/queries.ts';
import type { MenuEntry } from '../../ui/popup-menu.tsx';
import { MenuButton } from './menu-button.tsx';

/** The order that people gave a collection. */
const ofCollection = { value: 'position', text: 'Collection order' } as const;

type Sort = {
  value: MediaSort;
  /** Whether one collection is shown, which has an order of its own. */
  within: boolean;
  onChange: (value: MediaSort) => void;
};

const optionsOf = (within: boolean) => (within ? [ofCollection, ...orders] : orders);

/** The choice of the order of a list, for a menu. */
export const sortEntry = ({ value, within, onChange }: Sort): MenuEntry => ({
  kind: 'choice',
  label: 'Sort',
  value,
  options: optionsOf(within),
  onChange: (chosen) => onChange(chosen as MediaSort),
});

/** The order of a list, by its name. */
export function SortMenu(sort: Sort) {
  const text = optionsOf(sort.within).find(({ value }) => value === sort.value)?.text ?? '';
  return <MenuButton label={`Sort: ${text}`} icon={ArrowUpDown} text={text} entries={[sortEntry(sort)]} />;
}
