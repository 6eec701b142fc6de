import type { HostileRow } from './hostile-row.ts';
import { isSeen, type Seen } from './seen-by-person.ts';

/** What ran the payload, by its command line. Null: it did not run. */
export interface Ran {
  /** An everyday command ran it. */
  readonly everyday: string | null;
  /** Something that the person chose to do ran it. */
  readonly choice: string | null;
}

export interface RowFacts {
  /** Without Dewpoint. */
  readonly bare: Ran;
  /** After a session with Dewpoint. */
  readonly held: Ran;
  readonly seen: Seen;
  /** The row's places that still hold the payload after the session. */
  readonly left: readonly string[];
  /** Why the session could not do its work. Null: it did. */
  readonly problem: string | null;
  /** The output of the session's commands, for the message. */
  readonly output: string;
}

/**
 * - `blocked`: it did not run.
 * - `shown`: it runs by the person's own choice, and they were told about it.
 * - `missed`: it ran where nothing may run, or nobody was told.
 * - `neither`: it did not run this time, but is still there without a notice. Or the result is unknown, because the
 * session did not do its work.
 * - `inert`: it has no effect here even without Dewpoint.
 */
export type RowResult = 'blocked' | 'shown' | 'missed' | 'neither' | 'inert';

export interface JudgedRow {
  readonly row: HostileRow;
  readonly result: RowResult;
  readonly facts: RowFacts;
}

export function judgeRow(row: HostileRow, facts: RowFacts): JudgedRow {
  return { row, facts, result: resultOf(row, facts) };
}

function resultOf(row: HostileRow, { bare, held, seen, left, problem }: RowFacts): RowResult {
  if (problem !== null) return 'neither';
  const isTold = (row.places ?? []).length > 0 && (row.places ?? []).every((place) => isSeen(place, seen));
  if (held.everyday !== null && row.isOwnChoice !== true) return 'missed';
  if (held.everyday !== null || held.choice !== null) return isTold ? 'shown' : 'missed';
  if (bare.everyday === null && bare.choice === null) return 'inert';
  return left.some((place) => !isSeen(place, seen)) ? 'neither' : 'blocked';
}

/** Whether a row has an effect with this version of Git. True if the version is unknown. */
export function isForGit({ minGit, maxGit }: Pick<HostileRow, 'minGit' | 'maxGit'>, version: string): boolean {
  return (
    (minGit === undefined || compare(version, minGit) >= 0) && (maxGit === undefined || compare(version, maxGit) <= 0)
  );
}

function compare(left: string, right: string): number {
  const numbers = (text: string): readonly number[] => text.split('.').slice(0, 2).map(Number);
  const [leftMajor = 0, leftMinor = 0] = numbers(left);
  const [rightMajor = 0, rightMinor = 0] = numbers(right);
  return leftMajor - rightMajor || leftMinor - rightMinor;
}

/** The row was blocked or shown, or had no effect and its data say so. */
export function isGood({ row, result }: Pick<JudgedRow, 'row' | 'result'>, version: string): boolean {
  if (result === 'inert') return row.inert !== undefined || !isForGit(row, version);
  return result === 'blocked' || result === 'shown';
}

/** Describes what was planted, what ran, and what the person could have seen. */
export function describeRow({ row, result, facts }: JudgedRow): string {
  const { bare, held, seen, left, output } = facts;
  const by = (ran: Ran): string =>
    ran.everyday !== null
      ? `run by an everyday command: ${ran.everyday.trim()}`
      : ran.choice !== null
        ? `run by the person's choice: ${ran.choice.trim()}`
        : 'not run';
  return [
    `${row.id}: ${result}. ${row.what}`,
    `  planted: ${[row.plant].flat().join('\n  then: ')}`,
    `  without Dewpoint: ${by(bare)}`,
    `  after a session: ${by(held)}`,
    ...(facts.problem === null ? [] : [`  the session could not be had: ${facts.problem}`]),
    ...(left.length === 0 ? [] : [`  still there: ${left.join(', ')}`]),
    `  has to be shown: ${(row.places ?? ['nothing: it may not run']).join(', ')}`,
    `  stood under "runs later": ${seen.runsLater.join(', ') || 'nothing'}`,
    `  said aloud: ${seen.said.join(' | ') || 'nothing'}`,
    `  printed by the session: ${output.trim().slice(-400) || 'nothing'}`,
  ].join('\n');
}
