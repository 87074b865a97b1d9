import type { MediaType } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';

const types: { value: MediaType | undefined; text: string }[] = [
  { value: undefined, text: 'All' },
  { value: 'video', text: 'Videos' },
  { value: 'image', text: 'Images' },
];

/** The media type named in an address, or undefined for all. */
export const readType = (search: URLSearchParams): MediaType | undefined =>
  types.find(({ value }) => value !== undefined && value === search.get('type'))?.value;

export function TypeChoice({
  value,
  onChange,
}: {
  value: MediaType | undefined;
  onChange: (type: MediaType | undefined) => void;
}) {
  return <Choice label="Type" value={value} options={types} onChange={onChange} />;
}
