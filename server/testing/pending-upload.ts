import { request as httpRequest } from 'node:http';
import { basePath } from '../../contract/base-path.ts';

/** Holds an upload open, half sent, while something else happens, then breaks it off. */
export async function withPendingUpload(
  { url, key }: { url: string; key: string },
  idempotencyKey: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const upload = httpRequest(`${url}${basePath}/media/upload`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'multipart/form-data; boundary=half',
      'Idempotency-Key': idempotencyKey,
    },
  });
  upload.on('error', () => undefined);
  upload.write('--half\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\nabc');
  await new Promise((resolve) => setTimeout(resolve, 200));
  await meanwhile();
  upload.destroy();
}
