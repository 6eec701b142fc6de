import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/main/server/router.ts';
import type { SocketConnection, SocketServer } from '../../../src/main/server/local-socket.ts';
import { connectSocket, serveSocket } from '../../../src/main/server/local-socket.ts';
import type { FakeCore } from '../../fakes/fake-core.ts';
import { createFakeCore, sessionEvent } from '../../fakes/fake-core.ts';
import type { SessionPush } from '@shared/contract/sessions-contract.ts';

let folder = '';
let core: FakeCore;
let server: SocketServer;
let connection: SocketConnection;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-socket-'));
  core = createFakeCore([sessionEvent(1), sessionEvent(2)]);
  server = await serveSocket(createRouter(core.handlers), join(folder, 'core.sock'));
  connection = await connectSocket(join(folder, 'core.sock'), 2000);
});

afterEach(async () => {
  connection.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the local socket', () => {
  it('is accessible to this user only', async () => {
    expect((await stat(join(folder, 'core.sock'))).mode & 0o077).toBe(0);
  });

  it('answers a call', async () => {
    expect(await connection.client.home.info()).toEqual({
      pid: process.pid,
      version: '0.0.0',
      home: '/home',
      cache: '/cache',
    });
  });

  it('passes on an expected failure with its code and hint', async () => {
    await expect(connection.client.sessions.find({ id: 'x' })).rejects.toMatchObject({
      code: 'FAILED',
      data: { code: 'not-found', message: 'There is no such thing.', hint: 'Look elsewhere.' },
    });
  });

  it('refuses input that breaks the contract', async () => {
    await expect(connection.client.sessions.find({ id: '' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('streams the events of the log, then those that happen', async () => {
    const stop = new AbortController();
    const seen: SessionPush[] = [];
    for await (const push of await connection.client.sessions.events({ sessionId: 's' }, { signal: stop.signal })) {
      seen.push(push);
      if (push.type === 'caught-up') core.emit(sessionEvent(3));
      if (push.type === 'events' && push.events.some((event) => event.seq === 3)) break;
    }
    expect(seen).toEqual([
      { type: 'events', events: [sessionEvent(1), sessionEvent(2)] },
      { type: 'caught-up', seq: 2 },
      { type: 'events', events: [sessionEvent(3)] },
    ]);
  });

  it('ends the subscription in the core when the client goes away', async () => {
    const pushes = await connection.client.sessions.events({ sessionId: 's' });
    const reading = (async () => {
      for await (const push of pushes) void push;
    })().catch(() => undefined);
    await expect.poll(() => core.subscribers()).toBe(1);
    connection.close();
    await expect.poll(() => core.subscribers()).toBe(0);
    await reading;
  });

  it('passes on the progress of a download and ends with it', async () => {
    const phases: string[] = [];
    for await (const progress of await connection.client.models.pull({ id: 'x/y' })) phases.push(progress.phase);
    expect(phases.at(-1)).toBe('done');
  });

  it('refuses a connection when the owner has gone', async () => {
    await server.close();
    await connection.closed;
    await expect(connectSocket(join(folder, 'core.sock'), 500)).rejects.toMatchObject({ code: 'home-busy' });
  });
});
