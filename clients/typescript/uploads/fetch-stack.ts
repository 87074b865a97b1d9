import type { HttpRequest, HttpResponse, HttpStack } from 'tus-js-client';

/** Sends the requests of tus-js-client by the `fetch` that a client was given. It does not say how much of a part was sent. */
export class FetchStack implements HttpStack {
  readonly #fetch: typeof fetch;

  constructor(fetch: typeof globalThis.fetch) {
    this.#fetch = fetch;
  }

  createRequest(method: string, url: string): HttpRequest {
    const send = this.#fetch;
    const headers = new Headers();
    const controller = new AbortController();
    return {
      getMethod: () => method,
      getURL: () => url,
      setHeader: (name, value) => headers.set(name, value),
      getHeader: (name) => headers.get(name) ?? undefined,
      setProgressHandler: () => undefined,
      async send(body: BodyInit | null): Promise<HttpResponse> {
        const response = await send(url, { method, headers, body, signal: controller.signal });
        const text = await response.text();
        return {
          getStatus: () => response.status,
          getHeader: (name) => response.headers.get(name) ?? undefined,
          getBody: () => text,
          getUnderlyingObject: () => response,
        };
      },
      abort: async () => controller.abort(),
      getUnderlyingObject: () => undefined,
    };
  }

  getName(): string {
    return 'FetchStack';
  }
}
