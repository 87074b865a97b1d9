import { type GroupKind, useGroups } from '../../api/item-groups.ts';
import { Select } from '../../ui/select.tsx';

/**
 * Choices of a collection and a tag, each shown only where the workspace has some.
 * @param collection undefined where a page is about one
 */
export const GroupFilters = ({
  collection,
  tag,
  onChange,
}: {
  collection: string | null | undefined;
  tag: string | null;
  onChange: (name: 'collection' | 'tag', id: string | undefined) => void;
}) => (
  <>
    <GroupFilter kind="tags" label="Tag" any="Any tag" value={tag} onChange={(id) => onChange('tag', id)} />
    {collection === undefined ? null : (
      <GroupFilter
        kind="collections"
        label="Collection"
        any="Any collection"
        value={collection}
        onChange={(id) => onChange('collection', id)}
      />
    )}
  </>
);

function GroupFilter({
  kind,
  label,
  any,
  value,
  onChange,
}: {
  kind: GroupKind;
  label: string;
  any: string;
  value: string | null;
  onChange: (id: string) => void;
}) {
  const groups = useGroups(kind);
  if (groups.length === 0 && value === null) return null;
  // A link or a saved search may name one that is gone: then nothing is found, and this says why.
  const missing = value && !groups.some(({ id }) => id === value) ? [{ value, text: missingText(label, groups) }] : [];
  return (
    <Select
      hideLabel
      label={label}
      value={value ?? ''}
      options={[{ value: '', text: any }, ...missing, ...groups.map(({ id, name }) => ({ value: id, text: name }))]}
      onChange={onChange}
      // As wide as what is chosen: names may be long, and the row has many controls.
      className="shrink-0 [&>select]:field-sizing-content"
    />
  );
}

/** While they are being read none is known. */
const missingText = (label: string, groups: readonly unknown[]): string =>
  groups.length === 0 ? '…' : `Deleted ${label.toLowerCase()}`;
