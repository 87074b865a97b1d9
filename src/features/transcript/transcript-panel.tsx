import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../../clients/typescript/api-error.ts';
import { readCaptions, textsOptions, useCaptionTrack } from '../../api/captions.ts';
import type { MediaItem, TextSegment } from '../../api/generated/api/index.ts';
import type { CaptionSource } from '../../lib/captions/track-names.ts';
import type { PlaybackClock } from '../../lib/playback-clock.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { menuLooks } from '../../ui/menu-item.ts';
import { PanelSkeleton } from '../../ui/panel.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.ts';
import { ReadingState } from './reading-state.tsx';
import { TimedLines } from './timed-lines.tsx';

type View = 'transcript' | 'ocr' | 'chapters';

type TranscriptPanelProps = {
  item: MediaItem;
  /** Where the player is. */
  clock: PlaybackClock;
  /** Plays from a second on. */
  onPlay: (time: number) => void;
  /** Plays where a text can be read, and shows where it is in the picture. */
  onShowText: (text: TextSegment) => void;
  /** Has failed texts recognised again. */
  retry: ReactNode;
};

/** What is said in a video, what can be read in its pictures, and what its chapters are called: lines with their times. */
export function TranscriptPanel(props: TranscriptPanelProps) {
  const { item } = props;
  const [view, setView] = useState<View>('transcript');
  const chapters = useQuery(textsOptions(item.id, 'chapter')).data ?? [];
  return (
    <section aria-label="Texts">
      <Choice
        label="Texts"
        value={view}
        options={[
          { value: 'transcript', text: 'Transcript' },
          { value: 'ocr', text: 'On-screen text' },
          ...(chapters.length > 0 ? [{ value: 'chapters' as const, text: 'Chapters' }] : []),
        ]}
        onChange={(chosen) => setView(chosen ?? 'transcript')}
      />
      <div className="mt-3">
        {view === 'transcript' ? <Transcript {...props} /> : null}
        {view === 'ocr' ? <OnScreenText {...props} /> : null}
        {view === 'chapters' ? (
          <TimedLines
            label="Chapters"
            lines={chapters}
            clock={props.clock}
            onPlay={({ start }) => props.onPlay(start)}
          />
        ) : null}
      </div>
    </section>
  );
}

function Transcript({ item, clock, onPlay, retry }: TranscriptPanelProps) {
  const { chosen, cues, names, place, isPending, error, retry: readAgain, choose } = useCaptionTrack(item.id, true);
  const isUnknown = error instanceof ApiError && error.status === 404;
  if (error && !isUnknown) return <QueryFailure error={error} onRetry={readAgain} />;
  if (isPending) return <PanelSkeleton />;
  const state = <ReadingState of="speech" item={item} hasTexts={cues.length > 0} retry={retry} />;
  if (!chosen) return state;
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1">
        {names.length > 1 ? (
          <Select
            hideLabel
            label="Transcript in"
            value={String(place)}
            options={names.map((text, i) => ({ value: String(i), text }))}
            onChange={(chosenPlace) => choose(Number(chosenPlace))}
          />
        ) : (
          <span className="text-label text-quiet">{names[0]}</span>
        )}
        <span className="ml-auto flex items-center">
          <CopyButton
            label="Copy all of the transcript"
            text={cues.map(({ text }) => text.replaceAll('\n', ' ')).join('\n')}
          >
            Copy all
          </CopyButton>
          <DownloadCaptions item={item} track={chosen} />
        </span>
      </div>
      {chosen.source === 'speech' ? state : null}
      <TimedLines
        key={place}
        label="Transcript"
        lines={cues}
        language={chosen.language}
        clock={clock}
        onPlay={({ start }) => onPlay(start)}
      />
    </>
  );
}

function OnScreenText({ item, clock, onShowText, retry }: TranscriptPanelProps) {
  const texts = useQuery(textsOptions(item.id, 'ocr'));
  const isUnknown = texts.error instanceof ApiError && texts.error.status === 404;
  if (texts.error && !isUnknown) return <QueryFailure error={texts.error} onRetry={() => void texts.refetch()} />;
  if (texts.isPending) return <PanelSkeleton />;
  const lines = texts.data ?? [];
  return (
    <>
      <ReadingState of="ocr" item={item} hasTexts={lines.length > 0} retry={retry} />
      {lines.length > 0 ? <TimedLines label="On-screen text" lines={lines} clock={clock} onPlay={onShowText} /> : null}
    </>
  );
}

const formats = [
  ['vtt', 'WebVTT (.vtt)'],
  ['srt', 'SubRip (.srt)'],
] as const;

/** Saves a track as a file. */
function DownloadCaptions({ item, track }: { item: MediaItem; track: CaptionSource }) {
  const download = async (format: 'vtt' | 'srt') => {
    try {
      const text = await readCaptions(item.id, track, format);
      save(new Blob([text], { type: 'text/plain' }), nameFor(item.filename, track, format));
    } catch (error) {
      toast.error(error instanceof ApiError ? error.message : 'The captions could not be downloaded.');
    }
  };
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button variant="quiet">
          <Download aria-hidden />
          <span className="max-sm:sr-only">Download captions</span>
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-40 min-w-44 rounded-card border border-line bg-surface p-1 shadow-float"
        >
          {formats.map(([format, text]) => (
            <DropdownMenu.Item key={format} onSelect={() => void download(format)} className={menuLooks.item}>
              {text}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** `harbour.en.vtt`, by which players find the captions of `harbour.mp4`. */
const nameFor = (filename: string, { language }: CaptionSource, format: string): string =>
  [filename.replace(/\.[^.]+$/, ''), ...(language === null ? [] : [language]), format].join('.');

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
