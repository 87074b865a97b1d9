import { z } from 'zod';
import { deleted, flagParameter, identifier, timestamp } from './parameters.ts';

const role = z.enum(['owner', 'member']);
export type Role = z.output<typeof role>;

const email = z
  .email('must be an e-mail address')
  .max(254)
  .transform((address) => address.toLowerCase())
  .meta({ examples: ['ana@example.org'] });
const personName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(120)
  .meta({ examples: ['Ana Lima'] });
/** Length is what makes a password strong: no rules on characters (NIST SP 800-63B, 5.1.1.2). */
const newPassword = z
  .string()
  .min(10, 'must have at least 10 characters')
  .max(200, 'must have at most 200 characters')
  .meta({ examples: ['correct horse battery'] });
const token = z.string().min(1).max(200).describe('The token of the link.');

const examplePerson = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4fb0',
  name: 'Ana Lima',
  email: 'ana@example.org',
  has_password: true,
};

const person = z.object({
  id: identifier,
  name: z.string(),
  email: z.string().nullable(),
  has_password: z.boolean(),
});

export const session = z
  .object({
    person,
    workspace: z.object({
      id: identifier,
      name: z.string(),
      role,
      api_key: z
        .string()
        .nullable()
        .describe('The key to call the API with, to be held in memory; null when all were revoked.'),
    }),
    workspaces: z
      .array(z.object({ id: identifier, name: z.string(), role }))
      .describe('All workspaces of this person, by name.'),
  })
  .meta({
    id: 'Session',
    examples: [
      {
        person: examplePerson,
        workspace: {
          id: '01a1fbe4-6806-793e-a30f-22b8a44e4f80',
          name: 'My workspace',
          role: 'owner',
          api_key: 'service_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0',
        },
        workspaces: [{ id: '01a1fbe4-6806-793e-a30f-22b8a44e4f80', name: 'My workspace', role: 'owner' }],
      },
    ],
  });

export const signInBody = z
  .union([z.object({ token }), z.object({ email, password: z.string().min(1).max(200) })], {
    error: 'must hold a `token`, or `email` and `password`',
  })
  .meta({ examples: [{ email: 'ana@example.org', password: 'correct horse battery' }] });

export const switchWorkspaceBody = z
  .object({ workspace_id: identifier })
  .meta({ examples: [{ workspace_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f80' }] });

export const profileChanges = z
  .object({
    name: personName.optional(),
    email: email.optional(),
    current_password: z.string().max(200).optional().describe('Required for another `email` once there is a password.'),
  })
  .refine(({ name, email: address }) => name !== undefined || address !== undefined, 'must hold `name` or `email`')
  .meta({ examples: [{ email: 'ana@example.org', current_password: 'correct horse battery' }] });

export const changePasswordBody = z
  .object({
    current_password: z.string().max(200).optional().describe('Required once there is a password.'),
    new_password: newPassword,
  })
  .meta({ examples: [{ current_password: 'correct horse battery', new_password: 'staple of the battery' }] });

export const invitationTokenBody = z.object({ token }).meta({ examples: [{ token: 'vM3o0dEwV2n8' }] });

/** The content of an invitation link. */
export const offeredInvitation = z
  .object({ workspace: z.object({ name: z.string() }), role, invited_by: z.string(), expires_at: timestamp })
  .meta({
    id: 'OfferedInvitation',
    examples: [
      {
        workspace: { name: 'My workspace' },
        role: 'member',
        invited_by: 'Ana Lima',
        expires_at: '2026-11-28T09:30:00.000Z',
      },
    ],
  });

/** Joining as a new person; a signed-in person leaves these fields out. */
export const joinBody = z
  .object({ token, name: personName.optional(), email: email.optional(), password: newPassword.optional() })
  .meta({
    examples: [{ token: 'vM3o0dEwV2n8', name: 'Bo Chen', email: 'bo@example.org', password: 'correct horse battery' }],
  });

const exampleMember = {
  id: examplePerson.id,
  name: 'Ana Lima',
  email: 'ana@example.org',
  role: 'owner',
  joined_at: '2026-11-20T16:00:00.000Z',
};

export const member = z
  .object({ id: identifier, name: z.string(), email: z.string().nullable(), role, joined_at: timestamp })
  .meta({ id: 'Member', examples: [exampleMember] });

export const listedMember = member
  .extend({
    api_keys: z.int().min(0).describe('Keys that work and that they made.'),
    webhooks: z.int().min(0).describe('Webhooks that are enabled and that they made.'),
  })
  .meta({ id: 'ListedMember', examples: [{ ...exampleMember, api_keys: 1, webhooks: 0 }] });

export const removedMember = deleted
  .extend({
    revoked: z.object({ api_keys: z.int().min(0), webhooks: z.int().min(0) }).describe('What of theirs was revoked.'),
  })
  .meta({ examples: [{ id: examplePerson.id, deleted: true, revoked: { api_keys: 1, webhooks: 0 } }] });

export const removeMemberQuery = z.object({
  revoke: flagParameter.describe('Owners: also revokes the API keys that they made, and disables their webhooks.'),
});

export const roleBody = z.object({ role }).meta({ examples: [{ role: 'owner' }] });

const exampleInvitation = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc0',
  role: 'member',
  invited_by: 'Ana Lima',
  created_at: '2026-11-21T09:30:00.000Z',
  expires_at: '2026-11-28T09:30:00.000Z',
};

export const invitation = z
  .object({ id: identifier, role, invited_by: z.string(), created_at: timestamp, expires_at: timestamp })
  .meta({ id: 'Invitation', examples: [exampleInvitation] });

export const newInvitation = invitation
  .extend({ url: z.url().describe('The link, shown this once; it works once, within 7 days.') })
  .meta({
    id: 'NewInvitation',
    examples: [{ ...exampleInvitation, url: 'http://127.0.0.1:8080/join?token=vM3o0dEwV2n8' }],
  });

export const workspaceName = z
  .object({ name: z.string().trim().min(1, 'must not be empty').max(120) })
  .meta({ examples: [{ name: 'Newsroom' }] });

export const addedSamples = z
  .object({ added: z.int().min(0).describe('Items that were not there before.') })
  .meta({ examples: [{ added: 12 }] });

export const signedOut = z.object({ signed_out: z.literal(true) }).meta({ examples: [{ signed_out: true }] });
