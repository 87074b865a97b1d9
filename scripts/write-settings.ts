import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { storageSchema } from '../server/assets/storage-settings.ts';
import { environmentSchema } from '../server/settings.ts';

/** Where the table of settings is. */
const file = path.join(import.meta.dirname, '..', 'docs', 'settings.md');

/** The default of a setting, as the table shows it. */
function describeDefault(schema: z.ZodType): string {
  const { shownDefault } = schema.meta() ?? {};
  if (typeof shownDefault === 'string') return shownDefault;
  const value = schema.parse(undefined);
  return typeof value === 'string' || typeof value === 'number' ? `\`${value}\`` : 'none';
}

/** The text of docs/settings.md, from the schemas that read the settings. Throws for a setting without a description. */
export function describeSettings(): string {
  const rows = Object.entries({ ...environmentSchema.shape, ...storageSchema.shape }).map(([name, schema]) => {
    const { description } = schema.meta() ?? {};
    if (description === undefined) throw new Error(`The setting ${name} has no description.`);
    return `| \`${name}\` | ${describeDefault(schema)} | ${description} |`;
  });
  return `${[
    '# Settings',
    '',
    'The service reads environment variables; an empty one counts as not set. `server/settings.ts` and `server/assets/storage-settings.ts` define',
    'them, and `npm run settings` writes this page from there.',
    '',
    '| Variable | Default | Meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
    'The limits of a workspace belong to its plan: see [limits of a plan](operations.md#limits-of-a-plan).',
  ].join('\n')}\n`;
}

if (import.meta.main) writeFileSync(file, describeSettings());
