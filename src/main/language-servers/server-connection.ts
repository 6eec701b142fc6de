import { PassThrough, Writable } from 'node:stream';
import {
  CancellationTokenSource,
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { AppError, messageOf, valueOf } from '@shared/errors.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { abortable } from '../lib/async/abort.ts';
import { withoutEscapes } from '@shared/text/seen-text.ts';
import { countOfLog, countOfQuestion, createMessageRate, tooManyMessages } from '../lib/message-rate.ts';
import type { OpenProcess, Sandbox } from '../sandbox/sandbox.ts';
import { MessageHeaders } from './message-headers.ts';

/** More bytes than this without a whole message end the server. */
const longestMessage = 32 * 1024 * 1024;
/** Messages that the server does not read fill the memory of this program. Above this limit the server is ended. */
const mostUnread = 32 * 1024 * 1024;
const keptErrors = 2_000;
/** A server may have so many pieces of work that it tells about. */
const mostWork = 100;

export interface Wait {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** A running server, and the protocol with it. What it says is untrusted. */
export interface ServerConnection {
  /** The answer to a request. Rejects with an `AppError` that says why there is none. */
  readonly ask: (method: string, params: unknown, wait: Wait) => Promise<unknown>;
  readonly tell: (method: string, params: unknown) => void;
  /** Whether it says that it still works on something, such as an index. */
  readonly isBusy: () => boolean;
  /** Resolves with the reason when it has ended. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it and everything that it started, for this reason. */
  readonly end: (why: string) => Promise<void>;
}

export interface ConnectionStart {
  readonly name: string;
  readonly command: string;
  /** Called with a message that asks for no answer. */
  readonly onTold: (method: string, params: unknown) => void;
}

/** Starts a server as a process of the sandbox, which has no network. It lives until `end`, or until the sandbox ends. */
export async function connectServer(
  sandbox: Pick<Sandbox, 'open'>,
  { name, command, onTold }: ConnectionStart,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const flow = new ServerFlow(name);
  const { allows } = flow;
  const opened = valueOf(
    await sandbox.open({ command, onOutput: ({ stream, bytes }) => flow.hear(stream, bytes) }, signal),
  );
  flow.opened(opened);
  const protocol = createMessageConnection(new StreamMessageReader(flow.input), new StreamMessageWriter(flow.output));
  const work = new Set<unknown>();
  const over = flow.ended.then((why) => {
    protocol.dispose();
    return why;
  });
  protocol.onError(([error]) => void flow.cutOff(`it sent what cannot be read: ${shortenText(error.message, 200)}`));
  protocol.onRequest((method, params) => {
    allows(countOfQuestion);
    return answerTo(method, params);
  });
  protocol.onNotification((method, params) => {
    if (!allows(method === 'window/logMessage' || method === 'textDocument/publishDiagnostics' ? countOfLog : 1))
      return;
    onTold(method, params);
  });
  protocol.onUnhandledProgress(({ token, value }) => {
    if (allows(1)) noteWork(work, token, value);
  });
  protocol.listen();
  return {
    ask: (method, params, wait) => askServer({ name, protocol, flow, over }, { method, params }, wait),
    tell: (method, params) => {
      // A message that no longer arrives: `ended` says why.
      if (!flow.isOver()) protocol.sendNotification(method, params).catch(() => undefined);
    },
    isBusy: () => work.size > 0,
    ended: over,
    end: (why) => flow.cutOff(why),
  };
}

/** The bytes from and to a server, with their limits. */
class ServerFlow {
  readonly input = new PassThrough({ highWaterMark: longestMessage });
  readonly output: Writable;
  readonly ended: Promise<string>;
  readonly #rate = createMessageRate();
  readonly #headers = new MessageHeaders();
  readonly #name: string;
  #process: OpenProcess | null = null;
  #why: string | null = null;
  #isOver = false;
  #errors = '';
  #unparsed = 0;
  #unread = 0;
  #setEnded: (why: string) => void = () => undefined;

  constructor(name: string) {
    this.#name = name;
    this.ended = new Promise((resolve) => (this.#setEnded = resolve));
    this.output = new Writable({
      write: (bytes: Uint8Array, _encoding, done) => {
        this.#unread += bytes.length;
        if (this.#unread > mostUnread) void this.cutOff('it does not read what it is sent');
        const written = this.#process?.write(bytes) ?? Promise.resolve();
        void written
          .catch((error: unknown) => void this.cutOff(messageOf(error)))
          .finally(() => (this.#unread -= bytes.length));
        done();
      },
    });
  }

  readonly isOver = (): boolean => this.#isOver || this.#why !== null;

  /** False: the message is more than a server may send. */
  readonly allows = (count: number): boolean => {
    this.#unparsed = 0;
    if (this.isOver()) return false;
    if (this.#rate(count)) return true;
    void this.cutOff(tooManyMessages);
    return false;
  };

  opened(process: OpenProcess): void {
    this.#process = process;
    void process.ended.then(({ exitCode }) => {
      this.#isOver = true;
      const last = withoutEscapes(this.#errors).trim().split('\n').at(-1) ?? '';
      const said = last === '' ? '' : ` Its last words: ${shortenText(last, 200)}`;
      this.#setEnded(this.#why ?? `it ended by itself (exit code ${exitCode ?? 'unknown'}).${said}`);
      this.input.destroy();
    });
    if (this.#why !== null) void process.close();
  }

  hear(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    if (stream === 'stderr') this.#errors = (this.#errors + Buffer.from(bytes).toString('utf8')).slice(-keptErrors);
    else if (!this.isOver()) {
      this.#unparsed += bytes.length;
      if (this.#unparsed > longestMessage)
        void this.cutOff(`it sent more than ${longestMessage / 1024 / 1024} MB at once`);
      else if (!this.#headers.allow(bytes)) void this.cutOff('it sent what is no message');
      else this.input.write(bytes);
    }
  }

  answered(): void {
    this.#unparsed = 0;
  }

  async cutOff(why: string): Promise<void> {
    if (this.isOver()) return;
    this.#why = `${this.#name} was ended: ${why}`;
    await this.#process?.close();
  }
}

interface Asking {
  readonly name: string;
  readonly protocol: MessageConnection;
  readonly flow: ServerFlow;
  readonly over: Promise<string>;
}

async function askServer(
  { name, protocol, flow, over }: Asking,
  { method, params }: { readonly method: string; readonly params: unknown },
  { limitMs, signal }: Wait,
): Promise<unknown> {
  const source = new CancellationTokenSource();
  const limit = AbortSignal.timeout(Math.max(1, Math.ceil(limitMs)));
  const gone = over.then((why): never => {
    throw new AppError('not-found', `The language server ${name} is not there: ${why}`);
  });
  // Nobody may be waiting any more.
  gone.catch(() => undefined);
  try {
    const answer = protocol.sendRequest(method, params, source.token);
    return await abortable(Promise.race([answer, gone]), AbortSignal.any([limit, signal]));
  } catch (error) {
    source.cancel();
    signal.throwIfAborted();
    if (limit.aborted)
      throw new AppError('timeout', `The language server ${name} gave no answer within ${Math.ceil(limitMs)} ms.`);
    if (error instanceof AppError) throw error;
    if (flow.isOver()) throw new AppError('not-found', `The language server ${name} is not there: ${await over}`);
    const message = `The language server ${name} answered: ${shortenText(messageOf(error), 300)}`;
    throw new AppError(error instanceof ResponseError && mayAskAgain(error.code) ? 'conflict' : 'bad-input', message);
  } finally {
    flow.answered();
    source.dispose();
  }
}

/** The file changed meanwhile, or the server dropped the request to do other work first. */
const mayAskAgain = (code: number): boolean => code === -32_801 || code === -32_802;

/** What a server asks for. It gets no settings, changes no file, and opens nothing. */
function answerTo(method: string, params: unknown): unknown {
  switch (method) {
    case 'workspace/configuration': {
      const items = fieldOf(params, 'items');
      return Array.isArray(items) ? items.slice(0, 100).map(() => null) : [];
    }
    case 'workspace/applyEdit':
      return { applied: false, failureReason: 'This client applies no edits of a server.' };
    case 'window/showDocument':
      return { success: false };
    case 'client/registerCapability':
    case 'client/unregisterCapability':
    case 'window/workDoneProgress/create':
    case 'window/showMessageRequest':
    case 'workspace/workspaceFolders':
    case 'workspace/diagnostic/refresh':
      return null;
    default:
      return new ResponseError(-32_601, 'This client does not know the method.');
  }
}

function noteWork(work: Set<unknown>, token: unknown, value: unknown): void {
  const kind = fieldOf(value, 'kind');
  if (kind === 'begin' && work.size < mostWork) work.add(token);
  if (kind === 'end') work.delete(token);
}
