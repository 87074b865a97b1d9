import { call, type CallOptions, type OperationShape, type Transport } from './transport.ts';

/**
 * What generated functions run on, in place of the generator's own runtime, which is many times as large. A call returns the JSON of a
 * success; everything else throws.
 */

export type ClientOptions = { baseUrl?: string };
export type ClientMeta = Record<string, unknown>;
export type Config<Options = ClientOptions> = Partial<Options> & { throwOnError?: boolean };
export type TDataShape = OperationShape;

/** What an operation is called with. */
export type Options<Data extends OperationShape, _ThrowOnError, _Response> = CallOptions &
  Omit<Data, 'url' | 'headers'> & { throwOnError?: boolean };

export type RequestResult<Responses, _Errors, _ThrowOnError, _Style> = Promise<Responses[keyof Responses]>;

type Call = <Responses, Errors, ThrowOnError, Style>(
  options: CallOptions & OperationShape & { responseStyle?: Style },
) => RequestResult<Responses, Errors, ThrowOnError, Style>;

/** The methods that generated functions call, and the address for TanStack's query keys. */
export type Client = Record<'delete' | 'get' | 'patch' | 'post', Call> & { getConfig: () => ClientOptions };

export const createConfig = <Options extends ClientOptions>(config: Config<Options>): Config<Options> => config;

/** @param transport is asked for at each call */
export function createCaller(transport: () => Transport): Client {
  const callBy =
    (method: string): Call =>
    async (options) =>
      (await call(transport(), method, options)) as never;
  return {
    delete: callBy('DELETE'),
    get: callBy('GET'),
    patch: callBy('PATCH'),
    post: callBy('POST'),
    getConfig: () => ({ baseUrl: transport().baseUrl }),
  };
}

/** Makes a form of a body; the generator calls it so. */
export const formDataBodySerializer = {
  bodySerializer: (body: unknown): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(body as Record<string, string | Blob | undefined>)) {
      if (value !== undefined) form.set(name, value);
    }
    return form;
  },
};

let defaultTransport: Transport | undefined;

/** Sets the client of all functions that are called without one, for programs that know one workspace only. */
export function setDefaultClient({ transport }: { transport: Transport }): void {
  defaultTransport = transport;
}

function chosen(): Transport {
  if (!defaultTransport) throw new Error('Pass a client, as in listMedia({ client: createClient({ url, key }) }).');
  return defaultTransport;
}

/** The client of functions that are called without one; the generator calls it so. */
export const createClient = (_config: ClientOptions): Client => createCaller(chosen);
