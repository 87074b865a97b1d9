import { clsx } from 'clsx';
import type { Captions } from './use-captions.ts';

/** What is said at the moment, over the picture: light on dark, whatever lies below. In a full screen it stands above the controls. */
export const CaptionLines = ({
  captions: { lines, language },
  isFull,
  raised,
}: {
  captions: Captions;
  isFull: boolean;
  /** Whether controls lie over the foot of the picture. */
  raised: boolean;
}) =>
  lines.length === 0 ? null : (
    <div
      data-captions
      lang={language ?? undefined}
      className={clsx(
        // As a whole, so that the grounds of two lines that overlap are no darker there.
        'pointer-events-none absolute inset-x-0 flex flex-col items-center gap-1 px-3 text-center opacity-90 transition-[bottom] contrast-more:opacity-100',
        raised ? 'bottom-48 sm:bottom-28' : 'bottom-3',
        isFull ? 'text-[clamp(1.125rem,2.6vw,2.5rem)]' : 'text-[clamp(0.9375rem,1.6vw,1.25rem)]',
      )}
    >
      {lines.map((line) => (
        <p
          key={line}
          dir="auto"
          className="max-w-[min(60rem,100%)] leading-snug font-medium whitespace-pre-line text-white"
        >
          <span className="rounded-sm bg-black box-decoration-clone px-1.5 py-0.5 wrap-anywhere forced-colors:bg-[Canvas] forced-colors:text-[CanvasText]">
            {line}
          </span>
        </p>
      ))}
    </div>
  );
