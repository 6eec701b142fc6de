import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSentFold, type SentRow } from '../../../../src/main/safety/receipt/sent-rows.ts';
import { noteUnseen, recordSends, type SendRecord } from '../../../../src/main/lib/net/record-of-sends.ts';
import { withReason } from '../../../../src/main/lib/net/send-reason.ts';
import { readRecord } from '../../../../src/main/safety/receipt/read-record.ts';

let folder: string;
let record: SendRecord | null = null;
let servers: Server[] = [];
let taken = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-sent-'));
  taken = 0;
});

afterEach(async () => {
  record?.close();
  record = null;
  for (const server of servers.splice(0)) server.close();
  servers = [];
  await rm(folder, { recursive: true, force: true });
});

/** A host that reads all, or nothing at all. */
async function host(isReading = true): Promise<number> {
  const server = createServer({ pauseOnConnect: !isReading }, (socket) => {
    socket.on('data', (bytes) => (taken += bytes.length)).on('error', () => undefined);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

async function send(port: number, bytes: number): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.end(Buffer.alloc(bytes));
  socket.resume();
  await new Promise((done) => socket.once('close', done));
}

async function read(): Promise<{ readonly rows: readonly SentRow[]; readonly unreadable: number }> {
  const fold = createSentFold();
  const signal = new AbortController().signal;
  const { unreadable } = await readRecord(folder, { wants: () => true, signal }, fold.add);
  return { rows: fold.rows(), unreadable };
}

const away = { isHere: () => false };

describe('the record of what was sent', () => {
  it('has a file for each month, and the bytes of a connection in the month in which they went', async () => {
    let time = Date.UTC(2026, 10, 30, 23, 59);
    record = recordSends(folder, { ...away, now: () => time });
    const port = await host();
    const socket = connect(port, '127.0.0.1');
    await new Promise((done) => socket.once('connect', done));
    socket.write(Buffer.alloc(1_000));
    await expect.poll(() => taken).toBe(1_000);
    record.settle();
    time = Date.UTC(2026, 11, 1, 0, 1);
    socket.end(Buffer.alloc(500));
    await expect.poll(() => taken).toBe(1_500);
    socket.destroy();
    record.settle();
    const outOf = async (month: string): Promise<number> => {
      const names = (await readdir(folder)).filter((name) => name.startsWith(month));
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      const lines = texts.join('').split('\n').filter(Boolean);
      return lines.reduce((sum, line) => sum + Number(Object(JSON.parse(line)).out), 0);
    };
    await expect.poll(async () => [await outOf('2026-11'), await outOf('2026-12')]).toEqual([1_000, 500]);
  });

  it('counts the same when the clock was set back', async () => {
    let time = Date.UTC(2026, 10, 30);
    record = recordSends(folder, { ...away, now: () => time });
    const port = await host();
    await send(port, 700);
    time = Date.UTC(2026, 9, 3);
    await send(port, 300);
    record.settle();
    expect((await read()).rows.map(({ out }) => out)).toEqual([1_000]);
  });

  it('adds up what two processes of one home wrote', async () => {
    record = recordSends(folder, away);
    const other = recordSends(folder, { isHere: () => true });
    other.close();
    const port = await host();
    await send(port, 400);
    record.close();
    record = recordSends(folder, away);
    await send(port, 600);
    record.settle();
    const { rows } = await read();
    expect(rows.map(({ out, connections }) => [out, connections])).toEqual([[1_000, 2]]);
  });

  it('does not take half a line at the end for a line, and says how many others it could not read', async () => {
    record = recordSends(folder, away);
    await send(await host(), 50);
    record.settle();
    const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.jsonl'));
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), `no line\n${text}{"at":17,"id":3`);
    expect(await read()).toMatchObject({ unreadable: 1, rows: [{ out: 50, perhapsMore: 0 }] });
  });

  it('names a program with a network of its own, on whose behalf it starts', async () => {
    record = recordSends(folder, away);
    withReason({ server: 'notes' }, () => noteUnseen('notes-server'));
    const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.jsonl'));
    const line: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'));
    expect(line).toMatchObject({ state: 'unseen', host: 'notes-server', why: { server: 'notes' } });
  });

  it.each([
    ['the last word of its exit', '', 'process.exit(0);'],
    ['the end of its core', 'record.close();', 'process.exit(0);'],
    ['its end by itself', '', 'socket.unref();'],
  ])('has what left between the last count and %s', async (_name, before, after) => {
    const port = await host();
    const lib = join(resolve(import.meta.dirname, '../../../..'), 'src/main/lib/net');
    const script = join(folder, 'end.ts');
    await writeFile(
      script,
      `import { connect } from 'node:net';
      import { recordSends } from ${JSON.stringify(join(lib, 'record-of-sends.ts'))};
      const record = recordSends(${JSON.stringify(folder)}, { isHere: () => false });
      const socket = connect(${port}, '127.0.0.1', () => {
        socket.write(Buffer.alloc(300));
        ${before}
        socket.write(Buffer.alloc(4_000), () => { ${after} });
      });`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
    expect(await new Promise((done) => child.once('exit', done))).toBe(0);
    await expect.poll(() => taken).toBe(4_300);
    expect((await read()).rows).toMatchObject([{ out: 4_300, perhapsMore: 0 }]);
  });

  it('knows that its writer is gone when a later process has the same id', async () => {
    record = recordSends(folder, away);
    const socket = connect(await host(), '127.0.0.1');
    await new Promise((done) => socket.once('connect', done));
    const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.jsonl'));
    const running = await read();
    const text = await readFile(join(folder, name));
    await rm(join(folder, name));
    await writeFile(join(folder, name.replace(/.{16}(?=\.jsonl$)/u, '0123456789abcdef')), text);
    const gone = await read();
    socket.destroy();
    expect([running, gone].map(({ rows }) => rows[0]?.perhapsMore)).toEqual([0, null]);
  });

  it('says after a kill in the middle of an upload how much left at least, and how much at most', async () => {
    const port = await host(false);
    const root = resolve(import.meta.dirname, '../../../..');
    const script = join(folder, 'upload.ts');
    const lib = join(root, 'src/main/lib/net');
    await writeFile(
      script,
      `import { recordSends } from ${JSON.stringify(join(lib, 'record-of-sends.ts'))};
      import { createNetFetch } from ${JSON.stringify(join(lib, 'net-fetch.ts'))};
      recordSends(${JSON.stringify(folder)}, { isHere: () => false });
      const reach = createNetFetch(() => ({ proxy: null, certificates: null }), {});
      void reach('http://127.0.0.1:${port}/', { method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) });
      setTimeout(() => undefined, 600_000);`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
    await expect.poll(async () => (await read()).rows[0]?.out, { timeout: 90_000 }).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await new Promise((done) => child.once('exit', done));
    const { rows } = await read();
    const [row] = rows;
    expect(row?.out).toBeGreaterThan(0);
    expect(row?.out).toBeLessThan(64 * 1024 * 1024);
    expect((row?.out ?? 0) + (row?.perhapsMore ?? 0)).toBeGreaterThanOrEqual(64 * 1024 * 1024);
  });
});
