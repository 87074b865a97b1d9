import type { Secrets } from '../platform/crypto/secrets.ts';
import type { AssetOwner } from './asset-store.ts';

/** Where signed assets are served: `/files/<workspace>/<item>/<asset>`. */
export const filesPath = '/files';

/** What a URL can name: the original to be shown in place, the original as a download, or a rendition by its file name. */
export const originalAsset = 'original';
export const downloadAsset = 'download';

const windowSeconds = 6 * 60 * 60;

/** Builds the signed URL of an asset. */
export const signAssetUrl = (secrets: Secrets, baseUrl: string, owner: AssetOwner, asset: string): string =>
  signFileUrl(secrets, baseUrl, `${owner.workspace_id}/${owner.id}/${asset}`);

/**
 * Builds the signed URL of a file. It works for 6 to 12 hours and stays the same within a window of 6 hours, so that browsers can cache
 * the file.
 * @param baseUrl of the service as the client reaches it, such as `http://127.0.0.1:8080`
 * @param place path below `/files`
 */
export function signFileUrl(secrets: Secrets, baseUrl: string, place: string): string {
  const expires = (Math.floor(Date.now() / 1000 / windowSeconds) + 2) * windowSeconds;
  const path = `${filesPath}/${place}`;
  const signature = secrets.sign(`${path}\n${expires}`);
  return `${baseUrl}${path}?expires=${expires}&signature=${signature}`;
}

/** Whether a URL was signed by this service and has not expired. */
export function isSignatureValid(secrets: Secrets, path: string, expires: string, signature: string): boolean {
  return secrets.verify(`${path}\n${expires}`, signature) && Number(expires) * 1000 > Date.now();
}
