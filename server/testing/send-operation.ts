import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { basePath } from '../../contract/base-path.ts';
import { dashboardOperations } from '../../contract/dashboard-operations.ts';
import type { Operation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { checkResponse } from './openapi-checker.ts';
import { type OperationId, type RequestOptions, unknownId } from './valid-requests.ts';

/** Every operation of the API and of the dashboard. */
export const allOperations: Record<string, Operation> = { ...operations, ...dashboardOperations };

export type Credentials = { key?: string; cookie?: string };

export type Reply = {
  status: number;
  headers: Headers;
  text: string;
  body: { data?: { id?: string }; error?: { code: string } } | undefined;
  /** How the response differs from the OpenAPI document; null: not at all. */
  problem: string | null;
};

/**
 * Sends a request of an operation and compares the response with the OpenAPI document. Where the path takes an identifier and none is
 * given, it is one that names nothing.
 */
export async function sendOperation(
  serviceUrl: string,
  id: OperationId,
  { id: named = unknownId, query = '', json, form, bytes, headers }: RequestOptions,
  { key, cookie }: Credentials,
): Promise<Reply> {
  const { method, path: template } = allOperations[id] as Operation;
  const prefix = id in operations ? basePath : '';
  const url = `${serviceUrl}${prefix}${template.replace(':id', named)}${query}`;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(cookie === undefined ? {} : { cookie }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(form === undefined ? {} : { body: form }),
    ...(bytes === undefined ? {} : { body: bytes }),
  });
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;
  // It ends only when the client goes.
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
  const body = (isJson ? JSON.parse(text) : undefined) as Reply['body'];
  let problem: string | null = null;
  try {
    checkResponse(method, url, response, body);
  } catch (error) {
    problem = (error as Error).message;
  }
  return { status: response.status, headers: response.headers, text, body, problem };
}

/** A multipart form with a file and text fields. */
export async function createFileForm(file: string, fields: Record<string, string> = {}): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', await openAsBlob(file), path.basename(file));
  return form;
}

/** The head of a request of an operation, as it goes over the wire, without its last line break. */
export function headOf(id: OperationId, { url, key, cookie }: Credentials & { url: string }): string {
  const { method, path: template } = allOperations[id] as Operation;
  const address = `${id in operations ? basePath : ''}${template.replace(':id', unknownId)}`;
  return [
    `${method} ${address} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${key}`,
    `Cookie: ${cookie}`,
    'Connection: close',
    '',
  ].join('\r\n');
}
