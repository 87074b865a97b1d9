import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { type ClipSpan, parseTime, writeTime } from './clip-span.ts';

type Which = 'start' | 'end';

type SpanFieldsProps = {
  span: ClipSpan;
  /** How long a frame is shown, seconds. */
  frame: number;
  /** Whether only the start counts. */
  isStill: boolean;
  onMove: (which: Which, time: number) => void;
  onSetHere: (which: Which) => void;
};

/** The ends of a clip: typed, moved by a frame, or set to what the preview shows. */
export const SpanFields = (props: SpanFieldsProps) => (
  <div className="grid gap-3 sm:grid-cols-2">
    <EndField {...props} which="start" label={props.isStill ? 'Frame at' : 'Start'} letter="I" />
    {props.isStill ? null : <EndField {...props} which="end" label="End" letter="O" />}
  </div>
);

function EndField({
  span,
  frame,
  onMove,
  onSetHere,
  which,
  label,
  letter,
}: SpanFieldsProps & { which: Which; label: string; letter: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const text = writeTime(span[which]);
  useEffect(() => {
    if (field.current) field.current.value = text;
  }, [text]);
  const commit = () => {
    const time = parseTime(field.current?.value ?? '');
    if (time === undefined) {
      if (field.current) field.current.value = text;
    } else if (time !== span[which]) onMove(which, time);
  };
  return (
    <div>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <div className="mt-1.5 flex items-center gap-1">
        <IconButton
          icon={ChevronLeft}
          variant="secondary"
          label={`${label}: one frame earlier`}
          onClick={() => onMove(which, span[which] - frame)}
        />
        <input
          ref={field}
          id={id}
          defaultValue={text}
          inputMode="decimal"
          autoComplete="off"
          onBlur={commit}
          onKeyDown={(event) => event.key === 'Enter' && commit()}
          className="h-9 w-full min-w-0 rounded-control border border-line bg-canvas px-2 text-center tabular-nums"
        />
        <IconButton
          icon={ChevronRight}
          variant="secondary"
          label={`${label}: one frame later`}
          onClick={() => onMove(which, span[which] + frame)}
        />
        <SetButton label={label} letter={letter} onClick={() => onSetHere(which)} />
      </div>
    </div>
  );
}

const SetButton = ({ label, letter, onClick }: { label: string; letter: string; onClick: () => void }) => (
  <Button aria-keyshortcuts={letter} title={`Set to the frame that is shown (${letter})`} onClick={onClick}>
    <span>
      Set<span className="sr-only"> {label.toLowerCase()} to the frame that is shown</span>
    </span>
    <kbd aria-hidden className="rounded border border-line bg-raised px-1 text-xs text-quiet">
      {letter}
    </kbd>
  </Button>
);
