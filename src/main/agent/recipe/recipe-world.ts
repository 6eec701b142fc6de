import type { FoundPart } from '@shared/documents/document-search.ts';
import { failure, type Reply } from '@shared/errors.ts';
import { z } from 'zod';
import type { ExecResult, ListEntry, SearchResult } from '../../sandbox/sandbox.ts';
import { guardText } from '../../safety/guarded-files.ts';
import { guardOf } from '../changes/guard-of.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { createOutputSink } from '../loop/output-sink.ts';
import {
  foundNamesSchema,
  rankedSymbolSchema,
  type FoundNames,
  type RankedSymbol,
} from '../../symbols/process/symbol-protocol.ts';
import type { RecipeSymbols, RecipeWorld, WorldCommand } from '../../recipes/define.ts';
import type { ActionResult } from '../turn/take-action.ts';
import { takeAction } from '../turn/take-action.ts';
import { revertGuardedChanges } from '../changes/revert-guarded-changes.ts';
import { countNewErrors } from './count-new-errors.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import type { Turn } from '../turn/turn.ts';
import { type EncodeResult, encodeLike, wholeText, type WholeText } from '../../lib/files/file-text.ts';

const MAX_READ_BYTES = 1024 * 1024;
const MAX_LISTED = 20_000;

const entriesSchema: z.ZodType<readonly ListEntry[]> = z.array(
  z.object({ path: z.string(), kind: z.enum(['file', 'folder', 'link', 'other']), sizeBytes: z.number() }),
);
const searchSchema: z.ZodType<SearchResult> = z.object({
  matches: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
  truncated: z.boolean(),
});
/** UTF-8 is a text alone. */
const readSchema = z.union([z.string(), z.object({ text: z.string(), encoding: z.string() })]).nullable();
const execSchema: z.ZodType<ExecResult> = z.object({
  outcome: z.enum(['exited', 'timed-out', 'cancelled', 'killed', 'lost']),
  exitCode: z.number().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  stdoutBytes: z.number(),
  stderrBytes: z.number(),
  durationMs: z.number(),
});

/** What the recipe read. */
interface Seen {
  /** SHA-256; null: the file did not exist. So that a later edit by the user is not overwritten. */
  readonly hashes: Map<string, string | null>;
  readonly texts: Map<string, WholeText>;
}

function encode({ texts }: Seen, path: string, text: string): EncodeResult {
  const old = texts.get(path);
  return old === undefined ? { ok: true, bytes: Buffer.from(text, 'utf8') } : encodeLike(old, text);
}

/** The workspace as a recipe sees it. Every use is an action whose result comes from its record. */
export function createRecipeWorld(turn: Turn, facts: TurnFacts): RecipeWorld {
  const seen: Seen = { hashes: new Map(), texts: new Map() };
  const { sandbox } = turn.dependencies;
  const hasServer = facts.parts?.includes('language-server') === true;
  return {
    scratchPath: facts.sandbox.scratchPath,
    workspacePath: facts.sandbox.workspacePath,
    list: () =>
      takeAction<readonly ListEntry[]>(
        turn,
        {
          tool: 'list_files',
          label: 'list the files',
          input: {},
          run: async () => {
            const listing = await sandbox.files.list('.', { depth: 32, limit: MAX_LISTED }, turn.signal);
            return fromReply(
              listing,
              (value) => value.entries,
              (value) => `${value.entries.length} entries`,
              [],
            );
          },
        },
        (data) => entriesSchema.parse(data ?? []),
      ),
    read: async (path) => {
      const data = await readFile(turn, path, { seen, hasServer });
      const read = typeof data === 'string' ? { text: data, encoding: 'UTF-8' } : data;
      if (read !== null) seen.texts.set(path, read);
      return read?.text ?? null;
    },
    bytesOf: (path, text) => {
      const encoded = encode(seen, path, text);
      return encoded.ok ? encoded.bytes : Buffer.from(text, 'utf8');
    },
    search: (query) =>
      takeAction<SearchResult>(
        turn,
        {
          tool: 'search',
          label: `search ${query.pattern}`,
          input: query,
          run: async () => {
            const found = await sandbox.files.search(query, turn.signal);
            return fromReply(
              found,
              (value) => value,
              (value) => `${value.matches.length} matches`,
              nothingFound,
            );
          },
        },
        (data) => searchSchema.parse(data ?? nothingFound),
      ),
    symbols: facts.parts?.includes('symbols') === true ? recipeSymbols(turn) : null,
    documents: async (words) => (facts.parts?.includes('documents') === true ? findInDocuments(turn, words) : []),
    newErrors: async (files) => (hasServer ? countNewErrors(turn, files) : null),
    run: (command) => runCommand(turn, command, facts.sandbox.scratchPath),
    apply: (files) => applyFiles(turn, files, seen),
  };
}

const noNames: FoundNames = { definitions: [], references: [], moreDefinitions: 0, hasMoreReferences: false };

function recipeSymbols(turn: Turn): RecipeSymbols {
  const { symbols } = turn.dependencies.project;
  return {
    find: (names) =>
      takeAction<FoundNames>(
        turn,
        {
          tool: 'find_symbol',
          label: `find ${names.join(', ')}`,
          input: { names },
          run: async () =>
            fromReply(
              (await symbols?.find(names, turn.signal)) ?? noIndex,
              (value) => value,
              (value) => `${value.definitions.length} definitions`,
              noNames,
            ),
        },
        (data) => foundNamesSchema.parse(data ?? noNames),
      ),
    rank: (ask) =>
      takeAction<readonly RankedSymbol[]>(
        turn,
        {
          tool: 'rank_symbols',
          label: 'look for the functions that the task is about',
          input: ask,
          run: async () =>
            fromReply<readonly RankedSymbol[], readonly RankedSymbol[]>(
              (await symbols?.rank(ask, turn.signal)) ?? noIndex,
              (value) => value,
              (value) => value.map(({ path, line, name }) => `${path}:${line} ${name}`).join('\n'),
              [],
            ),
        },
        (data) => z.array(rankedSymbolSchema).parse(data ?? []),
      ),
  };
}

const noIndex: Reply<never> = failure('internal', 'There is no project.');

/** The path of each part is in `matches`, too, where fences look for it. */
async function findInDocuments(turn: Turn, words: string): Promise<readonly FoundPart[]> {
  const { sandbox, tools, project } = turn.dependencies;
  const found = await takeAction(
    turn,
    {
      tool: 'search_documents',
      label: `search documents for ${JSON.stringify(words.slice(0, 80))}`,
      input: { words },
      run: async () => {
        const chosen = (await project.openChosenFolders?.(turn.signal)) ?? [];
        const reply = await tools.searchDocuments?.(sandbox.files, { words, limit: MAX_PARTS, chosen }, turn.signal);
        if (reply === undefined) return { status: 'error', output: 'There is no index.', data: noParts };
        return fromReply(
          reply,
          ({ chunks }) => ({ chunks, matches: chunks.map(({ path }) => ({ path })) }),
          ({ chunks }) => `${chunks.length} parts`,
          noParts,
        );
      },
    },
    (data) => partsSchema.parse(data ?? noParts),
  );
  return found.chunks;
}

const MAX_PARTS = 4;
const noParts = { chunks: [], matches: [] };
const partsSchema: z.ZodType<{
  readonly chunks: readonly FoundPart[];
  readonly matches: readonly { readonly path: string }[];
}> = z.object({
  chunks: z.array(
    z.object({
      path: z.string(),
      fromLine: z.number(),
      toLine: z.number(),
      page: z.number().nullable(),
      title: z.string(),
      text: z.string(),
    }),
  ),
  matches: z.array(z.object({ path: z.string() })),
});

const nothingFound: SearchResult = { matches: [], truncated: false };

function fromReply<V, T>(reply: Reply<V>, take: (value: V) => T, say: (value: V) => string, empty: T): ActionResult<T> {
  if (reply.ok) return { status: 'ok', output: say(reply.value), data: take(reply.value) };
  return { status: 'error', output: reply.error.message, data: empty };
}

function readFile(
  turn: Turn,
  path: string,
  { seen: { hashes }, hasServer }: { readonly seen: Seen; readonly hasServer: boolean },
): Promise<z.infer<typeof readSchema>> {
  return takeAction<z.infer<typeof readSchema>>(
    turn,
    {
      tool: 'read_file',
      label: `read ${path}`,
      input: { path },
      run: async () => {
        const read = await turn.dependencies.sandbox.files.read(path, { maxBytes: MAX_READ_BYTES }, turn.signal);
        if (!read.ok) {
          if (read.error.code === 'not-found') hashes.set(path, null);
          return { status: 'error', output: read.error.message, data: null };
        }
        // A change of it may follow, and then its server is ready.
        const { dependencies, given } = turn;
        if (hasServer && !given.isQuestion) dependencies.project.languageServers(dependencies.sandbox).warm(path);
        const whole = wholeText(read.value.bytes);
        if (whole === null) return { status: 'error', output: `${path} is a binary file.`, data: null };
        hashes.set(path, read.value.sha256);
        const data = whole.encoding === 'UTF-8' ? whole.text : whole;
        return { status: 'ok', output: `${whole.text.split('\n').length} lines`, data };
      },
    },
    (data) => readSchema.parse(data),
  );
}

function runCommand(turn: Turn, command: WorldCommand, scratchPath: string | null): Promise<ExecResult> {
  const { label, ...input } = command;
  return takeAction<ExecResult>(
    turn,
    {
      tool: 'run_command',
      label,
      input,
      limitMs: command.timeoutMs,
      run: async (toolCallId) => {
        const isTrial = scratchPath !== null && command.cwd?.startsWith(scratchPath) === true;
        if (isTrial) return execute(turn, command, toolCallId);
        const who = { by: 'recipe', toolCallId } as const;
        const { value, changed } = await turn.files.changes.around(who, () => execute(turn, command, toolCallId));
        await revertGuardedChanges(turn, changed, { toolCallId });
        return value;
      },
    },
    (data) => (data === null ? lost('It was not run.') : execSchema.parse(data)),
  );
}

async function execute(turn: Turn, command: WorldCommand, toolCallId: string): Promise<ActionResult<ExecResult>> {
  const sink = createOutputSink(turn.dependencies.journal, toolCallId);
  const { label: _label, stdin, ...request } = command;
  const reply = await turn.dependencies.sandbox.exec(
    {
      ...request,
      ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin, 'utf8') }),
      onOutput: ({ stream, bytes }) => sink.emit(stream, bytes),
    },
    turn.signal,
  );
  const result = reply.ok ? reply.value : lost(reply.error.message);
  const output = [result.stdout, result.stderr].filter((text) => text !== '').join('\n');
  const wasCut = result.stdoutBytes + result.stderrBytes > Buffer.byteLength(result.stdout + result.stderr);
  const full = await sink.end(Number.MAX_SAFE_INTEGER, wasCut);
  const { exitCode, durationMs } = result;
  return { status: statusOf(result), output, exitCode, durationMs, data: result, ...(full === null ? {} : { full }) };
}

function statusOf(result: ExecResult): ActionResult<ExecResult>['status'] {
  if (result.outcome === 'cancelled') return 'cancelled';
  if (result.outcome === 'timed-out') return 'timed-out';
  return result.outcome === 'exited' ? 'ok' : 'error';
}

function lost(message: string): ExecResult {
  return {
    outcome: 'lost',
    exitCode: null,
    stdout: '',
    stderr: message,
    stdoutBytes: 0,
    stderrBytes: Buffer.byteLength(message),
    durationMs: 0,
  };
}

type NewFile = { readonly path: string; readonly text: string };

function applyFiles(turn: Turn, files: readonly NewFile[], seen: Seen): Promise<string | null> {
  return takeAction<string | null>(
    turn,
    {
      tool: 'apply_change',
      label: `change ${files.map((file) => file.path).join(', ')}`,
      input: { files: files.map(({ path, text }) => ({ path, text })) },
      run: async (toolCallId) => {
        const refused = guardedOf(turn, files, seen.hashes) ?? (await writeAll(turn, files, seen, toolCallId));
        return refused === null
          ? { status: 'ok', output: `Wrote ${files.length} files.`, data: null }
          : { status: 'refused', output: refused, data: refused };
      },
    },
    (data) => z.string().nullable().parse(data),
  );
}

/** A recipe does not ask the user. Guarded files stay as they are unless the task is about them. */
function guardedOf(turn: Turn, files: readonly NewFile[], seen: ReadonlyMap<string, string | null>): string | null {
  for (const { path } of files) {
    // A path that the recipe never read may only be written if no file exists there.
    const kind = guardOf(turn, path, { isNew: (seen.get(path) ?? null) === null });
    if (kind !== null) return guardText(path, kind);
  }
  return null;
}

/** All or nothing: if one file cannot be written, those before it are restored. */
async function writeAll(turn: Turn, files: readonly NewFile[], seen: Seen, toolCallId: string): Promise<string | null> {
  const start = turn.files.changes.recorded().length;
  const refuse = async (why: string): Promise<string> => {
    await turn.files.changes.revert(turn.files.changes.recorded().slice(start), toolCallId);
    return why;
  };
  for (const { path, text } of files) {
    const encoded = encode(seen, path, text);
    if (!encoded.ok) return refuse(`${path} was not changed: ${encoded.why}.`);
    const { bytes } = encoded;
    const expect = seen.hashes.get(path) ?? null;
    const done = await turn.files.changes.write({ path, bytes, expect }, { by: 'recipe', toolCallId });
    if (!done.ok) return refuse(done.error.message);
    seen.hashes.set(path, sha256Of(bytes));
  }
  return null;
}
