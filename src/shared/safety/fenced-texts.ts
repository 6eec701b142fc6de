import { decodedIn, lineMarksOf, marksOf, viewsOf } from './fence-text.ts';
import type { FenceHit, Fences } from './fences.ts';
import { keyOfHit } from './fences.ts';
import { hideAssigned } from './assigned-secrets.ts';
import { hideSecrets, type Mask, secretShapes } from './secret-patterns.ts';

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
    for (const marks of [marksOf(view), lineMarksOf(view)]) {
      for (const one of marks) {
        const hit = state.marks.get(one);
        if (hit !== undefined) putHits(hits, [hit]);
      }
    }
  }
  return hits;
}

function secretHits(text: string, verdict: 'redact' | 'local-only'): readonly FenceHit[] {
  const plain = hideSecrets(text, secretShapes);
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

/** The text with everything to be redacted removed. */
export function redactText(state: FencedTexts, input: string): string {
  const { patterns, secrets } = state.fences;
  let text = redactWholes(state, input);
  if (secrets === 'redact') text = hideAssigned(hideSecrets(text, secretShapes, state.mask).text, state.mask).text;
  for (const { pattern, hit } of patterns) if (hit.verdict === 'redact') text = text.replace(pattern, '[fenced]');
  text = redactRuns(state, text);
  if (state.marks.size === 0) return text;
  return text
    .split('\n')
    .map((line) => markedBy(state, line) ?? line)
    .join('\n');
}

/** Removes encoded parts as a whole if they hold something to be redacted. */
function redactRuns(state: FencedTexts, input: string): string {
  let text = input;
  for (const { from, to, text: inner } of [...decodedIn(input)].reverse()) {
    const isFenced = [...hitsInText(state, inner, true).values()].some(({ verdict }) => verdict === 'redact');
    if (isFenced) text = `${text.slice(0, from)}[fenced]${text.slice(to)}`;
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
