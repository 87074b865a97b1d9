import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { describeApi, describeDashboardApi } from '../contract/openapi.ts';

/** Writes the types of the dashboard's client from the OpenAPI documents. They are not kept in git: types, never stale. */

const folder = path.join(import.meta.dirname, '..', 'src', 'api', 'generated');

mkdirSync(folder, { recursive: true });
for (const [name, describe] of [
  ['api.ts', describeApi],
  ['dashboard-api.ts', describeDashboardApi],
] as const) {
  const tree = await openapiTypescript(describe('', '') as unknown as OpenAPI3, {
    alphabetize: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  writeFileSync(path.join(folder, name), astToString(tree));
}
