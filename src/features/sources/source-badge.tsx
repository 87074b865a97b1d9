import { clsx } from 'clsx';
import { CircleCheck, Clock, LoaderCircle, type LucideIcon, Pause, TriangleAlert, Unplug } from 'lucide-react';
import type { Source } from '../../api/generated/api/index.ts';
import { nameState } from './describe-source.ts';

const looks = {
  busy: 'bg-accent-soft text-accent',
  danger: 'bg-danger-soft text-danger',
  quiet: 'bg-raised text-quiet',
  good: 'bg-raised text-good',
};

const icons: Record<Source['state'], LucideIcon> = {
  new: Clock,
  scanning: LoaderCircle,
  ready: CircleCheck,
  paused: Pause,
  offline: Unplug,
  removing: LoaderCircle,
};

/** The state of a source. */
export function SourceBadge({ source }: { source: Source }) {
  const { text, tone } = nameState(source);
  const ofReady = tone === 'danger' ? TriangleAlert : tone === 'busy' ? Clock : CircleCheck;
  const Icon = source.state === 'ready' ? ofReady : icons[source.state];
  return (
    <span
      className={clsx(
        'inline-flex shrink-0 items-center gap-1 rounded-md px-1.5 py-0.5 text-xs font-medium whitespace-nowrap',
        looks[tone],
      )}
    >
      <Icon className="size-3.5 shrink-0" aria-hidden />
      {text}
    </span>
  );
}
