import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '@shared/errors.ts';
import { progressStream } from '../../../src/main/lib/async/push-queue.ts';
import { createScriptedCore } from '../../fakes/scripted-core.ts';
import { createForwardRouter } from '../../../src/main/server/forward-router.ts';
import type { Channel } from '../../../src/main/server/serve-channel.ts';
import { createChannelServer } from '../../../src/main/server/serve-channel.ts';
import type { CoreClient } from '../../../src/main/server/local-socket.ts';
import type { SessionPush } from '@shared/contract/sessions-contract.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Served {
  readonly client: CoreClient;
  readonly sent: () => number;
  readonly close: () => void;
}

/** A client over a port. `send` can hold messages back. */
function serve(
  core: Partial<Record<'events' | 'list', unknown>>,
  hold: (sent: number) => Promise<void> | undefined,
): Served {
  const { port1, port2 } = new MessageChannel();
  ends.push(() => port1.close());
  let sent = 0;
  const channel: Channel = {
    send(message) {
      sent += 1;
      port2.postMessage(message);
      return hold(sent);
    },
    onMessage: (listener) => void port2.on('message', listener),
    onClose: (listener) => void port2.on('close', listener),
  };
  // Only these two commands are called here.
  const stand = { sessions: core } as unknown as CoreClient;
  createChannelServer(createForwardRouter({ client: async () => stand })).serve(channel);
  const port = port1 as unknown as globalThis.MessagePort;
  return { client: createORPCClient(new RPCLink({ port })), sent: () => sent, close: () => port1.close() };
}

const item = (seq: number): SessionPush => ({ type: 'caught-up', seq });

describe('a stream that always has a next item', () => {
  it('does not block timers and other calls', async () => {
    const events = async () =>
      (async function* () {
        for (let seq = 1; seq <= 5_000; seq += 1) yield item(seq);
      })();
    const { client, sent } = serve({ events, list: async () => [] }, () => undefined);
    const reading = (async () => {
      let last = 0;
      for await (const push of await client.sessions.events({ sessionId: 's', fromSeq: 1 })) {
        if (push.type === 'caught-up') last = push.seq;
      }
      return last;
    })();
    await client.sessions.list();
    expect(sent()).toBeLessThan(2_000);
    expect(await reading).toBe(5_000);
  });

  it('waits while the channel is full', async () => {
    let made = 0;
    let open = (): void => undefined;
    const full = new Promise<void>((resolve) => (open = resolve));
    const events = async () =>
      (async function* () {
        for (; made < 1_000; made += 1) yield item(made + 1);
      })();
    const { client } = serve({ events }, (sent) => (sent === 10 ? full : undefined));
    const stream = await client.sessions.events({ sessionId: 's', fromSeq: 1 });
    const reading = (async () => {
      for await (const push of stream) void push;
    })();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(made).toBeLessThan(12);
    open();
    await reading;
    expect(made).toBe(1_000);
  });

  it('is ended when the channel closes', async () => {
    let hasEnded = false;
    const events = async (_input: unknown, { signal }: { readonly signal: AbortSignal }) =>
      (async function* () {
        try {
          yield item(1);
          await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        } finally {
          hasEnded = true;
        }
      })();
    const { client, close } = serve({ events }, () => undefined);
    const stream = await client.sessions.events({ sessionId: 's', fromSeq: 1 });
    await stream[Symbol.asyncIterator]().next();
    close();
    await expect.poll(() => hasEnded).toBe(true);
  });
});

describe('a stream of the core', () => {
  it('passes on its failure, however late it comes', async () => {
    const core = createScriptedCore();
    const failing = new AppError('network', 'It broke off.', { hint: 'Try again.' });
    core.replace({
      models: {
        pull: ({ signal }) =>
          progressStream(async (onProgress) => {
            onProgress({ phase: 'checking', doneBytes: 0, totalBytes: null, text: '' });
            throw failing;
          }, signal),
      },
    });
    const { models } = core.client;
    const { client } = serve({ events: (_input: unknown) => models.pull({ id: 'a' }) }, () => undefined);
    const phases: unknown[] = [];
    const reading = (async () => {
      for await (const push of await client.sessions.events({ sessionId: 's', fromSeq: 1 })) phases.push(push);
    })();
    await expect(reading).rejects.toMatchObject({
      message: 'It broke off.',
      data: { code: 'network', hint: 'Try again.' },
    });
    expect(phases).toHaveLength(1);
  });
});

describe('a call that is forwarded to the core', () => {
  it('passes on a failure of the core with its code and hint', async () => {
    const list = async (): Promise<never> => {
      throw new AppError('home-busy', 'It does not answer.', { hint: 'Wait.' });
    };
    const { client } = serve({ list }, () => undefined);
    await expect(client.sessions.list()).rejects.toMatchObject({
      code: 'FAILED',
      defined: true,
      data: { code: 'home-busy', message: 'It does not answer.', hint: 'Wait.' },
    });
  });

  it('refuses invalid input before the core sees it', async () => {
    let isCalled = false;
    const events = async () => {
      isCalled = true;
    };
    const { client } = serve({ events }, () => undefined);
    await expect(client.sessions.events({ sessionId: '', fromSeq: 1 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(isCalled).toBe(false);
  });
});
