import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fieldOf } from '@shared/unknown-value.ts';

/** The request whose response is open now. Only one is: output goes to the latest request. */
interface Open {
  readonly response: ServerResponse;
  readonly id: unknown;
}

/**
 * The hostile stdio server, reachable over HTTP. Each posted message goes to a program, and its output returns
 * unchanged as a stream of events. When a program dies, its connections end. The next message starts another program.
 */
export async function bridgeHostile(
  mode: string,
  notes: string,
): Promise<{ readonly url: string; readonly requests: () => number; close(): Promise<void> }> {
  let child: ChildProcess | null = null;
  let open: Open | null = null;
  let requests = 0;
  const program = (): ChildProcess => {
    if (child !== null) return child;
    const made = spawn(process.execPath, [resolve('tests/fakes/hostile-tool-server.mjs'), mode, notes], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child = made;
    let rest = '';
    made.stdin.on('error', () => undefined);
    made.stdout.setEncoding('utf8').on('data', (printed: string) => {
      const to = open;
      if (to === null) return;
      // A client that stops reading stops the program, as a pipe would.
      if (!to.response.write(printed.replaceAll('\n', '\n\ndata: '))) {
        made.stdout.pause();
        to.response.once('drain', () => made.stdout.resume());
      }
      const lines = (rest + printed).split('\n');
      rest = (lines.pop() ?? '').slice(0, 1_000_000);
      if (lines.some((line) => isAnswer(line, to.id))) end();
    });
    made.once('exit', () => {
      child = null;
      open?.response.destroy();
      open = null;
    });
    return made;
  };
  const end = (): void => {
    open?.response.end('\n\n');
    open = null;
  };
  const server = createServer((request, response) => {
    requests += 1;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void text(request).then((body) => {
      const message: unknown = JSON.parse(body);
      const id = fieldOf(message, 'method') === undefined ? undefined : fieldOf(message, 'id');
      const made = program();
      if (id === undefined) response.writeHead(202).end();
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: ');
        open = { response, id };
        response.once('close', () => made.stdout?.resume());
      }
      made.stdin?.write(`${body}\n`);
    });
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests: () => requests,
    close: async () => {
      child?.kill('SIGKILL');
      server.closeAllConnections();
      await new Promise((done) => void server.close(done));
    },
  };
}

function isAnswer(line: string, id: unknown): boolean {
  try {
    const message: unknown = JSON.parse(line);
    return fieldOf(message, 'method') === undefined && fieldOf(message, 'id') === id;
  } catch {
    // Not JSON, so not an answer.
    return false;
  }
}
