import path from 'node:path';
import { downloadModel } from '@media-search/models/semantic/download-model';
import type { Preset } from '@media-search/models/semantic/presets';
import type { FastifyBaseLogger } from 'fastify';
import { modelDirectory } from './storage/data-directory.ts';

/** Delay between a failed download and the next attempt. */
const retryDelayMs = 10 * 60_000;
const reportIntervalMs = 10_000;

export type ModelDownload = {
  /** The model being downloaded, its bytes so far and its total bytes; null when none is. */
  progress(): { model: string; done: number; total: number } | null;
  stop(): void;
};

/** Downloads a model in the background, and retries until it is complete. */
export function startModelDownload(
  preset: Preset,
  parts: {
    dataDirectory: string;
    hub: string;
    log: Pick<FastifyBaseLogger, 'info'>;
    onDone: () => void;
  },
): ModelDownload {
  const { dataDirectory, hub, log, onDone } = parts;
  const stopping = new AbortController();
  let progress: ReturnType<ModelDownload['progress']> = null;
  let retryTimer: NodeJS.Timeout | undefined;

  async function attempt(): Promise<void> {
    let reportedAt = 0;
    try {
      await downloadModel(preset, path.join(modelDirectory(dataDirectory), preset.name), {
        hub,
        signal: stopping.signal,
        onProgress(done, total) {
          progress = { model: preset.name, done, total };
          if (Date.now() - reportedAt < reportIntervalMs) return;
          reportedAt = Date.now();
          log.info({ model: preset.name, done, total }, 'downloading a model');
        },
      });
      progress = null;
      onDone();
    } catch (error) {
      progress = null;
      if (stopping.signal.aborted) return;
      // This is normal without internet; the dashboard shows what is missing.
      log.info(
        { model: preset.name, reason: (error as Error).message },
        'the model could not be downloaded yet; it is tried again',
      );
      retryTimer = setTimeout(() => void attempt(), retryDelayMs);
      retryTimer.unref();
    }
  }
  void attempt();

  return {
    progress: () => progress,
    stop() {
      stopping.abort(new Error('The service is stopping.'));
      clearTimeout(retryTimer);
    },
  };
}
