import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { setPathMappings } from '../../api/generated/api/index.ts';
import { type PathMapping, pathMappingsOptions } from '../../api/sources.ts';
import { describeError } from '../../lib/describe-error.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Panel, PanelSkeleton } from '../../ui/panel.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';

const description =
  'Other machines have the same files under other paths. “Copy path” and cut lists name them as the machine does, so that editing programs open them without relinking.';

/** How other machines name the folders of sources. @param owner whether this person may change it */
export function PathMappingsPanel({ owner }: { owner: boolean }) {
  const { data, error, refetch } = useQuery(pathMappingsOptions);
  return (
    <Panel title="Path mappings" description={description}>
      {error && !data ? <QueryFailure error={error} onRetry={() => void refetch()} /> : null}
      {data ? owner ? <Editor stored={data} /> : <Listed mappings={data} /> : error ? null : <PanelSkeleton rows={2} />}
    </Panel>
  );
}

/** What members see. */
const Listed = ({ mappings }: { mappings: readonly PathMapping[] }) =>
  mappings.length === 0 ? (
    <p className="py-3 text-quiet">No mappings. Owners of the workspace add them.</p>
  ) : (
    <ul aria-label="Path mappings" className="divide-y divide-line">
      {mappings.map(({ name, from, to }) => (
        <li key={`${name} ${from}`} className="py-2.5">
          <p className="font-medium">{name}</p>
          <p className="text-xs wrap-anywhere text-quiet">
            <code>{from}</code> is <code>{to}</code>
          </p>
        </li>
      ))}
    </ul>
  );

type Row = PathMapping & { key: number };

const examples = [
  { name: 'macOS', from: '/mnt/nas', to: '/Volumes/NAS' },
  { name: 'Windows', from: '/mnt/nas', to: 'Z:\\' },
];

/** Rows to fill in, which are stored together. */
function Editor({ stored }: { stored: readonly PathMapping[] }) {
  const [rows, setRows] = useState<readonly Row[]>(() => stored.map((mapping, key) => ({ ...mapping, key })));
  const save = useMutation({
    meta: { errorShown: true, reload: [pathMappingsOptions.queryKey], done: 'Path mappings saved.' },
    mutationFn: () =>
      setPathMappings({
        body: { mappings: rows.map(({ name, from, to }) => ({ name: name.trim(), from: from.trim(), to: to.trim() })) },
      }),
  });
  const add = () => setRows([...rows, { name: '', from: '', to: '', key: (rows.at(-1)?.key ?? 0) + 1 }]);
  const change = (key: number, part: Partial<PathMapping>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const isChanged = JSON.stringify(rows.map(toMapping)) !== JSON.stringify(stored.map(toMapping));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {rows.length === 0 ? (
        <p className="py-2 leading-relaxed text-quiet">
          For example <code>/mnt/nas</code> of the server is <code>/Volumes/NAS</code> on Macs and <code>Z:\</code> on
          Windows.
        </p>
      ) : (
        <ul aria-label="Path mappings" className="space-y-3 py-1">
          {rows.map((row, i) => (
            <MappingRow
              key={row.key}
              row={row}
              number={i + 1}
              onChange={(part) => change(row.key, part)}
              onRemove={() => setRows(rows.filter(({ key }) => key !== row.key))}
            />
          ))}
        </ul>
      )}
      {save.error ? (
        <p role="alert" className="mt-2 rounded-control bg-danger-soft px-3 py-2 text-danger">
          {describeError(save.error)}
        </p>
      ) : null}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={add}>
          <Plus aria-hidden />
          Add mapping
        </Button>
        {isChanged ? (
          <Button type="submit" variant="primary" disabled={save.isPending}>
            Save
          </Button>
        ) : null}
      </div>
    </form>
  );
}

const toMapping = ({ name, from, to }: PathMapping) => [name, from, to];

function MappingRow({
  row,
  number,
  onChange,
  onRemove,
}: {
  row: Row;
  number: number;
  onChange: (part: Partial<PathMapping>) => void;
  onRemove: () => void;
}) {
  const example = examples[(number - 1) % examples.length];
  const field = (part: keyof PathMapping, label: string) => (
    <Field
      label={label}
      about={`${label} ${number}`}
      value={row[part]}
      placeholder={example?.[part] ?? ''}
      maxLength={part === 'name' ? 100 : 1000}
      onChange={(text) => onChange({ [part]: text })}
    />
  );
  return (
    <li className="flex items-end gap-2 max-sm:rounded-control max-sm:border max-sm:border-line max-sm:p-3">
      <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[minmax(6rem,1fr)_2fr_2fr]">
        {field('name', 'Machine')}
        {field('from', 'Path on the server')}
        {field('to', 'Path there')}
      </div>
      <IconButton icon={X} label={`Remove mapping ${number}`} onClick={onRemove} />
    </li>
  );
}

function Field({
  label,
  about,
  value,
  placeholder,
  maxLength,
  onChange,
}: {
  label: string;
  /** Its name for those who listen: which of several it is. */
  about: string;
  value: string;
  placeholder: string;
  maxLength: number;
  onChange: (text: string) => void;
}) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="text-label text-quiet">
        {label}
      </label>
      <input
        id={id}
        aria-label={about}
        value={value}
        placeholder={placeholder}
        maxLength={maxLength}
        required
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
        className="mt-1 h-9 w-full rounded-control border border-line bg-canvas px-2.5 pointer-coarse:h-11"
      />
    </div>
  );
}
