import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { textsOptions, useFreshTexts } from '../../api/captions.ts';
import type { MediaItem, TextSegment } from '../../api/generated/api/index.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ReadingState } from './reading-state.tsx';

/** Whether there is something to say of a reading without texts. */
const isOpen = ({ state }: MediaItem['ocr']): boolean => state === 'pending' || state === 'failed';

/** What can be read in a photograph; nothing where there is none. */
export function PhotoTexts({
  item,
  retry,
  onShow,
}: {
  item: MediaItem;
  retry: ReactNode;
  /** Shows where a text is. */
  onShow: (text: TextSegment) => void;
}) {
  useFreshTexts(item);
  const texts = useQuery(textsOptions(item.id, 'ocr')).data ?? [];
  if (texts.length === 0 && !isOpen(item.ocr)) return null;
  return (
    <section aria-label="On-screen text">
      <div className="mb-2 flex min-h-9 items-center justify-between">
        <h2 className="font-semibold">On-screen text</h2>
        {texts.length > 0 ? (
          <CopyButton label="Copy all of the text" text={texts.map(({ text }) => text).join('\n')}>
            Copy all
          </CopyButton>
        ) : null}
      </div>
      <ReadingState of="ocr" item={item} hasTexts={texts.length > 0} retry={retry} />
      <ul aria-label="Lines">
        {texts.map((text) => (
          <li key={text.id}>
            <button
              type="button"
              lang={text.language ?? undefined}
              dir="auto"
              onClick={() => onShow(text)}
              className="w-full rounded-control px-2 py-1.5 text-start wrap-anywhere -outline-offset-2 hover:bg-raised"
            >
              {text.text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
