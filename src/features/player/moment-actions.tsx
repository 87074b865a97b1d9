import { ScanSearch } from 'lucide-react';
import { formatTimecode, toMoment } from '../../lib/timecode.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

/** What can be done with the moment that is shown. */
export const MomentActions = ({
  time,
  frameRate,
  linkTo,
  onFindSimilar,
}: {
  /** Seconds. */
  time: number;
  frameRate: number | undefined;
  /** The path of a page that begins at a moment, seconds. */
  linkTo: (time: number) => string;
  onFindSimilar: ((time: number) => void) | undefined;
}) => (
  <div className="flex flex-wrap items-center gap-x-1 border-t border-line px-1.5 py-1 max-sm:[&_button]:h-11 pointer-coarse:[&_button]:h-11">
    {onFindSimilar ? (
      <Button variant="quiet" onClick={() => onFindSimilar(time)} aria-label="Find similar to this moment">
        <ScanSearch aria-hidden />
        <span className="max-sm:hidden">Find similar</span>
      </Button>
    ) : null}
    <CopyButton label="Copy link to this moment" text={window.location.origin + linkTo(toMoment(time))}>
      Copy link
    </CopyButton>
    <CopyButton label="Copy timecode" text={formatTimecode(time, frameRate)}>
      Copy timecode
    </CopyButton>
  </div>
);
