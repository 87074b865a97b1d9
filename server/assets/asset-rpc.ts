import type { ChildProcess } from 'node:child_process';
import type { ErrorCode } from '../../contract/errors.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Asset, AssetOwner, AssetStore, Transfer } from './asset-store.ts';

/** What a process that decodes files needs of the asset store. */
export type WorkerAssets = Pick<AssetStore, 'withLocalCopy' | 'addItem' | 'putRenditions' | 'removeRenditions'>;

/**
 * A bucket is asked by the service alone: a process that decodes what strangers uploaded gets neither its keys nor its client, and local
 * copies have one keeper. Parent and child agree on the paths of files of this machine.
 */

type Request =
  | { call: 'withLocalCopy'; asset: Asset }
  | { call: 'putRenditions'; owner: AssetOwner; token: number; folder: string }
  | { call: 'removeRenditions'; owner: AssetOwner; which: { upTo: number } | { only: number } };

/** From the child. `end`: the local copy is no longer needed, or the answer is no longer awaited. */
export type AssetCall = { kind: 'assets'; id: number } & ({ request: Request } | { end: true });

/** From the parent. */
export type AssetAnswer = { kind: 'assets'; id: number } & (
  | { event: 'advanced' }
  | { event: 'copied'; file: string }
  | { event: 'done' }
  | { event: 'failed'; error: { message: string; name: string; code: string | null } }
);

/** In the parent: does what a child asks for, until the child has ended. */
export function lendAssets(child: ChildProcess, assets: AssetStore): void {
  const running = new Map<number, () => void>();
  const send = (answer: AssetAnswer) => {
    if (child.connected) child.send(answer, () => undefined);
  };
  child.on('message', (message: AssetCall | { kind: unknown }) => {
    if (message.kind !== 'assets') return;
    const call = message as AssetCall;
    if ('end' in call) return running.get(call.id)?.();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const aborting = new AbortController();
    running.set(call.id, () => {
      resolve();
      aborting.abort(new Error('This file is no longer awaited.'));
    });
    const transfer = {
      signal: aborting.signal,
      onAdvance: () => send({ kind: 'assets', id: call.id, event: 'advanced' }),
    };
    const copied = async (file: string) => {
      send({ kind: 'assets', id: call.id, event: 'copied', file });
      await ended;
    };
    perform(assets, call.request, transfer, copied)
      .then(
        () => send({ kind: 'assets', id: call.id, event: 'done' }),
        (error: unknown) => send({ kind: 'assets', id: call.id, event: 'failed', error: toPlainError(error) }),
      )
      .finally(() => running.delete(call.id));
  });
  child.on('exit', () => running.forEach((end) => end()));
}

async function perform(
  assets: AssetStore,
  request: Request,
  transfer: Transfer,
  copied: (file: string) => Promise<void>,
): Promise<void> {
  if (request.call === 'withLocalCopy') return assets.withLocalCopy(request.asset, copied, transfer);
  if (request.call === 'putRenditions') {
    return assets.putRenditions(request.owner, request.token, request.folder, transfer);
  }
  return assets.removeRenditions(request.owner, request.which);
}

const toPlainError = (error: unknown) => ({
  message: error instanceof Error ? error.message : String(error),
  name: error instanceof Error ? error.name : 'Error',
  code: error instanceof Error && 'code' in error ? String(error.code) : null,
});

/** In the child: the assets that its parent lends it. */
export function borrowAssets(): WorkerAssets {
  const waiting = new Map<number, (answer: AssetAnswer) => void>();
  let last = 0;
  process.on('message', (message: AssetAnswer | { kind?: unknown }) => {
    if (message.kind === 'assets') waiting.get((message as AssetAnswer).id)?.(message as AssetAnswer);
  });
  const send = (call: AssetCall) => process.send?.(call, undefined, undefined, () => undefined);

  /** Asks the parent. @param copied called with the path of a local copy, which stays until its promise settles */
  async function ask(
    request: Request,
    { signal, onAdvance }: Transfer = {},
    copied: (file: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    signal?.throwIfAborted();
    last += 1;
    const id = last;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = () => send({ kind: 'assets', id, end: true });
    let isCopied = false;
    const abort = () => {
      // The work on a copy sees the signal by itself.
      if (isCopied) return;
      end();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
    waiting.set(id, (answer) => {
      if (answer.event === 'advanced') onAdvance?.();
      else if (answer.event === 'done') resolve();
      else if (answer.event === 'failed') reject(toError(answer.error));
      else {
        isCopied = true;
        copied(answer.file).catch(reject).finally(end);
      }
    });
    send({ kind: 'assets', id, request });
    try {
      await promise;
    } finally {
      waiting.delete(id);
      signal?.removeEventListener('abort', abort);
    }
  }

  return {
    async withLocalCopy(asset, work, transfer) {
      let result: { value: Awaited<ReturnType<typeof work>> } | undefined;
      await ask({ call: 'withLocalCopy', asset }, transfer, async (file) => {
        result = { value: await work(file) };
      });
      if (!result) throw new Error('The service gave no local copy.');
      return result.value;
    },
    // A store that lends its files has no folders.
    addItem: () => Promise.resolve(),
    putRenditions: (owner, token, folder, transfer) =>
      ask({ call: 'putRenditions', owner: keyOf(owner), token, folder }, transfer),
    removeRenditions: (owner, which) => ask({ call: 'removeRenditions', owner: keyOf(owner), which }),
  };
}

/** A job knows more of its item than has to be sent. */
const keyOf = ({ workspace_id, id }: AssetOwner): AssetOwner => ({ workspace_id, id });

function toError({ message, name, code }: { message: string; name: string; code: string | null }): Error {
  // What becomes of a job depends on it.
  if (name === 'ApiError') return new ApiError(code as ErrorCode, message);
  return Object.assign(new Error(message), { name }, code !== null && { code });
}
