import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { createFirstQuestion } from './first-question.ts';
import { countOfLog, countOfQuestion, createMessageRate, logMethod, tooManyMessages } from './message-rate.ts';
import type { ServerProcess, ServerStart } from './server-process.ts';

/** A message above this is no message but a flood: the server is ended. */
export const longestMessage = 10 * 1024 * 1024;
/** What it asks for and does not read fills the memory of this program. */
const mostUnread = 16 * 1024 * 1024;
const keptErrors = 2_000;

export interface ProcessTransport extends Transport {
  /** The end of what the server printed beside the protocol: why it did not start. */
  readonly said: () => string;
  /** What it did for which it was ended; null: nothing of that kind. */
  readonly endedFor: () => string | null;
  /** Whether it was started and sent no message yet. */
  readonly isSilent: () => boolean;
}

type Start = (onOutput: ServerStart['onOutput']) => Promise<ServerProcess>;

/**
 * Messages of the protocol, one a line, over the pipes of a process that this program starts and ends in its own way.
 * `waitMs`: how long the first answer may take.
 */
export function createProcessTransport(start: Start, waitMs: number): ProcessTransport {
  let process: ServerProcess | null = null;
  let errors = '';
  let isOver = false;
  let hasSpoken = false;
  let endedFor: string | null = null;
  let unread = 0;
  const allows = createMessageRate();
  const cutOff = (why: string): void => {
    if (isOver || endedFor !== null) return;
    endedFor = why;
    transport.onerror?.(new Error(`The server was ended: ${why}.`));
    void transport.close();
  };
  const send = async (message: JSONRPCMessage): Promise<void> => {
    if (process === null || isOver) throw new Error('The server is not running.');
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`, 'utf8');
    unread += bytes.length;
    if (unread > mostUnread) cutOff('it does not read what it is sent');
    await process.write(bytes);
    unread -= bytes.length;
  };
  const first = createFirstQuestion(send, (message) => transport.onmessage?.(message), waitMs);
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    first.end();
    transport.onclose?.();
  };
  const lines = createLineReader((line) => {
    const message = messageOf(line);
    // What is no message is what a server prints that should print nothing else.
    if (message === null || isOver || endedFor !== null) return;
    const isLog = 'method' in message && message.method === logMethod;
    const count = isLog ? countOfLog : 'method' in message && 'id' in message ? countOfQuestion : 1;
    if (!allows(count)) return cutOff(tooManyMessages);
    if (isLog) return;
    if (!first.isForClient(message)) return;
    hasSpoken = true;
    transport.onmessage?.(message);
  });
  const hear: ServerStart['onOutput'] = (stream, bytes) => {
    if (stream === 'stderr') errors = (errors + Buffer.from(bytes).toString('utf8')).slice(-keptErrors);
    else if (endedFor === null && !lines(bytes))
      cutOff(`it sent a message of more than ${longestMessage / 1024 / 1024} MB`);
  };
  const transport: ProcessTransport = {
    said: () => errors.trim(),
    endedFor: () => endedFor,
    isSilent: () => process !== null && !hasSpoken,
    start: async () => {
      process = await start(hear);
      void process.ended.then(over);
    },
    send: (message) => {
      first.sent(message);
      return send(message);
    },
    close: async () => {
      await process?.close();
      over();
    },
  };
  return transport;
}

/** False: a line grows beyond all measure. */
function createLineReader(take: (line: string) => void): (bytes: Uint8Array) => boolean {
  let held: Uint8Array[] = [];
  let size = 0;
  return (bytes) => {
    let from = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      held.push(bytes.subarray(from, at));
      take(Buffer.concat(held).toString('utf8'));
      held = [];
      size = 0;
      from = at + 1;
    }
    const rest = bytes.subarray(from);
    if (rest.length > 0) held.push(Uint8Array.from(rest));
    size += rest.length;
    return size <= longestMessage;
  };
}

function messageOf(line: string): JSONRPCMessage | null {
  try {
    const value: unknown = JSON.parse(line);
    const isOne = typeof value === 'object' && value !== null && Reflect.get(value, 'jsonrpc') === '2.0';
    // The client checks the rest: it takes every message for a stranger's.
    return isOne ? (value as JSONRPCMessage) : null;
  } catch {
    // A line of a log among the messages.
    return null;
  }
}
