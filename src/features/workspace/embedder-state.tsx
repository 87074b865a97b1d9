import { Check, type LucideIcon, Minus } from 'lucide-react';
import type { Workspace } from '../../api/generated/api/index.ts';
import { useDeveloperMode } from '../../lib/developer-mode.ts';
import { formatBytes, formatCount } from '../../lib/format.ts';
import { modelName } from '../../lib/model-name.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';

type Kind = Workspace['embedder']['kind'];

/** What an embedder of each kind can and cannot do, and the commands that lead to one that can more. */
const abilities: Record<
  Kind,
  { can: string; cannot: string; more?: { what: string; commands: string[] }; untested?: string }
> = {
  builtin: {
    can: 'Finds everyday objects, people, animals, vehicles, sports, places and actions, colours and light, without any download.',
    cannot:
      'Understands English only, recognises no people by name, and knows rare objects and fine details less well than a downloaded model.',
    more: {
      what: 'To use a model that knows more, run this on the server and restart it:',
      commands: ['model pull siglip-base-patch16-224', 'model use siglip-base-patch16-224'],
    },
  },
  descriptors: {
    can: 'Finds colours and where they are, light, texture and motion.',
    cannot: 'Does not recognise objects: “dog” is found in text and file names only.',
    more: {
      what: 'To find objects as well, run this on the server and restart it:',
      commands: ['model use builtin'],
    },
  },
  semantic: {
    can: 'Finds what people mean: objects, people, places, actions and how they look.',
    cannot: 'Cannot count well, and often confuses left and right or who does what to whom.',
    untested:
      'Weights that were downloaded or copied are no part of the tests of this release: they ran tiny models of the same form.',
  },
};

/** What searches understand, and the change to another model; in developer mode, which model it is and how to change it. */
export function EmbedderState({ embedder }: { embedder: Workspace['embedder'] }) {
  const { id, kind, dimensions, reindexing, target, download, problem } = embedder;
  const { can, cannot, more, untested } = abilities[kind];
  const [developer] = useDeveloperMode();
  return (
    <div className="space-y-3">
      <p>
        <span className="inline-block font-medium first-letter:uppercase">{modelName(id)}</span>
        {developer ? (
          <span className="text-quiet">
            {' '}
            · <code className="break-all">{id}</code> · {formatCount(dimensions)} dimensions
          </span>
        ) : null}
      </p>
      {problem ? (
        <p role="alert" className="rounded-control bg-danger-soft px-3 py-2.5 leading-relaxed text-danger">
          {problem} The {modelName(target)} is used instead.
        </p>
      ) : null}
      {download ? (
        <div>
          <p className="mb-2 tabular-nums">
            Downloading {modelName(download.model)}: {formatBytes(download.done)} of {formatBytes(download.total)}
          </p>
          <ProgressBar fraction={download.done / Math.max(1, download.total)} label={`Downloading ${download.model}`} />
        </div>
      ) : null}
      {reindexing ? (
        <div>
          <p className="mb-2 tabular-nums">
            Switching to {modelName(target)}: {formatCount(reindexing.done)} of {formatCount(reindexing.total)} items.
            Searches use the current model until then.
          </p>
          <ProgressBar fraction={reindexing.done / Math.max(1, reindexing.total)} label="Switching models" />
        </div>
      ) : null}
      <ul className="space-y-2 leading-relaxed">
        <Ability icon={Check} className="text-good">
          {can}
        </Ability>
        <Ability icon={Minus} className="text-quiet">
          {cannot}
        </Ability>
      </ul>
      {developer && untested ? <p className="leading-relaxed text-quiet">{untested}</p> : null}
      {developer && more && target === id && !download ? (
        <div className="rounded-control bg-raised px-3 py-2.5 leading-relaxed text-quiet">
          <p>{more.what}</p>
          <pre className="mt-1.5 overflow-x-auto text-xs leading-5 text-ink">
            <code>{more.commands.map((command) => `npm run --silent admin -- ${command}`).join('\n')}</code>
          </pre>
        </div>
      ) : null}
    </div>
  );
}

const Ability = ({ icon: Icon, className, children }: { icon: LucideIcon; className: string; children: string }) => (
  <li className="flex gap-2">
    <Icon className={`mt-1 size-4 shrink-0 ${className}`} aria-hidden />
    {children}
  </li>
);
