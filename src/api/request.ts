import { apiUrl } from './connection.ts';

/** A request to the API, as a query makes it, in the form that people can repeat. */
export type ApiRequest = {
  /** Below the base URL. */
  path: string;
  query?: Record<string, string | number | boolean>;
  json?: unknown;
  /** An image sent as a form. */
  file?: string;
};

declare module '@tanstack/react-query' {
  interface Register {
    /** `path`: of the operation, below the base address; generated. `file`: name of the file that is sent. */
    queryMeta: { path?: string; file?: string };
    /**
     * `errorShown`: where the change is made its failure is shown, so that no toast has to. `reload`: the queries that are read again after
     * a success, before its `onSuccess`. `done`: what a toast says then.
     */
    mutationMeta: { errorShown?: boolean; reload?: readonly (readonly unknown[])[]; done?: string };
  }
}

/** `meta` of a change whose failure is shown in its form. */
export const shownInForm = { errorShown: true };

/** The parts of a query's options that describe its request. */
export type DescribedQuery = { queryKey: readonly unknown[]; meta?: { path?: string; file?: string } | undefined };

/** The request that a query makes; undefined for one that makes none. */
export function requestOf({ queryKey: [key], meta }: DescribedQuery): ApiRequest | undefined {
  if (meta?.path === undefined) return undefined;
  const {
    path = {},
    query = {},
    body,
  } = key as {
    path?: Record<string, string>;
    query?: NonNullable<ApiRequest['query']>;
    body?: unknown;
  };
  return {
    path: meta.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')),
    query,
    ...(meta.file === undefined ? (body === undefined ? {} : { json: body }) : { file: meta.file }),
  };
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * A request as a command for a shell.
 * @param key the API key, or the name of a variable that holds it such as `$KEY`
 */
export function toCurl({ path, query, json, file }: ApiRequest, key: string): string {
  const search = new URLSearchParams(
    // A flag is written 1; one that is off is as good as left out.
    Object.entries(query ?? {}).flatMap(([name, value]) =>
      value === false ? [] : [[name, String(value === true ? 1 : value)]],
    ),
  ).toString();
  return [
    `curl -H "Authorization: Bearer ${key}"`,
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quote(JSON.stringify(json))}`]),
    ...(file === undefined ? [] : [`-F ${quote(`file=@${file}`)}`]),
    quote(`${apiUrl}${path}${search === '' ? '' : `?${search}`}`),
  ].join(' \\\n  ');
}
