import type { DraftVerdict } from '@shared/models/probe-card.ts';
import type { DraftLoad } from '../../memory/draft-memory.ts';
import type { GgufHeader } from '../../memory/gguf/read-gguf.ts';
import type { ServerLoadPlan } from '../../memory/plan-server-load.ts';

/**
 * A way to draft tokens ahead. The model checks several of them at once, which takes little longer than writing one,
 * and keeps those that it would have written itself.
 */
export interface DraftWay {
  /** `lookup`, `mtp`, or the id of the model that drafts. */
  readonly id: string;
  /** As `--spec-type` calls it. */
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

/** What a draft out of the conversation is looked up by, and how far it goes. */
const lookup = { type: 'ngram-simple', match: 4, tokens: 8 } as const;
/** A wrong draft costs the time of its check, so only likely words are drafted. */
const drafter = { tokens: 8, least: '0.6' } as const;
const insideTokens = 3;
/** A probe tries no more models than this, the smallest first. */
const mostModels = 2;
/** Heads that were made for one model each, by their architecture. */
const heads: Readonly<Record<string, string>> = {
  eagle3: 'draft-eagle3',
  dflash: 'draft-dflash',
  'gemma4-assistant': 'draft-mtp',
};

/** The ways that this build has for a model. Whether one is worth it, or starts at all, is for a probe to find out. */
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

/** The engine itself compares the two vocabularies word by word. */
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
  /** Null: the model writes without drafts. */
  readonly way: DraftWay | null;
  /** Why it is not the way that is set or was found best; null: it is. */
  readonly why: string | null;
}

/** `asked`: by one call, before what is set. `on`: this server, as a probe names it. */
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

/** As options of llama-server. */
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
