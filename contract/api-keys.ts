import { z } from 'zod';
import { labelName } from './creators.ts';
import type { Operation } from './operation.ts';
import { identifier, idParams, timestamp } from './parameters.ts';

const exampleKey = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4fd0',
  name: 'Nightly import',
  last_four: 'f2b0',
  created_by: 'Ana Lima',
  created_at: '2026-11-20T16:00:00.000Z',
  last_used_at: '2026-11-21T09:30:00.000Z',
  expires_at: null,
  revoked_at: null,
};

const apiKey = z
  .object({
    id: identifier,
    name: z.string().nullable().describe('What it is for; null for a key without a name.'),
    last_four: z.string().describe('Its last four characters, to tell keys apart.'),
    created_by: z
      .string()
      .nullable()
      .describe(
        'The name of the member that created it in the dashboard; null: it came with the workspace, or was created before this was recorded.',
      ),
    created_at: timestamp,
    last_used_at: timestamp.nullable().describe('To the minute.'),
    expires_at: timestamp.nullable().describe('When it was rotated with a grace period: the end of that.'),
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey', examples: [exampleKey] });

const apiKeyBody = z
  .object({ name: labelName.optional().describe('What the key is for.') })
  .meta({ examples: [{ name: 'Nightly import' }] });

const apiKeySecret = z.object({ id: identifier, key: z.string().regex(/^service_/) }).meta({
  id: 'ApiKeySecret',
  examples: [{ id: exampleKey.id, key: 'service_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0' }],
});

const rotateBody = z
  .object({
    grace_hours: z
      .number()
      .min(0, 'must be at least 0')
      .max(72, 'must be at most 72')
      .default(0)
      .describe('How long the old key goes on working.'),
  })
  .meta({ examples: [{ grace_hours: 24 }] });

/** The keys by which programs use the API of a workspace. */
export const apiKeyOperations = {
  listApiKeys: {
    method: 'GET',
    path: '/manage/api-keys',
    tag: 'API keys',
    access: 'member',
    summary: 'List the API keys, the newest first.',
    responses: { 200: 'All keys, revoked ones too.' },
    data: z.array(apiKey),
    errors: [],
  },
  revealApiKey: {
    method: 'GET',
    path: '/manage/api-keys/:id/secret',
    tag: 'API keys',
    access: 'member',
    summary: 'Show a key that works.',
    params: idParams,
    responses: { 200: 'The key in plain text.' },
    data: apiKeySecret,
    errors: ['not_found'],
  },
  createApiKey: {
    method: 'POST',
    path: '/manage/api-keys',
    tag: 'API keys',
    access: 'owner',
    summary: 'Create a key.',
    body: apiKeyBody,
    responses: { 201: 'The new key.' },
    status: 201,
    data: apiKeySecret,
    errors: [],
  },
  rotateApiKey: {
    method: 'POST',
    path: '/manage/api-keys/:id/rotate',
    tag: 'API keys',
    access: 'owner',
    summary: 'Replace a key, at once or after a grace period.',
    params: idParams,
    body: rotateBody,
    responses: { 201: 'The new key.' },
    status: 201,
    data: apiKeySecret,
    errors: ['not_found'],
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/manage/api-keys/:id',
    tag: 'API keys',
    access: 'owner',
    summary: 'Revoke a key. It is refused from this response on.',
    params: idParams,
    responses: { 200: 'The revoked key.' },
    data: apiKey,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
