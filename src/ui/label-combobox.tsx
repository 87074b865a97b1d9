import { clsx } from 'clsx';
import { Command } from 'cmdk';
import { Check, Plus } from 'lucide-react';
import { useState } from 'react';
import { formatCount } from '../lib/format.ts';

/** Something that items are labelled with. `count`: how many have it. */
export type LabelOption = { id: string; name: string; count?: number | undefined };

/** What labels of a kind are called, such as `tag` and `tags`. */
export type LabelNames = { one: string; many: string };

/** Most that are listed; typing finds the others. */
const maxListed = 50;

/** As the service compares names: case and the encoding of accents make no difference. */
const fold = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

/** Classes of an entry of a list that is searched by typing. */
export const commandItem =
  'flex h-9 cursor-pointer items-center gap-2 rounded-control px-2 pointer-coarse:h-11 data-[disabled=true]:opacity-50 data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent';

/** Classes of the field above such a list. */
export const commandInput =
  'h-11 w-full shrink-0 border-b border-line bg-transparent px-3 outline-none placeholder:text-quiet max-sm:text-base';

type LabelComboboxProps = {
  names: LabelNames;
  options: readonly LabelOption[];
  chosen: readonly string[];
  /** Creates what is typed; undefined where that cannot be. */
  create?: ((name: string) => Promise<LabelOption>) | undefined;
  /** The entry that stands for no label, where there is one. */
  none?: string | undefined;
  /** Whether they are being read. */
  loading?: boolean;
  onChoose: (label: LabelOption) => void;
  onNone?: () => void;
  onBackspace?: () => void;
};

/**
 * Labels to choose from: found by typing, or created from what is typed. Enter takes the marked one, the backspace key in the empty field
 * takes the last chosen one away. The field keeps the focus.
 */
export function LabelCombobox({
  names,
  options,
  chosen,
  create,
  none,
  loading = false,
  onChoose,
  onNone,
  onBackspace,
}: LabelComboboxProps) {
  const { one, many } = names;
  const [text, setText] = useState('');
  const creation = useCreation(create);
  const found = options.filter(({ name }) => fold(name).includes(fold(text)));
  const isNew = create && fold(text) !== '' && !options.some(({ name }) => fold(name) === fold(text));
  const change = (value: string) => {
    setText(value);
    creation.forget();
  };
  const choose = (label: LabelOption) => {
    change('');
    onChoose(label);
  };
  return (
    <Command label={`Find a ${one}`} shouldFilter={false} loop>
      <Command.Input
        value={text}
        onValueChange={change}
        maxLength={120}
        placeholder={create ? `Find or create a ${one}` : `Find a ${one}`}
        onKeyDown={({ key }) => (key === 'Backspace' && text === '' ? onBackspace?.() : undefined)}
        className={commandInput}
      />
      <Problem text={creation.problem} />
      <Command.List className="max-h-64 overflow-y-auto p-1.5 max-sm:max-h-none" label={many}>
        {none !== undefined && text === '' ? (
          <Entry label={{ id: 'none', name: none }} chosen={chosen.length === 0} onSelect={() => onNone?.()} />
        ) : null}
        {found.slice(0, maxListed).map((label) => (
          <Entry key={label.id} label={label} chosen={chosen.includes(label.id)} onSelect={() => choose(label)} />
        ))}
        {isNew ? (
          <CreateEntry
            name={text.trim()}
            disabled={creation.isPending}
            onSelect={() => void creation.start(text.trim(), choose)}
          />
        ) : null}
        {found.length === 0 && !isNew && !loading ? (
          <NoneFound names={names} any={options.length > 0} create={create !== undefined} />
        ) : null}
        <MoreFound count={found.length - maxListed} />
      </Command.List>
    </Command>
  );
}

const Entry = ({ label, chosen, onSelect }: { label: LabelOption; chosen: boolean; onSelect: () => void }) => (
  <Command.Item value={label.id} aria-checked={chosen} onSelect={onSelect} className={commandItem}>
    <Check className={clsx('size-4 shrink-0', !chosen && 'invisible')} aria-hidden />
    <span className="min-w-0 flex-1 truncate" title={label.name}>
      {label.name}
    </span>
    {label.count === undefined ? null : (
      <span className="text-xs text-quiet tabular-nums">{formatCount(label.count)}</span>
    )}
  </Command.Item>
);

const CreateEntry = ({ name, disabled, onSelect }: { name: string; disabled: boolean; onSelect: () => void }) => (
  <Command.Item value="create" disabled={disabled} onSelect={onSelect} className={commandItem}>
    <Plus className="size-4" aria-hidden />
    <span className="min-w-0 flex-1 truncate">Create “{name}”</span>
  </Command.Item>
);

const NoneFound = ({ names: { one, many }, any, create }: { names: LabelNames; any: boolean; create: boolean }) => (
  <p className="px-2 py-3 text-quiet">
    {any ? `No ${one} of this name.` : `There are no ${many} yet.${create ? ' Type a name to create one.' : ''}`}
  </p>
);

const MoreFound = ({ count }: { count: number }) =>
  count > 0 ? <p className="px-2 py-2 text-xs text-quiet">{formatCount(count)} more: type to find them.</p> : null;

const Problem = ({ text }: { text: string | null }) =>
  text === null ? null : (
    <p role="alert" className="border-b border-line bg-danger-soft px-3 py-2 text-label text-danger">
      {text}
    </p>
  );

/** Creates a label, and says in a sentence why that did not work. */
function useCreation(create: ((name: string) => Promise<LabelOption>) | undefined) {
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const start = async (name: string, onCreated: (label: LabelOption) => void) => {
    if (!create || isPending) return;
    setPending(true);
    setProblem(null);
    try {
      onCreated(await create(name));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setPending(false);
    }
  };
  return { isPending, problem, start, forget: () => setProblem(null) };
}
