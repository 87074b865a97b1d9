import type { Demuxer } from 'node-av/api';
import type { Packet } from 'node-av/lib';

/** What a long reading of a file listens to and tells. */
export type Reading = {
  /** Aborted when the result is not needed any more, or the file takes more work than it may. */
  signal: AbortSignal;
  /** Called for each packet, of which a film has a million. */
  onAdvance?: (() => void) | undefined;
};

/**
 * The packets of a stream, or of all, as a demuxer gives them; null ends them. Each looks at the signal and counts as an advance: a file may
 * hold millions from which no frame comes.
 */
export async function* readPackets(
  demuxer: Demuxer,
  { signal, onAdvance }: Reading,
  stream?: number,
): AsyncGenerator<Packet | null, void> {
  for await (const packet of demuxer.packets(stream)) {
    if (signal.aborted) packet?.free();
    signal.throwIfAborted();
    onAdvance?.();
    yield packet;
  }
}
