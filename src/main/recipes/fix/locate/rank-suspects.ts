import type { Span } from '../../code/code-spans.ts';
import type { Coverage } from '../../facts/coverage.ts';
import type { TestFailure } from '../../../lib/test-output/test-report.ts';
import { isMissingMember, type MissingMember } from './missing-members.ts';
import type { SourceFile } from '../../facts/project-reader.ts';

/** A span that may contain the fault, and the reasons. */
export interface Suspect {
  readonly span: Span;
  readonly score: number;
  readonly reasons: readonly string[];
  /** An error says that this span, including its head, must change. */
  readonly isMissing: boolean;
}

export interface Evidence {
  readonly failures: readonly TestFailure[];
  readonly coverage: Coverage | null;
  /** Names used by the failing tests. */
  readonly testNames: ReadonlySet<string>;
  readonly task: string;
  /** For each path, the number of imports between it and a failing test. */
  readonly distance: ReadonlyMap<string, number>;
  readonly missing: readonly MissingMember[];
  /** What takes the place of coverage where there is none; null: there is coverage. */
  readonly reach: Reach | null;
}

/** What the sources say about the failing tests without a run, by the id of each span, from 0 to 1. */
export interface Reach {
  /** How near it is to the tests by the names that they use, and that those use in turn. */
  readonly walked: ReadonlyMap<string, number>;
  /** How well its text fits the words of the task and the tests. */
  readonly fits: ReadonlyMap<string, number>;
}

/** Ranks spans without a model, by executed lines, names in tests and task, and nearness by imports. */
export function rankSuspects(files: readonly SourceFile[], evidence: Evidence): readonly Suspect[] {
  const words = wordsOf(evidence.task);
  const suspects = files.flatMap((file) => file.spans.map((span) => scoreSpan(span, file, evidence, words)));
  return (evidence.reach === null ? withUsedBlocks(suspects) : suspects)
    .filter((suspect) => suspect.score > 0)
    .sort((left, right) => right.score - left.score || lengthOf(left.span) - lengthOf(right.span));
}

/**
 * Coverage never shows tables and patterns as executed by a test. Those that a suspect function names get a part of its
 * score.
 */
function withUsedBlocks(suspects: readonly Suspect[]): readonly Suspect[] {
  return suspects.map((suspect) => {
    if (suspect.span.kind !== 'block') return suspect;
    const users = suspects.filter((one) => one.span.kind !== 'block' && one.span.names.has(suspect.span.shortName));
    const best = Math.max(0, ...users.map((one) => one.score));
    if (best === 0) return suspect;
    const reasons = [...suspect.reasons, 'used by a suspect'];
    return { ...suspect, score: suspect.score + best * 0.5, reasons };
  });
}

const lengthOf = (span: Span): number => span.endLine - span.startLine;

export function wordsOf(text: string): ReadonlySet<string> {
  const words = text.match(/[A-Za-z_][A-Za-z0-9_]{2,}/g) ?? [];
  return new Set(words.flatMap((word) => [word, ...splitName(word)]));
}

/** `nextPage` and `next_page` become `next`, `page`. */
export function splitName(name: string): readonly string[] {
  return name
    .split(/_|(?<=[a-z0-9])(?=[A-Z])/)
    .map((part) => part.toLowerCase())
    .filter((part) => part.length > 2);
}

function scoreSpan(span: Span, file: SourceFile, evidence: Evidence, taskWords: ReadonlySet<string>): Suspect {
  const reasons: string[] = [];
  let score = 0;
  const add = (points: number, reason: string) => {
    score += points;
    reasons.push(reason);
  };
  const covered = coverageScore(span, evidence.coverage);
  if (covered > 0) add(covered * 2, `executed by failing tests (${covered.toFixed(2)})`);
  const walked = Math.sqrt(evidence.reach?.walked.get(span.id) ?? 0);
  if (walked > 0) add(walked * 2, `reached from the failing test by names (${walked.toFixed(2)})`);
  const fits = evidence.reach?.fits.get(span.id) ?? 0;
  if (fits > 0) add(fits * 2, `fits the words of the test (${fits.toFixed(2)})`);
  const called = evidence.reach === null && evidence.testNames.has(span.shortName);
  if (called) add(0.7, 'named in the failing test');
  if (evidence.task.includes(span.shortName) && span.shortName.length > 3) add(1, 'named in the task');
  else if (evidence.reach === null && splitName(span.shortName).some((part) => taskWords.has(part)))
    add(0.3, 'its words are in the task');
  if (evidence.failures.some((failure) => failure.message.includes(span.shortName))) add(0.3, 'named in the failure');
  const distance = evidence.distance.get(file.path);
  if (evidence.reach === null && distance !== undefined) add(0.4 / (distance + 1), 'imported by the test');
  if (evidence.coverage !== null && covered === 0 && span.kind !== 'block') score *= 0.3;
  if (span.kind === 'class') score *= span.headEndLine < span.endLine ? 0.35 : 0.5;
  if (span.kind === 'block') score *= 0.5;
  // A failing assertion prints what it compares, which runs these methods.
  if (/^(__repr__|__str__|toString|inspect|toJSON)$/.test(span.shortName)) score *= 0.2;
  if (span.kind === 'class' && lengthOf(span) <= 2) score = 0;
  const lacks = isMissingMember(span, file.spans, evidence.missing);
  if (lacks) add(3, 'lacks what it is asked for');
  return { span, score, reasons, isMissing: lacks };
}

function coverageScore(span: Span, coverage: Coverage | null): number {
  const lines = coverage?.lines.get(span.path);
  if (lines === undefined) return 0;
  let best = 0;
  const from = span.kind === 'block' ? span.startLine : Math.min(span.headEndLine + 1, span.endLine);
  for (let line = from; line <= span.endLine; line += 1) best = Math.max(best, lines.get(line) ?? 0);
  return best;
}

/** How suspicious a line of a suspect is, to order statements and small changes. */
export function lineWeight(suspect: Suspect, evidence: Evidence): (line: number) => number {
  const lines = evidence.coverage?.lines.get(suspect.span.path);
  const framed = new Set(
    evidence.failures.flatMap((failure) =>
      failure.frames.filter((frame) => frame.path === suspect.span.path).map((frame) => frame.line),
    ),
  );
  return (line) => {
    const covered = lines === undefined ? 0.5 : (lines.get(line) ?? 0.05);
    return (covered + (framed.has(line) ? 0.5 : 0)) * Math.max(0.2, suspect.score);
  };
}
