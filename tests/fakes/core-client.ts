import { createRouterClient } from '@orpc/server';
import type { SessionEvent } from '../../src/shared/events/events.ts';
import { compose } from '../../src/main/compose.ts';
import type { ComposeConfig, Core } from '../../src/main/compose.ts';
import type { CoreClient } from '../../src/main/server/local-socket.ts';
import { createRouter } from '../../src/main/server/router.ts';

/** The real core of a home, with the client that a host in the same process gets. */
export interface ClientCore extends Core {
  readonly client: CoreClient;
}

export async function openClientCore(config: ComposeConfig): Promise<ClientCore> {
  const core = await compose(config);
  return { ...core, client: createRouterClient(createRouter(core.handlers)) };
}

/** All events that the log of a session holds now. */
export async function eventsOf(client: CoreClient, sessionId: string): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const push of await client.sessions.events({ sessionId })) {
    if (push.type === 'events') events.push(...push.events);
    if (push.type === 'caught-up') break;
  }
  return events;
}

/** Calls `onEvent` with every event of a session, from the first one on. The returned function stops it. */
export function followEvents(
  client: CoreClient,
  sessionId: string,
  onEvent: (event: SessionEvent) => void,
): () => void {
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const push of await client.sessions.events({ sessionId }, { signal: stop.signal })) {
      if (push.type === 'events') for (const event of push.events) onEvent(event);
    }
  };
  void follow();
  return () => stop.abort();
}

/** All items of a stream, up to its end. */
export async function itemsOf<T>(stream: Promise<AsyncIterable<T>>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const item of await stream) items.push(item);
  return items;
}
