import { useQuery } from '@tanstack/react-query';
import { categoriesOptions, creatorsOptions } from '../../api/settings.ts';
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
  const creators = useQuery(creatorsOptions).data ?? [];
  const categories = useQuery(categoriesOptions).data ?? [];
  const options = (any: string, labels: { id: string; name: string }[]) => [
    { value: '', text: any },
    ...labels.map(({ id, name }) => ({ value: id, text: name })),
  ];
  return (
    <>
      {creators.length > 0 ? (
        <Select
          hideLabel
          label="Creator"
          value={creator ?? ''}
          options={options('Any creator', creators)}
          onChange={(id) => onChange('creator', id)}
          className="shrink-0"
        />
      ) : null}
      {categories.length > 0 ? (
        <Select
          hideLabel
          label="Category"
          value={category ?? ''}
          options={options('Any category', categories)}
          onChange={(id) => onChange('category', id)}
          className="shrink-0"
        />
      ) : null}
    </>
  );
}
