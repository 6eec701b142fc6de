import { structuredPatch } from 'diff';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf, type Part } from '@shared/models/model-messages.ts';
import { noUsage } from '@shared/money/token-cost.ts';
import type { ModelRequest, Provider, StreamPart } from '../../src/main/models/providers/define.ts';
import { type KnownChange, lookAt, type NeededFact } from './hand-over-facts.ts';

export interface NextTask {
  readonly known: KnownChange;
  readonly facts: readonly NeededFact[];
}

export interface NextSeen {
  /**
   * What it was shown of the work before its first answer, without the system text. Null: it was never asked to
   * continue.
   */
  readonly handOver: string | null;
  readonly lacking: readonly NeededFact[];
  /** Calls that read what the handoff did not contain. */
  readonly lookUps: number;
}

/** A scripted model. It knows the right change, and whether it was given what the change needs. */
export interface NextModel {
  readonly begin: (task: NextTask) => void;
  readonly seen: () => NextSeen;
  readonly wrap: (provider: Provider) => Provider;
}

/**
 * As the next model, it first reads what it lacks, then makes the right change and ends. As a reviewer, it approves
 * only work that has every line of the right change.
 */
export function createNextModel(): NextModel {
  let task: NextTask = { known: { projectFolder: '', right: new Map() }, facts: [] };
  let seen: NextSeen = { handOver: null, lacking: [], lookUps: 0 };
  let asked = 0;
  const answer = async (request: ModelRequest): Promise<readonly Part[]> => {
    const text = request.messages
      .filter(({ role }) => role !== 'system')
      .map(textOf)
      .join('\n\n');
    if (request.tools.length === 0) return [{ type: 'text', text: await verdict(task.known, text) }];
    asked += 1;
    if (asked === 1) {
      const { lacking } = lookAt(text, task.facts);
      const calls = lookUps(lacking);
      seen = { handOver: text, lacking, lookUps: calls.length };
      if (calls.length > 0) return calls;
    }
    return asked > 3 ? [call('task_complete', { summary: 'It does not work.', status: 'blocked' })] : edits(task.known);
  };
  async function* stream(request: ModelRequest): AsyncIterable<StreamPart> {
    const parts = await answer(request);
    for (const part of parts) {
      if (part.type === 'text') yield { type: 'text-delta', text: part.text };
      if (part.type === 'tool-call') yield { type: 'tool-call', call: part };
    }
    const stopReason = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
    const timings = { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 0 };
    yield { type: 'ended', stopReason, usage: noUsage, evaluatedTokens: null, timings, error: null };
  }
  return {
    begin: (next) => {
      task = next;
      seen = { handOver: null, lacking: [], lookUps: 0 };
      asked = 0;
    },
    seen: () => seen,
    wrap: (provider) => ({ ...provider, stream }),
  };
}

let made = 0;

function call(name: string, input: Readonly<Record<string, unknown>>): Part {
  made += 1;
  return { type: 'tool-call', id: `next-${made}`, name, input };
}

/** Reads each file once. Test failures are learned by running the test. */
function lookUps(lacking: readonly NeededFact[]): readonly Part[] {
  const paths = new Set(lacking.filter(({ kind }) => kind !== 'failure').map(({ path }) => path));
  const reads = [...paths].map((path) => call('read_file', { path }));
  return lacking.some(({ kind }) => kind === 'failure') ? [...reads, call('run_tests', {})] : reads;
}

async function edits({ projectFolder, right }: KnownChange): Promise<readonly Part[]> {
  const calls: Part[] = [];
  for (const [path, after] of right) {
    const before = await readFile(join(projectFolder, path), 'utf8').catch(() => null);
    if (before === null) {
      calls.push(call('write_file', { path, content: after }));
      continue;
    }
    const texts = structuredPatch('', '', before, after, '', '', { context: 3 }).hunks.map(({ lines }) => ({
      old: lines
        .filter((line) => /^[ -]/u.test(line))
        .map((line) => line.slice(1))
        .join('\n'),
      new: lines
        .filter((line) => /^[ +]/u.test(line))
        .map((line) => line.slice(1))
        .join('\n'),
    }));
    const [first, ...more] = texts;
    if (first !== undefined) calls.push(call('edit_file', { path, ...first, ...(more.length === 0 ? {} : { more }) }));
  }
  return [...calls, call('task_complete', { summary: 'Changed, and the check passes.' })];
}

async function verdict({ projectFolder, right }: KnownChange, shown: string): Promise<string> {
  for (const [path, after] of right) {
    const before = await readFile(join(projectFolder, path), 'utf8').catch(() => '');
    const had = new Set(before.split('\n'));
    const added = after.split('\n').filter((line) => line.trim() !== '' && !had.has(line));
    const missing = added.find((line) => !shown.includes(line.trim()));
    if (missing !== undefined) return `REDO\nIt is not the change that ${path} needs.`;
  }
  return 'APPROVE';
}
