import { minForgetLength, type MemoryLine } from '@shared/projects/memory-line.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { folderInstructionsName } from '../prompt/loaded-skills.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';
import type { TurnEnd } from '../turn/turn-baseline.ts';
import type { TurnFacts } from './turn-facts.ts';

/** The path by which fences know the memory: a fence for it keeps it from the cloud. */
const memoryPath = '.dewpoint/memory.md';

/** A fortieth of the context, counted with three characters a token. */
const roomFor = (contextTokens: number): number => Math.min(4_000, Math.floor((contextTokens / 40) * 3));

/**
 * The memory as models read it. Where not all lines fit, those come first that share words with the session's first
 * message, then those that were of use in the most sessions, then the newest. Last come old ones that were of no use for
 * long. What happened since the session began does not count, so it is told the same lines until one changes. Undefined:
 * there is none.
 */
export function memoryText(
  lines: readonly MemoryLine[],
  contextTokens: number,
  { about, began }: { readonly about: string; readonly began: number },
): string | undefined {
  const asked = new Set(wordsOf(about));
  const ranked = lines
    .map(({ text, date, uses = [] }) => {
      const before = uses.filter(({ at }) => at < began);
      const last = Math.max(date === null ? began : Date.parse(date), ...before.map(({ at }) => at));
      return {
        text,
        date: date ?? '',
        shared: wordsOf(text).filter((word) => asked.has(word)).length,
        uses: before.length,
        isStale: began - last > longUnusedMs,
      };
    })
    .toSorted(
      (left, right) =>
        right.shared - left.shared ||
        Number(left.isStale) - Number(right.isStale) ||
        right.uses - left.uses ||
        (left.date < right.date ? 1 : left.date > right.date ? -1 : 0),
    );
  let left = roomFor(contextTokens);
  const told: string[] = [];
  for (const { text } of ranked) {
    const taken = bullet.length + text.length + 1;
    if (taken > left) continue;
    left -= taken;
    told.push(`${bullet}${text}`);
  }
  return told.length === 0 ? undefined : `The user noted for every task:\n${told.join('\n')}`;
}

const bullet = '- ';
const longUnusedMs = 90 * 24 * 60 * 60_000;

/** Whether the words of a line are found in what a model said and did: half of them, and two at least. */
function isOfUse(text: string, said: ReadonlySet<string>): boolean {
  const words = wordsOf(text);
  const found = words.filter((word) => said.has(word)).length;
  return found >= Math.max(Math.min(2, words.length), Math.ceil(words.length / 2)) && words.length > 0;
}

/** The lines of the memory that were of use in a turn that ends well. */
export function linesOfUse(
  { id: turnId, dependencies: { journal }, prompt }: Pick<Turn, 'id' | 'dependencies' | 'prompt'>,
  memory: string | undefined,
  { reason, text }: Pick<TurnEnd, 'reason' | 'text'>,
): readonly string[] {
  const turn = journal.state().turns.findLast(({ id }) => id === turnId);
  if (memory === undefined || turn === undefined || !['done', 'answered', 'planned'].includes(reason)) return [];
  // An earlier turn has noted what was of use in it.
  const parts = prompt.conversation
    .entries()
    .flatMap((entry) => (entry.type === 'assistant' && entry.seq > turn.seq ? [JSON.stringify(entry.parts)] : []));
  // Where a task is done, the end may be in words of ours.
  const said = [...parts, ...(reason === 'done' ? [] : [text])].join('\n').replaceAll(/\\[nrt]/gu, ' ');
  const words = new Set(wordsOf(said));
  const told = memory.split('\n').flatMap((line) => (line.startsWith(bullet) ? [line.slice(bullet.length)] : []));
  // A shorter one could never be taken out of the log again.
  return told.filter((line) => line.length >= minForgetLength && isOfUse(line, words));
}

/** Moves lines forward that were of use. A replay notes nothing. */
export async function noteMemoryUse(
  { project, effects }: Pick<Turn['dependencies'], 'project' | 'effects'>,
  used: readonly string[],
): Promise<void> {
  if (effects.replaying || used.length === 0) return;
  const ids = (await project.memory.lines()).filter(({ text }) => used.includes(text)).map(({ id }) => id);
  if (ids.length > 0) await project.memory.noteUse(ids);
}

/** Short words say nothing about a subject. */
const shortestWord = 4;

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length >= shortestWord);
}

/** Tells the memory once as long as the conversation shows it as it is now. */
export async function readMemory(
  turn: ActingTurn & Pick<Turn, 'prompt'>,
  memory: NonNullable<TurnFacts['memory']>,
): Promise<void> {
  const mark = `memory ${sha256Of(memory)}`;
  if (turn.prompt.conversation.folderNotes().includes(mark)) return;
  await takeAction(
    turn,
    {
      tool: folderInstructionsName,
      label: 'read the memory',
      input: { path: memoryPath },
      run: async () => ({ status: 'ok', output: memory, data: { path: mark } }),
    },
    () => null,
  );
}
