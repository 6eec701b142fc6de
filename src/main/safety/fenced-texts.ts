import { decodedIn, lineMarksOf, lookUpsOf, marksOf, viewsOf } from '@shared/safety/fence-text.ts';
import type { FenceHit, Fences } from '@shared/safety/fences.ts';
import { keyOfHit } from '@shared/safety/fences.ts';
import { hideAssigned } from './assigned-secrets.ts';
import { hideSecrets, type Mask } from '../lib/secrets/secret-patterns.ts';

/** Fenced content, each item once. */
export type Hits = Map<string, FenceHit>;

/** Everything by which fenced content is recognized in a text. */
export interface FencedTexts {
  readonly fences: Fences;
  /** What stands in place of a secret. */
  readonly mask: Mask;
  readonly marks: Map<number, FenceHit>;
  /** Texts from a file to be redacted. They are removed as a whole, even if their lines are short. */
  readonly wholes: Map<string, FenceHit>;
}

/** The fenced content that can be recognized in a text. */
export function hitsInText(state: FencedTexts, text: string, withSecrets = false): Hits {
  const hits: Hits = new Map();
  const { patterns, secrets } = state.fences;
  for (const [whole, hit] of state.wholes) if (text.includes(whole)) putHits(hits, [hit]);
  if (text === '' || (patterns.length === 0 && state.marks.size === 0 && secrets === 'off')) return hits;
  for (const view of viewsOf(text)) {
    for (const { pattern, hit } of patterns) if (view.search(pattern) >= 0) putHits(hits, [hit]);
    if (secrets === 'local-only' || (withSecrets && secrets !== 'off')) putHits(hits, secretHits(view, secrets));
    if (state.marks.size === 0) continue;
    for (const marks of [lookUpsOf(view), lineMarksOf(view)]) {
      for (const one of marks) {
        const hit = state.marks.get(one);
        if (hit !== undefined) putHits(hits, [hit]);
      }
    }
  }
  return hits;
}

function secretHits(text: string, verdict: 'redact' | 'local-only'): readonly FenceHit[] {
  const plain = hideSecrets(text);
  return [...new Set([...plain.kinds, ...hideAssigned(plain.text).kinds])].map((rule) => ({
    rule,
    verdict,
    path: null,
    how: 'content',
  }));
}

function redactWholes(state: FencedTexts, input: string): string {
  let text = input;
  for (const [whole, hit] of state.wholes) {
    const label = `[fenced: ${hit.path ?? hit.rule}]`;
    if (text.includes(whole)) text = text.replaceAll(whole, label);
    // An older result that was shortened to save room.
    const [head, tail] = text.split(/\n\[… \d+ bytes left out here …\]\n/u);
    if (head && tail && whole.startsWith(head) && whole.endsWith(tail)) text = label;
  }
  return text;
}

/** Called with how many values more were removed than placeholders say. */
export type NoteMore = (more: number) => void;

const placeholder = /\[(?:fenced|redacted)(?:: ?[^\]\n]{0,200})?\]/g;

/** How many values the placeholders of a redacted text stand for. Those that the text had before do not count. */
export function countRemoved(before: string, after: string): number {
  const own = new Map<string, number>();
  for (const [found] of before.matchAll(placeholder)) own.set(found, (own.get(found) ?? 0) + 1);
  let count = 0;
  for (const [found] of after.matchAll(placeholder)) {
    const left = own.get(found) ?? 0;
    if (left > 0) own.set(found, left - 1);
    else count += 1;
  }
  return count;
}

/** The text with everything to be redacted removed. */
export function redactText(state: FencedTexts, input: string, note: NoteMore = () => undefined): string {
  const { patterns, secrets } = state.fences;
  let text = redactWholes(state, input);
  if (secrets === 'redact') text = hideAssigned(hideSecrets(text, state.mask).text, state.mask).text;
  for (const { pattern, hit } of patterns) if (hit.verdict === 'redact') text = text.replace(pattern, '[fenced]');
  text = redactRuns(state, text, note);
  if (state.marks.size === 0) return text;
  return text
    .split('\n')
    .map((line) => markedBy(state, line) ?? line)
    .join('\n');
}

/**
 * Removes encoded parts as a whole if they hold something to be redacted, from the last one on. Parts may overlap, because
 * a run of signs can be decoded in several ways.
 */
function redactRuns(state: FencedTexts, input: string, note: NoteMore): string {
  const runs = [...decodedIn(input)].sort((left, right) => right.from - left.from || right.to - left.to);
  let text = input;
  let end = input.length + 1;
  for (const { from, to, text: inner } of runs) {
    const isFenced = [...hitsInText(state, inner, true).values()].some(({ verdict }) => verdict === 'redact');
    if (from === end || !isFenced) continue;
    note(Math.max(0, countRemoved(inner, redactText(state, inner, note)) - 1));
    text = `${text.slice(0, from)}[fenced]${text.slice(Math.min(to, end))}`;
    end = from;
  }
  return text;
}

function markedBy(state: FencedTexts, line: string): string | null {
  for (const one of [...marksOf(line), ...lineMarksOf(line)]) {
    const hit = state.marks.get(one);
    if (hit?.verdict === 'redact') return `[fenced: ${hit.path ?? hit.rule}]`;
  }
  return null;
}

export function putHits(into: Hits, hits: Iterable<FenceHit>): void {
  for (const hit of hits) {
    const key = keyOfHit(hit);
    if (!into.has(key)) into.set(key, hit);
  }
}
