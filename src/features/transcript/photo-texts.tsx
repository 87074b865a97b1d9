import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { textsOptions, useFreshTexts } from '../../api/captions.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ReadingState } from './reading-state.tsx';

const isOff = (reading: MediaItem['ocr'] | undefined): boolean => (reading?.state ?? 'off') === 'off';

/** What can be read in a photograph; nothing where the server does not read. */
export function PhotoTexts({ item, retry }: { item: MediaItem; retry: ReactNode }) {
  useFreshTexts(item);
  const texts = useQuery(textsOptions(item.id, 'ocr')).data ?? [];
  if (texts.length === 0 && isOff(item.ocr)) return null;
  return (
    <section aria-label="On-screen text" className="rounded-card border border-line bg-surface p-4">
      <div className="mb-2 flex min-h-9 items-center justify-between">
        <h2 className="font-semibold">On-screen text</h2>
        {texts.length > 0 ? (
          <CopyButton label="Copy the text" text={texts.map(({ text }) => text).join('\n')}>
            Copy all
          </CopyButton>
        ) : null}
      </div>
      <ReadingState of="ocr" reading={item.ocr} hasTexts={texts.length > 0} retry={retry} />
      <ul aria-label="Lines" className="max-h-96 overflow-y-auto">
        {texts.map(({ id, text, language }) => (
          <li key={id} lang={language ?? undefined} dir="auto" className="py-1 wrap-anywhere">
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}
