import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { countOfLog, countOfQuestion, createMessageRate, logMethod, tooManyMessages } from '../../lib/message-rate.ts';
import type { ServerProcess, ServerStart } from './server-process.ts';

/** A larger message counts as a flood and ends the server. */
export const longestMessage = 10 * 1024 * 1024;
/** Messages that the server does not read fill the memory of this program. Above this limit the server is ended. */
const mostUnread = 16 * 1024 * 1024;
const keptErrors = 2_000;

export interface ProcessTransport extends Transport {
  /** The end of what the server printed on its error output, else among its messages: it may say why it did not start. */
  readonly said: () => string;
  /** How the server ended by itself. Null: it runs, or Dewpoint ended it. */
  readonly exit: () => { readonly exitCode: number | null } | null;
  /** Why Dewpoint ended the server. Null: it did not. */
  readonly endedFor: () => string | null;
  /** Whether the server was started and has not sent a message yet. */
  readonly isSilent: () => boolean;
}

type Start = (onOutput: ServerStart['onOutput']) => Promise<ServerProcess>;

/** Protocol messages, one per line, over the pipes of a process that the caller's `start` starts. */
export function createProcessTransport(start: Start): ProcessTransport {
  let process: ServerProcess | null = null;
  let errors = '';
  let notes = '';
  let exit: { readonly exitCode: number | null } | null = null;
  let isOver = false;
  let isClosing = false;
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
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    transport.onclose?.();
  };
  const lines = createLineReader((line) => {
    const message = messageOf(line);
    // A line that is not a message: other output of the server. It is kept until the server speaks.
    if (message === null && !hasSpoken) notes = `${notes}${line.slice(0, keptErrors)}\n`.slice(-keptErrors);
    if (message === null || isOver || endedFor !== null) return;
    const isLog = 'method' in message && message.method === logMethod;
    const count = isLog ? countOfLog : 'method' in message && 'id' in message ? countOfQuestion : 1;
    if (!allows(count)) return cutOff(tooManyMessages);
    if (isLog) return;
    hasSpoken = true;
    transport.onmessage?.(message);
  });
  const hear: ServerStart['onOutput'] = (stream, bytes) => {
    if (stream === 'stderr') errors = (errors + Buffer.from(bytes).toString('utf8')).slice(-keptErrors);
    else if (endedFor === null && !lines(bytes))
      cutOff(`it sent a message of more than ${longestMessage / 1024 / 1024} MB`);
  };
  const transport: ProcessTransport = {
    said: () => (errors.trim() === '' ? notes.trim() : errors.trim()),
    exit: () => exit,
    endedFor: () => endedFor,
    isSilent: () => process !== null && !hasSpoken,
    start: async () => {
      process = await start(hear);
      void process.ended.then((how) => {
        if (!isClosing) exit = how;
        over();
      });
    },
    send,
    close: async () => {
      isClosing = true;
      await process?.close();
      over();
    },
  };
  return transport;
}

/** Takes chunks of bytes and calls `take` for each line. Returns false once a line is longer than a message may be. */
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
    // The client checks the rest, because it does not trust messages.
    return isOne ? (value as JSONRPCMessage) : null;
  } catch {
    // A log line among the messages.
    return null;
  }
}
