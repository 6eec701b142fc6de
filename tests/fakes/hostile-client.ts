import { mapStrings } from '../../src/main/lib/map-strings.ts';

/**
 * The same client, with every text in its answers changed by `change`. Property names and `type` fields stay: without
 * them, nobody could tell which push is the last one. `at` counts the texts that came before.
 */
export function hostileClient<Client extends object>(
  client: Client,
  change: (text: string, at: number) => string,
): Client {
  let at = 0;
  const hostile = (value: unknown): unknown =>
    mapStrings(value, (text, property) => (property === 'type' || property === null ? text : change(text, at++)));
  const wrapped = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get: (target, name): unknown => {
        const inner: unknown = Reflect.get(target, name);
        return (typeof inner === 'object' && inner !== null) || typeof inner === 'function' ? wrapped(inner) : inner;
      },
      apply: async (target, self: unknown, args: unknown[]) => {
        const answer: unknown = typeof target === 'function' ? await Reflect.apply(target, self, args) : undefined;
        return isStream(answer) ? hostileStream(answer, hostile) : hostile(answer);
      },
    });
  return wrapped(client);
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

async function* hostileStream(items: AsyncIterable<unknown>, hostile: (value: unknown) => unknown) {
  for await (const item of items) yield hostile(item);
}
