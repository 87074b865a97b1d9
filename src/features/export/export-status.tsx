import { CircleAlert, CircleCheck } from 'lucide-react';
import { formatBytes, formatPercent } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import type { ExportState } from './use-export.ts';

/** How far an export is, and how it ended. */
export function ExportStatus({ state, onCancel }: { state: ExportState; onCancel: () => void }) {
  return (
    <div aria-live="polite">
      {state.status === 'processing' ? (
        <div className="flex items-center gap-3">
          <div className="flex-1">
            <ProgressBar fraction={state.fraction} label="Progress of the export" />
          </div>
          <span className="text-xs text-quiet tabular-nums">{formatPercent(state.fraction)}</span>
          <Button size="small" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      ) : null}
      {state.status === 'failed' ? (
        <p role="alert" className="flex gap-2 text-danger">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {state.message}
        </p>
      ) : null}
      {state.status === 'done' ? (
        <p className="flex gap-2 text-quiet">
          <CircleCheck className="mt-0.5 size-4 shrink-0 text-good" aria-hidden />
          <span>
            Downloading {state.made.filename}
            {describe(state.made)}
          </span>
        </p>
      ) : null}
    </div>
  );
}

function describe({ size, lossless }: { size: number | null; lossless: boolean | null }): string {
  const parts = [
    ...(size === null ? [] : [formatBytes(size)]),
    ...(lossless === null ? [] : [lossless ? 'lossless' : 're-encoded']),
  ];
  return parts.length === 0 ? '' : ` · ${parts.join(' · ')}`;
}
