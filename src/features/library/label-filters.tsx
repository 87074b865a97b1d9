import { useLabelOptions } from '../../api/labels.ts';
import { Select } from '../../ui/select.tsx';

/** Choices of a creator and a category, each shown only where the workspace has some. */
export function LabelFilters({
  creator,
  category,
  onChange,
}: {
  creator: string | null;
  category: string | null;
  onChange: (name: 'creator' | 'category', id: string | undefined) => void;
}) {
  const { creators, categories } = useLabelOptions();
  return (
    <>
      {creators.length > 0 ? (
        <Select
          hideLabel
          label="Creator"
          value={creator ?? ''}
          options={[{ value: '', text: 'All creators' }, ...creators]}
          onChange={(id) => onChange('creator', id)}
          className="shrink-0"
        />
      ) : null}
      {categories.length > 0 ? (
        <Select
          hideLabel
          label="Category"
          value={category ?? ''}
          options={[{ value: '', text: 'All categories' }, ...categories]}
          onChange={(id) => onChange('category', id)}
          className="shrink-0"
        />
      ) : null}
    </>
  );
}
