import type { DraftVerdict } from '@shared/models/probe-card.ts';
import type { DraftLoad } from '../../memory/draft-memory.ts';
import type { GgufHeader } from '../../memory/gguf/read-gguf.ts';
import type { ServerLoadPlan } from '../../memory/plan-server-load.ts';

/**
 * A way to draft tokens ahead. The model checks several drafted tokens at once, which takes little longer than
 * writing one. It keeps those that it would have written itself.
 */
export interface DraftWay {
  /** `lookup`, `mtp`, or the id of the drafting model. */
  readonly id: string;
  /** The value for `--spec-type`. */
  readonly type: string;
  readonly file: HeaderOfFile | null;
  readonly load: DraftLoad;
}

export interface HeaderOfFile {
  /** `llama-cpp/NAME` */
  readonly id: string;
  readonly path: string;
  readonly header: GgufHeader;
}

/** How many tokens must match the conversation to look up a draft, and how many are drafted. */
const lookup = { type: 'ngram-simple', match: 4, tokens: 8 } as const;
/** Checking a wrong draft costs time, so only likely tokens are drafted. */
const drafter = { tokens: 8, least: '0.6' } as const;
const insideTokens = 3;
/** A probe tries at most this many drafting models, the smallest first. */
const mostModels = 2;
/** Draft heads that were each made for one model, by architecture. */
const heads: Readonly<Record<string, string>> = {
  eagle3: 'draft-eagle3',
  dflash: 'draft-dflash',
  'gemma4-assistant': 'draft-mtp',
};

/**
 * The ways of this server build to draft for a model. A probe finds out whether one works, and whether it is faster.
 */
export function draftWays(
  model: HeaderOfFile,
  types: readonly string[],
  others: readonly HeaderOfFile[],
): readonly DraftWay[] {
  const { architecture, facts } = model.header;
  const hasLayers = Number(facts.keys[`${architecture}.nextn_predict_layers`] ?? 0) > 0;
  const models = others
    .filter((other) => other.path !== model.path && mayDraftFor(model.header, other.header))
    .sort((left, right) => left.header.fileBytes - right.header.fileBytes)
    .slice(0, mostModels);
  const ways: readonly DraftWay[] = [
    { id: 'lookup', type: lookup.type, file: null, load: { facts: null, tokens: lookup.tokens, isInside: false } },
    ...(hasLayers
      ? [{ id: 'mtp', type: 'draft-mtp', file: null, load: { facts: null, tokens: insideTokens, isInside: true } }]
      : []),
    ...models.map((file): DraftWay => {
      const type = heads[file.header.architecture] ?? 'draft-simple';
      const isInside = type !== 'draft-simple';
      const tokens = isInside ? insideTokens : drafter.tokens;
      return { id: file.id, type, file, load: { facts: file.header.facts, tokens, isInside } };
    }),
  ];
  return ways.filter(({ type }) => types.includes(type));
}

/**
 * Whether `other` is likely to be able to draft for `model`. The engine compares the two vocabularies completely
 * when it loads them.
 */
function mayDraftFor(model: GgufHeader, other: GgufHeader): boolean {
  const word = (header: GgufHeader, key: string): unknown => header.facts.keys[`tokenizer.ggml.${key}`] ?? null;
  const words = Math.abs((model.facts.vocabulary ?? 0) - (other.facts.vocabulary ?? 0));
  return (
    other.use === null &&
    2 * other.fileBytes <= model.fileBytes &&
    words <= 128 &&
    word(model, 'model') === word(other, 'model') &&
    word(model, 'pre') === word(other, 'pre')
  );
}

export interface DraftChoice {
  /** Null: no drafts. */
  readonly way: DraftWay | null;
  /** Why it is not the way in the settings, or the best one of the probe. Null: it is. */
  readonly why: string | null;
}

/**
 * Chooses how to draft. `asked` comes from one call and wins over settings. `on` identifies this server, as in the
 * probe.
 */
export function chooseDraft(
  ways: readonly DraftWay[],
  { asked, set, verdict, on }: DraftWish & { readonly on: string },
): DraftChoice {
  const wanted = asked ?? (set === 'auto' ? (verdict?.best ?? 'off') : set);
  if (wanted === 'off') return { way: null, why: null };
  const without = (why: string): DraftChoice => ({ way: null, why: `it writes without drafts: ${why}` });
  if (asked === undefined && set === 'auto' && verdict !== null) {
    if (verdict.on !== on) return without('the probe measured them with another llama-server or other options');
    if (!verdict.hasSameFile) return without(`the file of ${wanted} is gone, or another one than was measured`);
  }
  const way = ways.find(({ id }) => id === wanted);
  return way === undefined ? without(`${wanted} is not here, or cannot draft for this model`) : { way, why: null };
}

export interface DraftWish {
  readonly asked: string | undefined;
  readonly set: string;
  readonly verdict: DraftVerdict | null;
}

/** The options for llama-server. */
export function draftArguments(
  way: DraftWay | null,
  plan: ServerLoadPlan,
  card: string | undefined,
): readonly string[] {
  if (way === null) return [];
  const { type, file, load } = way;
  const kind = ['--spec-type', type];
  if (type === lookup.type) {
    const { match, tokens } = lookup;
    return [...kind, '--spec-ngram-simple-size-n', String(match), '--spec-ngram-simple-size-m', String(tokens)];
  }
  const most = ['--spec-draft-n-max', String(load.tokens)];
  if (file === null) return [...kind, ...most];
  const isHost = card === undefined || plan.placement === 'host';
  return [
    ...kind,
    ...most,
    ...(load.isInside ? [] : ['--spec-draft-p-min', drafter.least]),
    '--spec-draft-model',
    file.path,
    ...(isHost ? ['--spec-draft-device', 'none'] : ['--spec-draft-device', card, '--spec-draft-ngl', 'all']),
  ];
}
