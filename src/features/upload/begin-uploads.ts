import type { QueryClient } from '@tanstack/react-query';
import { workspaceOptions } from '../../api/queries.ts';
import { formatCount } from '../../lib/format.ts';
import { fitPlan, mayBeMedia } from './choose-media.ts';
import { uploadFiles } from './run-uploads.ts';
import { publishedSkipped } from './upload-store.ts';
import type { UploadLabels } from './upload.ts';

/**
 * Sends files at once. What is no media is put aside, and what the plan has no room for is listed without being sent.
 * @param person as `usePersonKey` says it
 * @param anyway whether what looks like no media is sent too
 */
export async function beginUploads(
  client: QueryClient,
  files: readonly File[],
  { labels, person, anyway = false }: { labels: UploadLabels; person: string; anyway?: boolean },
): Promise<void> {
  const [media, others] = [
    files.filter((file) => anyway || mayBeMedia(file)),
    files.filter((file) => !anyway && !mayBeMedia(file)),
  ];
  if (others.length > 0) publishedSkipped.set([...publishedSkipped.get(), ...others]);
  if (media.length === 0) return;
  const left = await readRoom(client);
  const { fitting, beyond } = fitPlan(media, left);
  const message =
    left === 0
      ? 'The plan is full. Make room, then retry.'
      : `The plan had room for ${formatCount(left ?? 0)} more ${left === 1 ? 'item' : 'items'}. Make room, then retry.`;
  uploadFiles(fitting, { files: beyond, failure: { message, retry: 'later' } }, labels, person);
}

/** How many items the plan has room for; null where it has no limit, or the service does not say. */
async function readRoom(client: QueryClient): Promise<number | null> {
  try {
    const { data } = await client.fetchQuery({ ...workspaceOptions, staleTime: 0, retry: false });
    return data.quota.media_items;
  } catch {
    // Then the service refuses what is too much.
    return null;
  }
}
