import { posix } from 'node:path';
import type { InitializeParams } from 'vscode-languageserver-protocol';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { shellQuote } from '../lib/programs/shell-quote.ts';
import { sleep } from '../lib/async/abort.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { FoundServer } from './find-servers.ts';
import { readProblems, type Problem } from './server-answers.ts';
import { connectServer, type ServerConnection, type Wait } from './server-connection.ts';
import { languageFor, type ServerKind } from './server-table.ts';
import { pathOf, uriOf } from './workspace-uri.ts';

/** How long a server may take until it can be asked something. */
const startLimitMs = 30_000;
/** Until a request that was dropped is sent again. */
const againMs = 50;
/** More open files than this are closed again, the oldest first. */
const mostOpen = 60;

/** A server that was started and can be asked. Its documents have the text that the caller gave last. */
export interface RunningServer extends Pick<ServerConnection, 'ask' | 'isBusy' | 'ended' | 'end'> {
  readonly kind: ServerKind;
  /** Opens the file with this text, or tells the change. */
  readonly show: (path: string, text: string) => void;
  readonly close: (path: string) => void;
  readonly shown: () => ReadonlyMap<string, string>;
  /** Says which files on the disk are different. */
  readonly tellChanged: (files: readonly FileNews[]) => void;
  /** What it finds wrong with the text that an open file has now. Null: what it found follows from a missing package. */
  readonly problems: (path: string, wait: Wait) => Promise<readonly Problem[] | null>;
}

export interface FileNews {
  readonly path: string;
  readonly what: 'created' | 'changed' | 'deleted';
}

interface Document {
  readonly version: number;
  readonly text: string;
}

interface Published {
  readonly version: number | null;
  readonly problems: readonly Problem[];
}

/** Starts a server for the workspace of the sandbox, and waits until it can be asked. */
export async function startServer(
  sandbox: Pick<Sandbox, 'open' | 'workspacePath'>,
  { kind, program }: FoundServer,
  signal: AbortSignal,
): Promise<RunningServer> {
  const root = sandbox.workspacePath;
  const published = new PublishedProblems(root);
  const ready = createReadiness(kind);
  const connection = await connectServer(
    sandbox,
    {
      name: kind.name,
      command: `exec ${[program, ...kind.args].map(shellQuote).join(' ')}`,
      onTold: (method, params) => {
        if (method === 'textDocument/publishDiagnostics') published.note(params);
        if (method === 'window/logMessage') ready.note(params);
      },
    },
    signal,
  );
  try {
    const params = { ...opening(root), ...(kind.options === undefined ? {} : { initializationOptions: kind.options }) };
    const answer = await connection.ask('initialize', params, { limitMs: startLimitMs, signal });
    connection.tell('initialized', {});
    return withDocuments({ kind, root, connection, published, ready, answer });
  } catch (error) {
    await connection.end('it could not be started');
    throw error;
  }
}

interface Started {
  readonly kind: ServerKind;
  readonly root: string;
  readonly connection: ServerConnection;
  readonly published: PublishedProblems;
  readonly ready: Readiness;
  /** What it answered to `initialize`. */
  readonly answer: unknown;
}

function withDocuments({ kind, root, connection, published, ready, answer }: Started): RunningServer {
  const documents = new Map<string, Document>();
  const { ask, tell } = connection;
  const pulls = isRecord(fieldOf(fieldOf(answer, 'capabilities'), 'diagnosticProvider'));
  const close = (path: string): void => {
    if (documents.delete(path)) tell('textDocument/didClose', { textDocument: { uri: uriOf(root, path) } });
  };
  const show = (path: string, text: string): void => {
    const uri = uriOf(root, path);
    const open = documents.get(path);
    if (open?.text === text) return;
    const version = (open?.version ?? published.lastVersion(path)) + 1;
    documents.delete(path);
    documents.set(path, { version, text });
    published.noteVersion(path, version);
    if (open !== undefined) {
      tell('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
      return;
    }
    const languageId = languageFor(kind, path) ?? 'plaintext';
    tell('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
    const [oldest] = documents.keys();
    if (documents.size > mostOpen && oldest !== undefined) close(oldest);
  };
  return {
    kind,
    ask,
    isBusy: () => connection.isBusy() || !ready.isReady(),
    ended: connection.ended,
    end: connection.end,
    show,
    close,
    shown: () => new Map([...documents].map(([path, { text }]) => [path, text])),
    tellChanged: (files) => {
      const types = { created: 1, changed: 2, deleted: 3 };
      const changes = files.map(({ path, what }) => ({ uri: uriOf(root, path), type: types[what] }));
      if (changes.length > 0) tell('workspace/didChangeWatchedFiles', { changes });
    },
    problems: async (path, wait) => {
      if (!pulls) return ownProblems(kind, await published.of(path, documents.get(path)?.version ?? 0, wait));
      const answered = await askAgain(ask, { textDocument: { uri: uriOf(root, path) } }, wait);
      return ownProblems(kind, readProblems(path, fieldOf(answered, 'items')));
    },
  };
}

/** The errors that are the code's own, and not those of a package that is missing in the sandbox. */
function ownProblems(
  { missingText, missingSpoilsFile }: ServerKind,
  problems: readonly Problem[],
): readonly Problem[] | null {
  const own = problems.filter(({ text }) => missingText?.test(text) !== true);
  return missingSpoilsFile === true && own.length < problems.length ? null : own;
}

interface Readiness {
  readonly note: (params: unknown) => void;
  readonly isReady: () => boolean;
}

/** A server that says when it knows the project is not ready before. */
function createReadiness({ readyText }: ServerKind): Readiness {
  let isReady = readyText === undefined;
  return {
    isReady: () => isReady,
    note: (params) => {
      const message = fieldOf(params, 'message');
      if (!isReady && typeof message === 'string') isReady = readyText?.test(message.slice(0, 200)) ?? true;
    },
  };
}

/** Asks for the problems of a file until the server has no other work to do first. */
async function askAgain(ask: ServerConnection['ask'], params: unknown, wait: Wait): Promise<unknown> {
  const until = performance.now() + wait.limitMs;
  for (;;) {
    try {
      const limitMs = until - performance.now();
      return await ask('textDocument/diagnostic', params, { ...wait, limitMs });
    } catch (error) {
      if (fieldOf(error, 'code') !== 'conflict' || performance.now() >= until) throw error;
      await sleep(againMs, wait.signal);
    }
  }
}

/** The problems that a server sends unasked. */
class PublishedProblems {
  readonly #root: string;
  readonly #published = new Map<string, Published>();
  readonly #versions = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  constructor(root: string) {
    this.#root = root;
  }

  note(params: unknown): void {
    const path = pathOf(this.#root, fieldOf(params, 'uri'));
    // Only of files that were opened: others could fill the memory.
    if (path === null || !this.#versions.has(path)) return;
    const version = fieldOf(params, 'version');
    const problems = readProblems(path, fieldOf(params, 'diagnostics'));
    this.#published.set(path, { version: typeof version === 'number' ? version : null, problems });
    for (const listener of this.#listeners) listener();
  }

  lastVersion(path: string): number {
    return this.#versions.get(path) ?? 0;
  }

  noteVersion(path: string, version: number): void {
    this.#versions.set(path, version);
    this.#published.delete(path);
  }

  /** A server that names no version has the newest text when it sends problems after it was told of it. */
  async of(path: string, version: number, { limitMs, signal }: Wait): Promise<readonly Problem[]> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.ceil(limitMs)))]);
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.#published.get(path);
        if (found === undefined || (found.version !== null && found.version < version)) return;
        stop();
        resolve(found.problems);
      };
      const stop = (): void => {
        this.#listeners.delete(look);
        limit.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        stop();
        reject(limit.reason);
      };
      this.#listeners.add(look);
      limit.addEventListener('abort', onAbort, { once: true });
      if (limit.aborted) onAbort();
      else look();
    });
  }
}

/** What the client is and can do. It cannot create, move or delete files for a server, and has no commands for it. */
function opening(root: string): InitializeParams {
  const uri = uriOf(root, '');
  return {
    processId: null,
    clientInfo: { name: 'Dewpoint' },
    rootUri: uri,
    workspaceFolders: [{ uri, name: posix.basename(root) }],
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      workspace: {
        configuration: true,
        workspaceFolders: true,
        didChangeWatchedFiles: { dynamicRegistration: true },
        workspaceEdit: { documentChanges: true, resourceOperations: [] },
      },
      textDocument: {
        synchronization: { dynamicRegistration: false },
        diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
        publishDiagnostics: { versionSupport: true },
        hover: { contentFormat: ['plaintext'] },
        definition: { linkSupport: true },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        rename: { prepareSupport: false },
      },
      window: { workDoneProgress: true },
    },
  };
}
