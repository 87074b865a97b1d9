import { Download } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { ApiError } from '../../../clients/typescript/api-error.ts';
import { readCaptions } from '../../api/captions.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import type { CaptionSource } from '../../lib/captions/track-names.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';

const formats = [
  ['vtt', 'WebVTT (.vtt)'],
  ['srt', 'SubRip (.srt)'],
] as const;

/** Saves a track as a file. */
export function DownloadCaptions({ item, track }: { item: MediaItem; track: CaptionSource }) {
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
            <DropdownMenu.Item
              key={format}
              onSelect={() => void download(format)}
              className="flex h-10 cursor-pointer items-center rounded-control px-3 outline-none data-highlighted:bg-raised"
            >
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
