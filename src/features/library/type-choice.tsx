import type { MediaType } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { mediaTypes } from './library-search.ts';

/** A choice of all media, videos or images. */
export function TypeChoice({
  value,
  onChange,
}: {
  value: MediaType | undefined;
  onChange: (type: MediaType | undefined) => void;
}) {
  return <Choice label="Type" value={value} options={mediaTypes} onChange={onChange} />;
}
