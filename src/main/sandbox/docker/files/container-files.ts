import { failure, success, type Reply } from '@shared/errors.ts';
import { globMatcher } from '../../../lib/files/glob-matcher.ts';
import { listDepth, makeListing } from '../../files/make-listing.ts';
import type {
  FileContent,
  FileStat,
  ListOptions,
  Listing,
  ReadOptions,
  SearchQuery,
  SearchResult,
  ScannedFiles,
} from '../../sandbox.ts';
import { readFilesSingly } from '../../files/read-files-singly.ts';
import type { ContainerProgram } from '../exec/container-process.ts';
import { fileExits, fileScripts, leftOut, listScript, scanScript, searchScript, statScript } from './file-scripts.ts';
import { parseListing, parseMany, parseScan } from './parse-listing.ts';
import { parseSearch, searchArguments } from '../../files/ripgrep-output.ts';
import type { ContainerRuns } from '../exec/run-in-container.ts';
import type { ImageCapabilities } from '../container/image-capabilities.ts';
import { WritesUnderWay } from '../../files/skipped-folders.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import { neverAborts } from '../../../lib/async/abort.ts';

const defaultReadBytes = 4 * 1024 * 1024;
const defaultSearchMatches = 200;
const operationMs = 30_000;
const searchBytes = 16 * 1024 * 1024;
const listBytes = 64 * 1024 * 1024;
const scanBytes = 512 * 1024 * 1024;
const manyBytes = 64 * 1024 * 1024;
/** For one reading of many files: the most names, and the most bytes of them as arguments. */
const manyNames = 5000;
const manyNameBytes = 512 * 1024;

interface Operation {
  readonly program: (capabilities: ImageCapabilities) => ContainerProgram;
  readonly stdin?: Uint8Array;
  readonly maxOutputBytes: number;
  readonly timeoutMs?: number;
}

interface Output {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** File operations, each as one process in the container. So a link can lead at most to the container's own files. */
export class ContainerFiles {
  readonly #runs: ContainerRuns;
  readonly #writes = new WritesUnderWay();

  constructor(runs: ContainerRuns) {
    this.#runs = runs;
  }

  async read(
    path: string,
    { maxBytes = defaultReadBytes }: ReadOptions,
    signal: AbortSignal,
  ): Promise<Reply<FileContent>> {
    const done = await this.#run(
      { program: files('read', fileScripts.read, `./${path}`, String(maxBytes)), maxOutputBytes: maxBytes + 1024 },
      signal,
    );
    if (!done.ok) return done;
    const { exitCode, stdout } = done.value;
    if (exitCode === fileExits.tooLarge) return tooLarge(path, Number(stdout.toString()), maxBytes);
    if (exitCode !== 0) return explain(done.value, path);
    const cut = stdout.indexOf(0x0a);
    const bytes = new Uint8Array(stdout.subarray(cut + 1));
    if (bytes.length > maxBytes) return tooLarge(path, bytes.length, maxBytes);
    return success({ bytes, sha256: sha256Of(bytes), mode: Number.parseInt(stdout.subarray(0, cut).toString(), 8) });
  }

  async readMany(
    paths: readonly string[],
    options: ReadOptions,
    signal: AbortSignal,
  ): Promise<Reply<ReadonlyMap<string, FileContent>>> {
    const { maxBytes = defaultReadBytes } = options;
    const all = new Map<string, FileContent>();
    for (const batch of batchesOf(paths)) {
      const program = files('read-many', fileScripts.readMany, ...batch.map((path) => `./${path}`));
      const done = await this.#run({ program, maxOutputBytes: manyBytes }, signal);
      if (!done.ok && done.error.code !== 'too-large') return done;
      const found = done.ok && done.value.exitCode === 0 ? parseMany(done.value.stdout, batch) : null;
      for (const [path, { bytes, mode }] of found ?? []) {
        if (bytes.length <= maxBytes) all.set(path, { bytes, mode, sha256: sha256Of(bytes) });
      }
      if (found !== null) continue;
      // One of the files cannot be read, or was changed at this moment.
      const each = await readFilesSingly((path) => this.read(path, options, signal), batch, { options, signal });
      if (!each.ok) return each;
      for (const [path, content] of each.value) all.set(path, content);
    }
    return success(all);
  }

  /** Once begun, it is not aborted, because half a write would be worse than a late one. It ends within 30 s. */
  async write(
    path: string,
    { bytes, expect }: { bytes: Uint8Array; expect: string | null | undefined },
    signal: AbortSignal,
  ): Promise<Reply<void>> {
    if (path === '.') return failure('bad-input', 'That is the workspace itself, not a file.');
    if (signal.aborted) return failure('cancelled', 'It was cancelled.');
    const wanted = expect === undefined ? 'any' : (expect ?? 'none');
    const done = await this.#writes.during((temporary) => {
      const program = files('write', fileScripts.write, `./${path}`, wanted, String(bytes.length), temporary);
      return this.#run({ program, stdin: bytes, maxOutputBytes: 65_536 }, neverAborts);
    });
    if (!done.ok) return done;
    return done.value.exitCode === 0 ? success(undefined) : explain(done.value, path);
  }

  async delete(path: string, expect: string | undefined, signal: AbortSignal): Promise<Reply<void>> {
    if (path === '.') return failure('bad-input', 'That is the workspace itself, not a file.');
    if (signal.aborted) return failure('cancelled', 'It was cancelled.');
    const program = files('delete', fileScripts.delete, `./${path}`, expect ?? 'any');
    const done = await this.#run({ program, maxOutputBytes: 65_536 }, neverAborts);
    if (!done.ok) return done;
    return done.value.exitCode === 0 ? success(undefined) : explain(done.value, path);
  }

  async realPath(path: string, signal: AbortSignal): Promise<Reply<string>> {
    const program = (): ContainerProgram => script(fileScripts.realPath, `./${path}`);
    const done = await this.#run({ program, maxOutputBytes: 65_536 }, signal);
    if (!done.ok) return done;
    return done.value.exitCode === 0 ? success(done.value.stdout.toString()) : explain(done.value, path);
  }

  async setMode(path: string, mode: number, signal: AbortSignal): Promise<Reply<void>> {
    const program = (): ContainerProgram => script(fileScripts.mode, `./${path}`, (mode & 0o7777).toString(8));
    const done = await this.#run({ program, maxOutputBytes: 4096 }, signal);
    if (!done.ok) return done;
    return done.value.exitCode === 0 ? success(undefined) : explain(done.value, path);
  }

  async stat(path: string, signal: AbortSignal): Promise<Reply<FileStat>> {
    const program = ({ gnu }: ImageCapabilities): ContainerProgram => ({
      type: 'files',
      operation: ['stat', `./${path}`],
      text: statScript,
      values: [`./${path}`, gnu ? '%f %s %.3Y' : '%f %s %Y'],
    });
    const done = await this.#run({ program, maxOutputBytes: 4096 }, signal);
    if (!done.ok) return done;
    if (done.value.exitCode !== 0) return explain(done.value, path);
    const [raw = '0', size = '0', modified = '0'] = done.value.stdout.toString().trim().split(' ');
    const mode = Number.parseInt(raw, 16);
    return success({
      kind: kindOfMode(mode),
      sizeBytes: Number(size),
      mode: mode & 0o7777,
      modifiedMs: Math.round(Number(modified) * 1000),
    });
  }

  list(path: string, options: ListOptions, signal: AbortSignal): Promise<Reply<Listing>> {
    return this.#writes.around(async (isOurs) => {
      const listing = await this.#list(path, options, signal);
      if (!listing.ok) return listing;
      const entries = listing.value.entries.filter((entry) => entry.kind !== 'file' || !isOurs(entry.path));
      return success({ ...listing.value, entries });
    });
  }

  async #list(path: string, options: ListOptions, signal: AbortSignal): Promise<Reply<Listing>> {
    const values = [`./${path}`, String(listDepth(options)), options.all === true ? 'all' : 'some'];
    const program = ({ gnu }: ImageCapabilities): ContainerProgram => ({
      type: 'files',
      operation: ['list', ...values, ...leftOut],
      text: listScript(gnu),
      values,
    });
    const done = await this.#run({ program, maxOutputBytes: listBytes }, signal);
    if (!done.ok) return done;
    if (done.value.exitCode !== 0) return explain(done.value, path);
    return success(await makeListing(path, await parseListing(done.value.stdout), options, neverAborts));
  }

  search(query: SearchQuery & { readonly path: string }, signal: AbortSignal): Promise<Reply<SearchResult>> {
    return this.#writes.around(async (isOurs) => {
      const found = await this.#search(query, signal);
      if (!found.ok) return found;
      return success({ ...found.value, matches: found.value.matches.filter(({ path }) => !isOurs(path)) });
    });
  }

  async #search(query: SearchQuery & { readonly path: string }, signal: AbortSignal): Promise<Reply<SearchResult>> {
    if (query.pattern.includes('\0') || query.glob?.includes('\0') === true) {
      return failure('bad-input', 'A pattern cannot hold a NUL character.');
    }
    let hasRipgrep = true;
    const program = ({ rg }: ImageCapabilities): ContainerProgram => {
      hasRipgrep = rg;
      return rg ? script(searchScript, `./${query.path}`, ...searchArguments(query)) : script(':');
    };
    const done = await this.#run({ program, maxOutputBytes: searchBytes, cutOutput: true }, signal);
    if (!done.ok) return done;
    if (!hasRipgrep) return this.#searchByGrep(query, signal);
    const { exitCode, stdout, stderr } = done.value;
    if (exitCode === fileExits.notRegular) return explain(done.value, query.path);
    // 1: nothing matched. 2: an error, or a file that could not be read while others matched.
    if (exitCode === 2 && /No such file or directory/.test(stderr))
      return failure('not-found', `There is no ${query.path}.`);
    if (exitCode > 1 && stdout.length === 0 && stderr !== '') return badPattern(stderr);
    return success(parseSearch(stdout, query.limit ?? defaultSearchMatches));
  }

  async #searchByGrep(
    query: SearchQuery & { readonly path: string },
    signal: AbortSignal,
  ): Promise<Reply<SearchResult>> {
    const listed = await this.list('.', { limit: Number.MAX_SAFE_INTEGER }, signal);
    if (!listed.ok) return listed;
    const { path } = query;
    const fits = query.glob === undefined ? () => true : globMatcher(query.glob);
    const below = listed.value.entries.filter(
      (entry) => path === '.' || entry.path === path || entry.path.startsWith(`${path}/`),
    );
    if (below.length === 0 && path !== '.') {
      const there = await this.stat(path, signal);
      if (!there.ok) return there;
    }
    const names = below
      .filter((entry) => entry.kind === 'file' && fits(entry.path))
      .map((entry) => `./${entry.path}\0`);
    const options = [
      query.literal === true ? '-F' : '-E',
      ...(query.matchesOnly === true ? ['-o'] : []),
      ...(query.ignoreCase === true ? ['-i'] : []),
    ];
    const program = (): ContainerProgram => script(fileScripts.grep, query.pattern, ...options);
    const stdin = new TextEncoder().encode(names.join(''));
    const done = await this.#run({ program, stdin, maxOutputBytes: searchBytes, cutOutput: true }, signal);
    if (!done.ok) return done;
    if (done.value.exitCode === 2) return badPattern(done.value.stderr);
    return success(parseSearch(done.value.stdout, query.limit ?? defaultSearchMatches));
  }

  /** `hidden`: asked once all is read, which files are no part of the result. */
  async scan(hidden: () => (path: string) => boolean, signal: AbortSignal): Promise<Reply<ScannedFiles>> {
    const program = ({ gnu }: ImageCapabilities): ContainerProgram => ({
      type: 'files',
      operation: ['scan', ...leftOut],
      text: scanScript(gnu),
      values: [],
    });
    return this.#writes.around(async (isOurs) => {
      const done = await this.#run({ program, maxOutputBytes: scanBytes, timeoutMs: 120_000 }, signal);
      if (!done.ok) return done;
      if (done.value.exitCode !== 0) return explain(done.value, '.');
      const isHidden = hidden();
      const isLeftOut = (path: string): boolean => isOurs(path) || isHidden(path);
      return success(await parseScan(done.value.stdout, isLeftOut));
    });
  }

  async #run(operation: Operation & { readonly cutOutput?: boolean }, signal: AbortSignal): Promise<Reply<Output>> {
    const stdout: Uint8Array[] = [];
    const stderr: Uint8Array[] = [];
    const { program, maxOutputBytes, stdin, timeoutMs = operationMs } = operation;
    const ended = await this.#runs.run(
      {
        program,
        env: { LC_ALL: 'C' },
        ...(stdin === undefined ? {} : { stdin }),
        onChunk: (chunk) => void (chunk.stream === 'stdout' ? stdout : stderr).push(chunk.bytes),
        timeoutMs,
        maxOutputBytes,
      },
      signal,
    );
    if (!ended.ok) return ended;
    const { outcome, exitCode } = ended.value;
    if (outcome === 'exited' || (outcome === 'flooded' && operation.cutOutput === true)) {
      return success({
        exitCode: exitCode ?? 0,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString(),
      });
    }
    if (outcome === 'cancelled') return failure('cancelled', 'It was cancelled.');
    if (outcome === 'timed-out') return failure('timeout', 'The file operation took too long.');
    if (outcome === 'flooded') return failure('too-large', 'There is more than can be handled at once.');
    return failure('sandbox-lost', 'The sandbox was lost during a file operation; whether it was done is not known.');
  }
}

function* batchesOf(paths: readonly string[]): Iterable<readonly string[]> {
  let batch: string[] = [];
  let size = 0;
  for (const path of paths) {
    const bytes = Buffer.byteLength(path) + 3;
    if (batch.length > 0 && (batch.length === manyNames || size + bytes > manyNameBytes)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(path);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}

function script(text: string, ...values: readonly string[]): ContainerProgram {
  return { type: 'script', text, values };
}

/** The runner's operation takes the same arguments as its shell program. */
function files(operation: string, text: string, ...values: readonly string[]): () => ContainerProgram {
  return () => ({ type: 'files', operation: [operation, ...values], text, values });
}

function badPattern(stderr: string): Reply<never> {
  return failure(
    'bad-input',
    `The pattern cannot be searched for: ${stderr.trim().slice(0, 500)}`,
    'Use `literal` to search for plain text.',
  );
}

function kindOfMode(mode: number): FileStat['kind'] {
  switch (mode & 0o170000) {
    case 0o100000:
      return 'file';
    case 0o040000:
      return 'folder';
    case 0o120000:
      return 'link';
    default:
      return 'other';
  }
}

function tooLarge(path: string, size: number, maxBytes: number): Reply<never> {
  return failure(
    'too-large',
    `${path} has ${size} bytes; at most ${maxBytes} are read at once.`,
    'Read a part of it with a command.',
  );
}

function explain({ exitCode, stderr }: Output, path: string): Reply<never> {
  switch (exitCode) {
    case fileExits.notFound:
      return failure('not-found', `There is no ${path}.`);
    case fileExits.isFolder:
      return failure('bad-input', `${path} is a folder.`);
    case fileExits.notFolder:
      return failure('bad-input', `${path} is not a folder, or lies below something that is none.`);
    case fileExits.notRegular:
      return failure('bad-input', `${path} is not a regular file.`);
    case fileExits.stale:
      return failure(
        'stale-file',
        `${path} is not what it was when it was last read; nothing was written.`,
        'Read it again.',
      );
    case fileExits.outside:
      return failure('refused', `${path} leads out of the workspace.`);
    case fileExits.denied:
      return failure('refused', `${path} is protected: its permissions do not allow this.`);
    case fileExits.shortInput:
      return failure('sandbox-lost', `Not all of ${path} arrived; nothing was written.`);
    default:
      return /No space left/.test(stderr)
        ? failure('disk-full', `${path} was not written: the disk is full.`)
        : failure('internal', `${path}: the file operation failed (${exitCode}): ${stderr.trim().slice(0, 300)}`);
  }
}
