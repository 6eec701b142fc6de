import { AppError, toFailure, type Reply } from '@shared/errors.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import { fileText } from '../lib/files/file-text.ts';
import { sleep } from '../lib/async/abort.ts';
import { findName, namePattern } from './find-name.ts';
import { renamedText } from './rename-text.ts';
import type { RunningServer } from './running-server.ts';
import { readEdits, readHover, readPlaces, readSymbols, type FoundSymbol, type Position } from './server-answers.ts';
import { languageFor } from './server-table.ts';
import type { SessionServers } from './session-servers.ts';
import { uriOf } from './workspace-uri.ts';

/** A name in a file. `line` counts from 1; null: where the name is defined in the file, or first stands. */
export interface NameQuery {
  readonly path: string;
  readonly name: string;
  readonly line: number | null;
}

/** A line of code that has the name. */
export interface CodeLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface CodePlaces {
  readonly server: string;
  /** False: the server still reads the project, or cannot know all of it, so places may be missing. */
  readonly isComplete: boolean;
  readonly places: readonly CodeLine[];
  /** How many places are not shown. */
  readonly more: number;
  /** How many lie outside the project, such as in a package. */
  readonly outside: number;
  readonly otherLines: OtherLines;
}

/**
 * Lines that have the name as a word and are none of the places: a text, another thing of that name, or a use that the
 * server could not tell, such as of an argument without a type.
 */
export interface OtherLines {
  readonly files: readonly { readonly path: string; readonly lines: readonly number[] }[];
  /** Some could not be looked for. */
  readonly hasMore: boolean;
}

export interface Rename {
  readonly server: string;
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly text: string }[];
  readonly otherLines: OtherLines;
}

/** How long a question waits for its answer, and before that for a server that still reads the project. */
export interface QuestionLimits {
  readonly answerMs: number;
  readonly settleMs: number;
}

const mostPlaces = 100;
const mostRenamedFiles = 200;
const mostOpened = 40;
const mostMatches = 2_000;

/** What can be asked about a name. Failures say whether there is no answer or no server; an empty list is an answer. */
export class CodeQuestions {
  readonly #servers: SessionServers;
  readonly #limits: QuestionLimits;

  constructor(servers: SessionServers, limits: QuestionLimits) {
    this.#servers = servers;
    this.#limits = limits;
  }

  places(what: 'definition' | 'references', query: NameQuery, signal: AbortSignal): Promise<Reply<CodePlaces>> {
    return asReply(signal, async () => {
      const asked = await this.#ready(query, signal);
      const params = what === 'references' ? { context: { includeDeclaration: true } } : {};
      const answer = await this.#ask(asked, { method: `textDocument/${what}`, params }, signal);
      if (answer !== null && typeof answer !== 'object') throw new AppError('bad-input', unreadable(asked.server));
      const { places, outside } = readPlaces(this.#root, answer);
      const isComplete = asked.isWhole && !asked.server.isBusy();
      if (places.length + outside === 0 && !isComplete)
        throw new AppError(
          'conflict',
          `${asked.server.kind.name} does not know the whole project yet, and named no place.`,
        );
      const shown = places.slice(0, mostPlaces);
      const found = new Set(places.map(({ path, range }) => `${path}:${range.start.line + 1}`));
      return {
        server: asked.server.kind.name,
        isComplete,
        places: await this.#lines(
          shown.map(({ path, range }) => ({ path, line: range.start.line })),
          signal,
        ),
        more: places.length - shown.length,
        outside,
        otherLines: what === 'references' ? otherLines(asked.words, found) : { files: [], hasMore: false },
      };
    });
  }

  hover(query: NameQuery, signal: AbortSignal): Promise<Reply<{ readonly server: string; readonly text: string }>> {
    return asReply(signal, async () => {
      const asked = await this.#ready(query, signal);
      const answer = await this.#ask(asked, { method: 'textDocument/hover', params: {} }, signal);
      return { server: asked.server.kind.name, text: readHover(answer) };
    });
  }

  symbols(path: string, signal: AbortSignal): Promise<Reply<readonly FoundSymbol[]>> {
    return asReply(signal, async () => {
      const server = await this.#servers.get(path, signal);
      await this.#servers.refresh(server, signal);
      server.show(path, (await this.#read(path, signal)).text);
      const params = { textDocument: { uri: uriOf(this.#root, path) } };
      return readSymbols(
        await server.ask('textDocument/documentSymbol', params, { limitMs: this.#limits.answerMs, signal }),
      );
    });
  }

  /** The files as they are after a rename. Changes nothing. */
  rename(query: NameQuery, newName: string, signal: AbortSignal): Promise<Reply<Rename>> {
    return asReply(signal, async () => {
      const asked = await this.#atDefinition(query, signal);
      const { name } = asked.server.kind;
      const params = { newName };
      const edits = readEdits(this.#root, await this.#ask(asked, { method: 'textDocument/rename', params }, signal));
      const refuse = (why: string) =>
        new AppError('refused', `The rename by ${name} was refused: ${why}. Nothing was changed.`);
      if (typeof edits === 'string') throw refuse(edits);
      if (!asked.isWhole || asked.server.isBusy()) throw refuse('it does not know the whole project yet');
      if (edits.size === 0) throw refuse('it names nothing to change');
      if (edits.size > mostRenamedFiles) throw refuse(`it would change ${edits.size} files`);
      const files: Rename['files'][number][] = [];
      const found = new Set<string>();
      for (const [path, changes] of edits) {
        for (const { range } of changes) found.add(`${path}:${range.start.line + 1}`);
        const { text, sha256 } = await this.#read(path, signal);
        const renamed = renamedText(text, changes, { name: query.name, newName });
        if (renamed === null) throw refuse(`its edits of ${path} are no rename of ${query.name}`);
        files.push({ path, sha256, text: renamed });
      }
      return { server: name, files, otherLines: otherLines(asked.words, found) };
    });
  }

  get #root(): string {
    return this.#servers.sandbox.workspacePath;
  }

  /** The server, with the file and what uses the name open in it, and the position of the name. */
  async #ready(query: NameQuery, signal: AbortSignal): Promise<Asked> {
    const server = await this.#servers.get(query.path, signal);
    await this.#servers.refresh(server, signal);
    const { text } = await this.#read(query.path, signal);
    const position = findName(text, query.name, query.line);
    if (typeof position === 'string') throw new AppError('bad-input', position);
    const usersAndWords = await this.#usersOf(server, query, signal);
    server.show(query.path, text);
    await waitUntilIdle(server, this.#limits.settleMs, signal);
    return { server, path: query.path, position, ...usersAndWords };
  }

  /**
   * The other files that have the name as a word. They are opened for the question: what is open, a server knows, even
   * one that knows no other file.
   */
  async #usersOf(
    server: RunningServer,
    { path, name }: NameQuery,
    signal: AbortSignal,
  ): Promise<Pick<Asked, 'users' | 'words' | 'isWhole'>> {
    const { files } = this.#servers.sandbox;
    const found = await files.search({ pattern: `\\b${escaped(name)}\\b`, limit: mostMatches }, signal);
    if (!found.ok)
      return { users: [], words: { lines: [], isCut: true }, isWhole: server.kind.knowsOnlyOpenFiles !== true };
    const exact = new RegExp(namePattern(name), 'u');
    const matches = found.value.matches.filter(
      (one) => exact.test(one.text) && languageFor(server.kind, one.path) !== null,
    );
    const users = [...new Set(matches.map((one) => one.path))].filter((one) => one !== path);
    const opened = users.slice(0, mostOpened);
    const read = await files.readMany(opened, {}, signal);
    for (const [one, { bytes }] of read.ok ? read.value : []) {
      const text = fileText(bytes)?.text;
      if (text !== undefined) server.show(one, text);
    }
    const areAllOpen = !found.value.truncated && users.length <= mostOpened;
    const words = { lines: matches, isCut: found.value.truncated };
    return { users, words, isWhole: areAllOpen || server.kind.knowsOnlyOpenFiles !== true };
  }

  /** Where the name is defined: a rename from a use may give the name a second one there, and leave the rest. */
  async #atDefinition(query: NameQuery, signal: AbortSignal): Promise<Asked> {
    const asked = await this.#ready(query, signal);
    const answer = await this.#ask(asked, { method: 'textDocument/definition', params: {} }, signal);
    const { places, outside } = readPlaces(this.#root, answer);
    const [place] = places;
    if (place === undefined || places.length + outside > 1) return this.#ready(query, signal);
    const { text } = await this.#read(place.path, signal);
    const { line, character } = place.range.start;
    const isName = text.split('\n')[line]?.startsWith(query.name, character) === true;
    if (!isName) return this.#ready(query, signal);
    const defined = await this.#ready({ ...query, path: place.path, line: line + 1 }, signal);
    return { ...defined, position: { line, character } };
  }

  async #ask(
    { server, path, position, users }: Asked,
    { method, params }: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<unknown> {
    const whole = { textDocument: { uri: uriOf(this.#root, path) }, position, ...params };
    try {
      return await server.ask(method, whole, { limitMs: this.#limits.answerMs, signal });
    } catch (error) {
      // The next question gets a new one.
      if (error instanceof AppError && error.code === 'timeout')
        await server.end(`it gave no answer within ${this.#limits.answerMs / 1000} s`);
      throw error;
    } finally {
      for (const user of users) if (user !== path) server.close(user);
    }
  }

  async #lines(
    places: readonly { readonly path: string; readonly line: number }[],
    signal: AbortSignal,
  ): Promise<readonly CodeLine[]> {
    const paths = [...new Set(places.map(({ path }) => path))];
    const read = await this.#servers.sandbox.files.readMany(paths, {}, signal);
    const texts = new Map(
      [...(read.ok ? read.value : [])].map(([path, { bytes }]) => [path, fileText(bytes)?.text.split('\n') ?? []]),
    );
    return places.map(({ path, line }) => {
      return { path, line: line + 1, text: shortenText((texts.get(path)?.[line] ?? '').trim(), 200) };
    });
  }

  async #read(path: string, signal: AbortSignal): Promise<{ readonly text: string; readonly sha256: string }> {
    const read = await this.#servers.sandbox.files.read(path, {}, signal);
    if (!read.ok) throw new AppError(read.error.code, read.error.message);
    const text = fileText(read.value.bytes)?.text;
    if (text === undefined) throw new AppError('bad-input', `${path} is a binary file.`);
    return { text, sha256: read.value.sha256 };
  }
}

interface Asked {
  readonly server: RunningServer;
  readonly path: string;
  readonly position: Position;
  /** Other files that have the name as a word. */
  readonly users: readonly string[];
  /** Every line that has it, in the languages of the server. */
  readonly words: {
    readonly lines: readonly { readonly path: string; readonly line: number }[];
    readonly isCut: boolean;
  };
  /** False: more files have the name than the server was shown. */
  readonly isWhole: boolean;
}

function otherLines({ lines, isCut }: Asked['words'], found: ReadonlySet<string>): OtherLines {
  const files = new Map<string, number[]>();
  for (const { path, line } of lines) {
    if (found.has(`${path}:${line}`)) continue;
    const own = files.get(path);
    if (own === undefined) files.set(path, [line]);
    else own.push(line);
  }
  return { files: [...files].map(([path, own]) => ({ path, lines: own })), hasMore: isCut };
}

const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
const unreadable = ({ kind }: RunningServer): string => `${kind.name} answered with what cannot be read.`;

async function waitUntilIdle(server: RunningServer, settleMs: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + settleMs;
  while (server.isBusy() && performance.now() < until) await sleep(100, signal);
}

async function asReply<T>(signal: AbortSignal, work: () => Promise<T>): Promise<Reply<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, error: toFailure(error) };
  }
}
