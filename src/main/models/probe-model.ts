import { AppError } from '@shared/errors.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { howToGet, splitModelId, withThinking } from '@shared/models/model-info.ts';
import type { DraftVerdict, KeptCard, ProbeCard, ProbeProgress } from '@shared/models/probe-card.ts';
import { probeCardSchema } from '@shared/models/probe-card.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { cardPhase, probeTask } from '../recipes/probe.recipe.ts';
import type { OpenSessions } from '../sessions/open/open-sessions.ts';
import type { FileDigests } from './files/file-digests.ts';
import type { ModelStore } from './files/model-store.ts';
import type { ProbeCardStore } from './files/probe-card-store.ts';

export interface ProbeResultsOptions {
  readonly cards: Pick<ProbeCardStore, 'find' | 'keep'>;
  readonly digests: FileDigests;
  readonly store: Pick<ModelStore, 'find'>;
  readonly settings: () => Settings;
}

/** What probes found out about models, and the settings that override it. */
export interface ProbeResults {
  /** The card of a model. Null if it was not probed, or its file has changed since. Reads no file. */
  readonly card: (id: string) => Promise<KeptCard | null>;
  /** The key under which the card is kept. Hashes the model file if its hash is not known yet. */
  readonly key: (id: string, signal: AbortSignal) => Promise<string>;
  /**
   * The probe's verdict on drafts, and whether the drafting model's file is unchanged. Null: not probed. Reads no
   * file.
   */
  readonly drafts: (id: string) => Promise<DraftVerdict | null>;
  /** The model with its digest, and its driving values: from settings first, then from its card, else unchanged. */
  readonly driven: (info: ModelInfo) => Promise<ModelInfo>;
  readonly keep: (key: string, card: KeptCard) => Promise<void>;
}

interface KnownFile {
  readonly key: string | null;
  /** Null: not a file of this machine, or not hashed yet. */
  readonly digest: string | null;
  readonly files: readonly string[];
}

export function createProbeResults({ cards, digests, store, settings }: ProbeResultsOptions): ProbeResults {
  const known = async (id: string): Promise<KnownFile> => {
    const name = splitModelId(id);
    const isServed = name !== null && settings().providers[name.provider]?.kind === 'llama-server';
    if (name === null || (name.provider !== 'llama-cpp' && !isServed)) return { key: id, digest: null, files: [] };
    const model = await store.find(name.name);
    if (model === null || model.path === null) return { key: null, digest: null, files: [] };
    const isListed = model.sha256 !== null && model.isInstalled;
    const digest = isListed ? model.sha256 : await digests.known(model.path);
    return { key: digest === null ? null : keyOf(id, digest), digest, files: model.files };
  };
  // The same file behaves differently in another engine.
  const keyOf = (id: string, digest: string): string =>
    id.startsWith('llama-cpp/') ? digest : `${splitModelId(id)?.provider} ${digest}`;
  const card: ProbeResults['card'] = async (id) => {
    const { key } = await known(id);
    return key === null ? null : cards.find(key);
  };
  return {
    card,
    keep: (key, kept) => cards.keep(key, kept),
    async drafts(id) {
      const drafts = (await card(id))?.drafts;
      if (drafts === undefined) return null;
      const { on, best, sha256 } = drafts;
      const hasSameFile = best === null || sha256 === null || (await known(best)).key === sha256;
      return { on, best, hasSameFile };
    },
    async key(id, signal) {
      const { key, files } = await known(id);
      if (key !== null) return key;
      const [first, ...rest] = files;
      if (first === undefined) throw new AppError('missing-model', `The model ${id} is not on this machine.`);
      return keyOf(id, await digests.of([first, ...rest], signal));
    },
    async driven(info) {
      const { key, digest } = await known(info.id);
      const driven = withDriving(info, key === null ? null : await cards.find(key), settings());
      return digest === null || info.isElsewhere === true ? driven : { ...driven, digest };
    },
  };
}

/** Pure. For each value, settings win over the card. */
export function withDriving(info: ModelInfo, card: ProbeCard | null, { models, providers }: Settings): ModelInfo {
  const { strategies, thinking, contextTokens: _ofFile, ...own } = models[info.id] ?? {};
  const provider = providers[info.provider];
  const service = provider !== undefined && 'models' in provider ? provider.models[info.name] : undefined;
  const driving = { ...(card === null ? {} : drivingOf(card)), ...own };
  const probed = card === null || card.strategies.length === 0 ? undefined : card.strategies;
  return {
    ...withThinking(info, thinking),
    strategies: strategies ?? service?.strategies ?? probed ?? info.strategies,
    ...(Object.keys(driving).length === 0 ? {} : { driving }),
  };
}

function drivingOf(card: ProbeCard): NonNullable<ModelInfo['driving']> {
  return {
    promptForm: card.promptForm,
    ...(card.callStyle === null ? {} : { calls: card.callStyle }),
    ...(card.edit === null ? {} : { edits: card.edit }),
    ...(card.toolBudget === null ? {} : { toolBudget: card.toolBudget }),
    ...(card.temperature === 0 ? {} : { temperature: card.temperature }),
  };
}

export interface ProbeRun {
  readonly sessions: OpenSessions;
  readonly probed: ProbeResults;
  readonly info: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
  readonly now: () => number;
}

/**
 * Probes one model in a session of its own, which can be read like any other. Its calls count toward limits and have
 * their usual cost. Throws `AppError`. After an abort nothing is kept.
 */
export async function probeModel(
  id: string,
  { sessions, probed, info, now }: ProbeRun,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: ProbeProgress) => void },
): Promise<void> {
  const model = await info(id, signal);
  if (model === null) {
    throw new AppError('missing-model', `The model ${id} is not available.`, {
      hint: `${howToGet(id)}, or run \`dewpoint models list\` to see your models.`,
    });
  }
  const startedAt = now();
  onProgress({ text: 'Which file it is.', card: null });
  const key = await probed.key(id, signal);
  const sessionId = await sessions.create({
    projectPath: null,
    workspace: 'scratch',
    title: `Probe of ${model.label}`,
    sandbox: 'read-only',
  });
  const cancel = (): void => void sessions.cancel(sessionId);
  signal.addEventListener('abort', cancel, { once: true });
  const journal = await sessions.journal(sessionId);
  const stop = journal.subscribe(1, (push) => {
    if (push.type === 'event' && push.event.type === 'recipe-progressed') {
      onProgress({ text: push.event.text, card: null });
    }
  });
  try {
    const sent = await sessions.send(sessionId, probeTask, optionsFor(model));
    if (signal.aborted) cancel();
    const end = await sent.ended;
    signal.throwIfAborted();
    const card = await cardIn(journal.read());
    if (card === null) {
      throw new AppError(end.failure?.code ?? 'model-failed', `The probe did not finish: ${end.text}`, {
        hint: `Run \`dewpoint sessions show ${sessionId}\` to see what happened.`,
      });
    }
    const seconds = Math.round((now() - startedAt) / 100) / 10;
    const kept = { ...(await withDigest(card, probed, signal)), at: now(), seconds, sessionId };
    await probed.keep(key, kept);
    onProgress({ text: '', card: kept });
  } finally {
    signal.removeEventListener('abort', cancel);
    stop();
    await sessions.sandboxes.rest(sessionId);
  }
}

/** Adds the hash of the drafting model's file, because the verdict holds for that file only. */
async function withDigest(card: ProbeCard, probed: ProbeResults, signal: AbortSignal): Promise<ProbeCard> {
  const best = card.drafts?.best ?? null;
  if (card.drafts === undefined || best === null || !best.includes('/')) return card;
  return { ...card, drafts: { ...card.drafts, sha256: await probed.key(best, signal) } };
}

/** The probe needs no workspace, so no sandbox that runs commands. Only this model may answer. */
function optionsFor({ id, where }: ModelInfo): RunOptions {
  return runOptionsSchema.parse({
    mode: 'plan',
    strategy: 'recipe',
    sandbox: 'read-only',
    maxSteps: 60,
    maxMinutes: 10,
    ...(where === 'local' ? { policy: 'local', local: id } : { policy: 'cloud', cloud: id }),
  });
}

async function cardIn(events: AsyncIterable<SessionEvent>): Promise<ProbeCard | null> {
  for await (const event of events) {
    if (event.type !== 'recipe-progressed' || event.phase !== cardPhase) continue;
    const card = probeCardSchema.safeParse(event.data);
    if (card.success) return card.data;
  }
  return null;
}
