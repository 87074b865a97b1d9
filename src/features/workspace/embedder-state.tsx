import { Check, type LucideIcon, Minus } from 'lucide-react';
import type { Workspace } from '../../api/generated/api/index.ts';
import { formatBytes, formatCount } from '../../lib/format.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';

type Kind = Workspace['embedder']['kind'];

/** What an embedder of each kind can and cannot do, and the commands that lead to one that can more. */
const abilities: Record<Kind, { can: string; cannot: string; more?: { what: string; commands: string[] } }> = {
  builtin: {
    can: 'Finds everyday things, people, animals, vehicles, sports, places and actions, colours and light, with nothing downloaded.',
    cannot:
      'Reads no language but English, no text in images and no names of people, and knows rare things and fine detail less well than a downloaded model.',
    more: {
      what: 'To use a model that knows more, run this on the service’s machine and restart the service:',
      commands: ['model pull siglip-base-patch16-224', 'model use siglip-base-patch16-224'],
    },
  },
  descriptors: {
    can: 'Finds colours and where they are, light, texture and motion.',
    cannot: 'Recognises no things: “dog” finds texts and file names only.',
    more: {
      what: 'To find things as well, run this on the service’s machine and restart the service:',
      commands: ['model use builtin'],
    },
  },
  semantic: {
    can: 'Finds what people mean: things, people, places, actions and how they look.',
    cannot: 'Counts badly, and hardly tells left from right or who does what to whom.',
  },
};

/** Which embedder answers, what it can and cannot do, and the change to another one. */
export function EmbedderState({ embedder }: { embedder: Workspace['embedder'] }) {
  const { id, kind, dimensions, reindexing, target, download, problem } = embedder;
  const { can, cannot, more } = abilities[kind];
  return (
    <div className="space-y-3">
      <p>
        <code className="break-all">{id}</code>
        <span className="text-quiet"> · {formatCount(dimensions)} dimensions</span>
      </p>
      {problem ? (
        <p role="alert" className="rounded-control bg-danger-soft px-3 py-2.5 leading-relaxed text-danger">
          {problem} {target.startsWith('descriptors@') ? 'The descriptors are' : 'The built-in embedder is'} used
          instead.
        </p>
      ) : null}
      {download ? (
        <div>
          <p className="mb-2 tabular-nums">
            Fetching {download.model}: {formatBytes(download.done)} of {formatBytes(download.total)}
          </p>
          <ProgressBar fraction={download.done / Math.max(1, download.total)} label={`Downloading ${download.model}`} />
        </div>
      ) : null}
      {reindexing ? (
        <div>
          <p className="mb-2 tabular-nums">
            Re-embedding with <code className="break-all">{target}</code>: {formatCount(reindexing.done)} of{' '}
            {formatCount(reindexing.total)} items. Searches use the current embedder until then.
          </p>
          <ProgressBar fraction={reindexing.done / Math.max(1, reindexing.total)} label="Re-embedding" />
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
      {more && target === id && !download ? (
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
