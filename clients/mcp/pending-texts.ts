import { count } from '../shared/format.ts';
import { type Client, getWorkspace, type Workspace } from '../typescript/index.ts';

/** Items whose speech, or on-screen text, cannot be found yet. The reading is an addition, which other services may lack. */
export function countPendingTexts({ text_extraction: reading }: Partial<Workspace>): { speech: number; ocr: number } {
  return { speech: reading?.speech.pending ?? 0, ocr: reading?.ocr.pending ?? 0 };
}

/** Says what is still being read; null: nothing is. */
export const writePendingTexts = ({ speech, ocr }: { speech: number; ocr: number }): string | null =>
  speech + ocr === 0
    ? null
    : `Still being read, so not found yet: speech of ${count(speech, 'item')}, on-screen text of ${count(ocr, 'item')}.`;

/** What a search that found nothing may have missed; null: nothing. */
export async function describePendingTexts(client: Client, signal: AbortSignal): Promise<string | null> {
  const { data } = await getWorkspace({ client, signal });
  return writePendingTexts(countPendingTexts(data));
}
