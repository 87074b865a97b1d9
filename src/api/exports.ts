import { createExport, type CreateExportData, deleteExport, type Export, getExport } from './generated/api/index.ts';

export type { Export };
export type ExportRequest = CreateExportData['body'];
export type ExportFormat = ExportRequest['format'];
/** A moment as an export takes it. */
export type ExportedMoment = NonNullable<ExportRequest['moments']>[number];

/** Time between two questions for the progress, milliseconds: the first come soon, because most exports take a second. */
const firstPollMs = 200;
const maxPollMs = 1000;

/**
 * Makes a file and waits until it is there. Throws an `ApiError` when it cannot be made, and the signal's reason when aborted, which also
 * cancels it on the service.
 * @param onProgress is given the share that is done, 0..1
 */
export async function runExport(
  body: ExportRequest,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Export> {
  let { data: made } = await createExport({ body, signal });
  const path = { id: made.id };
  try {
    for (let wait = firstPollMs; made.status === 'processing'; wait = Math.min(maxPollMs, wait * 1.5)) {
      await pause(wait, signal);
      made = (await getExport({ path, signal })).data;
      onProgress(made.progress);
    }
  } catch (error) {
    // The service gives it up by itself soon after.
    if (signal.aborted) deleteExport({ path }).catch(() => undefined);
    throw error;
  }
  if (made.error) throw new Error(made.error.message);
  return made;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason as Error);
  });
  return promise;
}

/** Lets the browser download a file: it shows the progress and can be told where to put it. */
export function saveFile({ url, filename }: Export): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
}
