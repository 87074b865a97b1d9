import { ArrowUpDown } from 'lucide-react';
import { orders, type SortName } from '../../../contract/fields.ts';
import { MenuButton } from './menu-button.tsx';

/** The order of a list, by its name; on a phone an icon. */
export function SortMenu({ value, onChange }: { value: SortName; onChange: (value: SortName) => void }) {
  const text = orders.find((order) => order.value === value)?.text ?? '';
  return (
    <MenuButton
      label={`Sort: ${text}`}
      icon={ArrowUpDown}
      text={text}
      entries={[
        {
          kind: 'choice',
          label: 'Sort',
          value,
          options: orders,
          onChange: (chosen) => onChange(chosen as SortName),
        },
      ]}
    />
  );
}
