/** A page of a list, as operations answer it. */
type Page = { data: unknown[]; meta?: { has_more?: boolean | undefined } | undefined };

/** An operation whose answers are pages. */
type List = (options: never) => Promise<Page>;

type Item<Operation extends List> = Awaited<ReturnType<Operation>>['data'][number];

/**
 * All items of a list, page after page, each asked for when the loop gets there:
 * `for await (const item of paginate(listMedia, { client, query: { type: 'video' } }))`.
 * Items that are added or removed meanwhile move the others, so one may come twice or not at all.
 * @param options as the operation takes them; without `per_page` the service decides how long a page is
 * @throws ApiError
 * @throws TypeError when what answers is no such service
 */
export async function* paginate<Operation extends List>(
  list: Operation,
  options: NonNullable<Parameters<Operation>[0]>,
): AsyncGenerator<Item<Operation>, void, undefined> {
  const { query = {} } = options as { query?: { page?: number } };
  for (let page = query.page ?? 1; ; page++) {
    const { data, meta } = await list({ ...(options as object), query: { ...query, page } } as never);
    if (!Array.isArray(data)) throw new TypeError('The answer holds no list.');
    yield* data as Item<Operation>[];
    if (meta?.has_more !== true || data.length === 0) return;
  }
}
