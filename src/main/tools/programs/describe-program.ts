import type { ToolResult } from '../define.ts';
import { announcementText, type Announcement } from './program-announcement.ts';
import { programLimits } from './program-limits.ts';
import type { MadeCall, ProgramEnd, ProgramOutcome } from './run-in-sandbox.ts';

const shownPrinted = 2_000;
const shownCalls = 8;
/** From this many calls in sequence on, the model gets a hint. */
const manyInARow = 12;

/**
 * What a model reads of a program that ran: how it ended, its calls compared with the announced ones, what it printed,
 * and last its result, shortened by structure if it is long.
 */
export function describeProgram(
  { end, calls, printed, mostTogether, ms }: ProgramOutcome,
  announcement: Announcement,
): Pick<ToolResult, 'status' | 'output'> {
  const failed = calls.filter(({ status }) => status !== 'ok');
  const tail = printed.trim();
  const lines = [
    headline(end),
    end.type === 'not-run' ? '' : `Calls: ${announcementText(announcement, 'made')}. ${(ms / 1000).toFixed(1)} s.`,
    ...(failed.length === 0 ? [] : [`Failed calls: ${failed.slice(0, shownCalls).map(failedText).join('; ')}`]),
    ...(end.type === 'done' || calls.length === 0 || end.type === 'not-run' ? [] : [madeText(calls)]),
    inARowText(calls, mostTogether),
    tail === '' ? '' : `It printed:\n${tail.length > shownPrinted ? `… ${tail.slice(-shownPrinted)}` : tail}`,
    end.type === 'done' ? valueText(end.value) : '',
  ];
  return { status: statusOf(end), output: lines.filter((line) => line !== '').join('\n') };
}

function headline(end: ProgramEnd): string {
  switch (end.type) {
    case 'done':
      return 'The program ended well.';
    case 'failed': {
      const at = end.line === null ? '' : ` in line ${end.line}`;
      return `The program failed${at}: ${end.error}${end.trace === '' ? '' : `\n${end.trace.trimEnd()}`}`;
    }
    case 'not-run':
      return `Not run, for these problems were found in it:\n${end.problems.join('\n')}`;
    case 'stopped':
      return end.reason;
    default:
      return end satisfies never;
  }
}

function statusOf(end: ProgramEnd): ToolResult['status'] {
  if (end.type === 'done') return 'ok';
  return end.type === 'stopped' ? end.status : 'error';
}

function failedText({ tool, status, text }: MadeCall): string {
  return `${tool} ${status}: ${text.replaceAll(/\s+/gu, ' ').slice(0, 160)}`;
}

/** Completed calls are not undone, so the model must know them. */
function madeText(calls: readonly MadeCall[]): string {
  const counts = new Map<string, number>();
  for (const { tool, status } of calls) if (status === 'ok') counts.set(tool, (counts.get(tool) ?? 0) + 1);
  if (counts.size === 0) return 'No call of it was made with success.';
  return `Made before that, and not taken back: ${[...counts].map(([tool, count]) => `${tool} ${count}`).join(', ')}.`;
}

function inARowText(calls: readonly MadeCall[], mostTogether: number): string {
  if (calls.length < manyInARow || mostTogether > 1) return '';
  const ms = calls.reduce((sum, call) => sum + call.ms, 0);
  return `All ${calls.length} calls ran one after the other and took ${(ms / 1000).toFixed(1)} s. tools.parallel runs ${programLimits.together} at once.`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'It assigned nothing to result.';
  return `Result:\n${typeof value === 'string' ? value : JSON.stringify(value)}`;
}
