import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import { findSharedItem, listSharedItems } from '../../catalog/shares/shared-items.ts';
import { findShare, type ShareRow } from '../../catalog/shares/shares.ts';
import { notFoundError } from '../../errors/api-error.ts';
import { verifyPassword } from '../../platform/crypto/passwords.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import type { Dependencies } from '../dependencies.ts';
import { getBaseUrl, networkOf } from '../protocol/requests.ts';

export type VisitedShare = ShareRow & { person: string | null };

/** What a request of a visitor may see. */
export type Visit = {
  share: VisitedShare;
  /** Of a link to one item: that. */
  media: MediaRow | null;
  /** Whether the password was given, or none is needed. */
  isOpen: boolean;
};

export type VisitRequest = FastifyRequest<{ Params: { token: string; key?: string } }>;

/** How long a visitor who gave the password need not give it again, milliseconds. */
const visitMs = 12 * 60 * 60_000;
/** How long checking a password may take, milliseconds. */
const checkMs = 20_000;

const cookieOf = ({ id }: ShareRow): string => `share_${id}`;

/** Another password makes it another text, so visits end with the one that they were opened by. */
const signed = ({ id, password_hash }: ShareRow, until: string): string =>
  `open share\n${id}\n${password_hash}\n${until}`;

function isOpenFor(share: ShareRow, { cookies }: FastifyRequest, secrets: Secrets): boolean {
  if (share.password_hash === null) return true;
  const [until = '', signature = ''] = (cookies[cookieOf(share)] ?? '').split('.');
  return secrets.verify(signed(share, until), signature) && Number(until) > Date.now();
}

/** Opens a link with its password, for this browser. @returns whether it was the right one. Throws `throttled`. */
export async function openShare(
  { secrets, signInLimits, publicUrl }: Pick<Dependencies, 'secrets' | 'signInLimits' | 'publicUrl'>,
  share: ShareRow,
  password: string,
  { request, reply, path }: { request: VisitRequest; reply: FastifyReply; path: string },
): Promise<boolean> {
  const asker = { network: networkOf(request.ip), signal: AbortSignal.timeout(checkMs) };
  const attempt = { ip: request.ip, account: share.id };
  const isRight = await signInLimits.sharePasswords.guard(attempt, async () =>
    (await verifyPassword(password, share.password_hash, asker)) ? true : undefined,
  );
  if (!isRight) return false;
  const until = String(Date.now() + visitMs);
  void reply.setCookie(cookieOf(share), `${until}.${secrets.sign(signed(share, until))}`, {
    path,
    httpOnly: true,
    // A link in a message is followed from another site.
    sameSite: 'lax',
    secure: getBaseUrl(request, publicUrl).startsWith('https:'),
    maxAge: visitMs / 1000,
  });
  return true;
}

/** What a request may see; undefined for a link that does not work, whyever. Throws `throttled` after many of these from one address. */
export function findVisit(
  { db, secrets, signInLimits }: Pick<Dependencies, 'db' | 'secrets' | 'signInLimits'>,
  request: VisitRequest,
): Promise<Visit | undefined> {
  return signInLimits.shares.look(request.ip, async () => {
    const share = await findShare(db, request.params.token);
    if (!share) return undefined;
    const isOpen = isOpenFor(share, request, secrets);
    if (share.media_id === null) return { share, media: null, isOpen };
    const media = await findSharedItem(db, share, share.media_id);
    return media && { share, media, isOpen };
  });
}

/** The identifiers of items by what stands for them in the addresses of a link. */
const known = new LRUCache<string, string>({ max: 50_000 });

/** What stands for an item in the addresses of a link: it says nothing of the item, and is another in each link. */
export function keyOf(secrets: Secrets, { id }: Pick<ShareRow, 'id'>, mediaId: string): string {
  const key = secrets.sign(`shared item\n${id}\n${mediaId}`).slice(0, 22);
  known.set(`${id}/${key}`, mediaId);
  return key;
}

/** The item of a link to many that stands under a key; undefined where the link does not show it, or no longer. */
async function findByKey(
  { db, secrets }: Pick<Dependencies, 'db' | 'secrets'>,
  share: ShareRow,
  key: string,
): Promise<MediaRow | undefined> {
  let mediaId = known.get(`${share.id}/${key}`);
  if (mediaId === undefined) {
    const items = await listSharedItems(db, share);
    mediaId = items.find(({ id }) => keyOf(secrets, share, id) === key)?.id;
  }
  return mediaId === undefined ? undefined : findSharedItem(db, share, mediaId);
}

/** The item that a request is about. Throws `not_found` where the link or the item does not work, and where the password was not given. */
export async function requireItem(
  dependencies: Pick<Dependencies, 'db' | 'secrets' | 'signInLimits'>,
  request: VisitRequest,
): Promise<{ share: VisitedShare; media: MediaRow }> {
  const visit = await findVisit(dependencies, request);
  if (!visit?.isOpen) throw notFoundError('file');
  const { key } = request.params;
  const { share } = visit;
  if (key === undefined) {
    if (visit.media === null) throw notFoundError('file');
    return { share, media: visit.media };
  }
  if (share.media_id !== null) throw notFoundError('file');
  const media = await dependencies.signInLimits.shares.look(request.ip, () => findByKey(dependencies, share, key));
  if (!media) throw notFoundError('file');
  return { share, media };
}
