import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { seenName } from '@shared/text/seen-text.ts';
import { AppError, valueOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { LlamaServerSettings } from '@shared/settings/settings.ts';
import type { OwnLlamaServer, ServerLoad } from '../../engine/llama-server/own-llama-server.ts';
import type { ServerProgram } from '../../engine/llama-server/server-program.ts';
import { readAdapted } from '../../memory/gguf/gguf-header-reader.ts';
import type { ServerLoadPlan, ServerLoadWish } from '../../memory/plan-server-load.ts';
import { loadArguments, planServerLoad, sightArguments } from '../../memory/plan-server-load.ts';
import { infoOfFile } from '../call/info-of-file.ts';
import type { LocalEngines } from '../../engine/local-engines.ts';
import type { ModelFile, ModelFiles } from '../../files/callable-files.ts';
import { projectorOf } from '../../files/projectors.ts';
import type { LoadSteps } from '../../memory/load-steps.ts';
import type { ReadHeader } from '../../memory/gguf/gguf-header-reader.ts';
import type { DraftVerdict } from '@shared/models/probe-card.ts';
import type { Strain } from '@shared/models/machine-strain.ts';
import { chooseDraft, draftArguments, draftWays } from './draft-ways.ts';
import type { DraftChoice, DraftWay, DraftWish, HeaderOfFile } from './draft-ways.ts';
import { smallerBefore } from './smaller-load.ts';

/** A model file and its memory plan. */
export interface ServerModel {
  readonly file: ModelFile;
  readonly plan: ServerLoadPlan;
  readonly load: ServerLoad;
  readonly drafting: Drafting;
  /** It runs with half of the threads. */
  readonly isGentle: boolean;
}

/** How to draft for a model, and the ways to choose from. */
export interface Drafting extends DraftChoice {
  readonly ways: readonly DraftWay[];
  /** Identifies the server, as in the probe. */
  readonly on: string;
}

export interface LlamaServerDependencies extends ModelFiles {
  readonly now: () => number;
  readonly fetch: typeof fetch;
  /** Runs model files in the llama-server that is installed here. Absent: not supported. */
  readonly ownLlamaServer?: OwnLlamaServer;
  /** Makes the engines of this machine take turns. Absent: this server is the only one. */
  readonly localEngines?: LocalEngines;
  readonly readHeader?: ReadHeader;
  /** Free memory of this machine, in bytes. */
  readonly freeHostBytes?: (signal: AbortSignal) => Promise<number>;
  /** Loads that are smaller than planned, because one ran out of memory. */
  readonly loadSteps?: LoadSteps;
  /** A probe's verdict on drafts for a model, by its id. Absent: unknown. */
  readonly draftVerdict?: (modelId: string) => Promise<DraftVerdict | null>;
  /** Whether this machine is under strain. Absent: nothing checks that. */
  readonly strain?: () => Promise<Strain>;
}

export interface ServerModelOptions {
  readonly id: string;
  readonly settings: LlamaServerSettings;
  readonly dependencies: LlamaServerDependencies;
}

/** Bytes that will be freed before this load, beyond what is free now. */
export interface Leaving {
  readonly hostBytes: number;
  readonly cardBytes: number;
}

export interface FoundServer {
  readonly server: OwnLlamaServer;
  /** Asks the program for its version and cards. Throws if it cannot be used. */
  readonly ask: () => Promise<ServerProgram>;
}

/** Throws if the program was not found, and says what to do. */
export async function findServer(
  { dependencies: { ownLlamaServer }, settings }: ServerModelOptions,
  signal: AbortSignal,
): Promise<FoundServer> {
  const path = (await ownLlamaServer?.find(settings.program)) ?? null;
  if (ownLlamaServer === undefined || path === null) {
    const message =
      settings.program === undefined
        ? 'No program "llama-server" was found on this machine.'
        : `${settings.program} is not a program that can be run, or lies in the folder of a project, where an agent can change it.`;
    throw new AppError('not-found', message, {
      hint: 'Install llama.cpp, or name its program: providers.llama-server.program in your settings.',
    });
  }
  return { server: ownLlamaServer, ask: async () => valueOf(await ownLlamaServer.ask(path, signal)) };
}

/** Reads the headers of all model files on this machine, each once. */
export async function findDrafting(
  { dependencies, settings }: ServerModelOptions,
  { name, program }: { readonly name: string; readonly program: ServerProgram },
  wish: Pick<DraftWish, 'asked' | 'verdict'>,
): Promise<Drafting> {
  const cards = settings.gpu === 'off' ? [] : program.cards.map((card) => card.name);
  const { threads } = settings;
  const on = [program.build, ...cards, ...(threads === undefined ? [] : [`threads ${threads}`])].join(', ');
  const names = program.draftTypes.length === 0 || settings.drafts === 'off' ? [] : await dependencies.localModels();
  const headers = await Promise.all([name, ...names].map((one) => headerOf(dependencies, one)));
  const [own, ...others] = headers;
  const ways =
    own === null || own === undefined
      ? []
      : draftWays(
          own,
          program.draftTypes,
          others.filter((other) => other !== null),
        );
  return { ways, on, ...chooseDraft(ways, { ...wish, set: settings.drafts, on }) };
}

async function headerOf(
  { readHeader, modelFile }: ServerModelOptions['dependencies'],
  name: string,
): Promise<HeaderOfFile | null> {
  const file = await modelFile(name);
  const header = file === null ? undefined : await readHeader?.(file.path);
  if (file === null || header?.ok !== true) return null;
  return { id: `llama-cpp/${name}`, path: file.path, header: header.value };
}

interface FileWish {
  readonly file: ModelFile;
  readonly program: ServerProgram;
  readonly leaving: Leaving;
  readonly drafting: Drafting;
  readonly isGentle?: boolean;
  /** Absent: the step that was kept from an earlier load. */
  readonly step?: ServerLoadWish['step'];
}

export async function planFile(
  options: ServerModelOptions,
  { file, program, leaving, drafting, isGentle = false, step }: FileWish,
  signal: AbortSignal,
): Promise<ServerModel> {
  const { dependencies, settings } = options;
  const { readHeader, freeHostBytes } = dependencies;
  const header = readHeader === undefined ? null : await readAdapted(readHeader, file.path, file.adapter?.path);
  const cards = settings.gpu === 'off' ? [] : program.cards;
  const plan = planServerLoad({
    facts: header?.ok === true ? header.value.facts : null,
    askedTokens: file.askedTokens ?? settings.contextTokens ?? null,
    cards: cards.map((card, index) =>
      index === 0 ? { ...card, freeBytes: card.freeBytes + leaving.cardBytes } : card,
    ),
    hostFreeBytes: ((await freeHostBytes?.(signal)) ?? Number.POSITIVE_INFINITY) + leaving.hostBytes,
    step: step === undefined ? await smallerBefore(options, file, program) : step,
    draft: drafting.way?.load ?? null,
    projector: projectorOf(file)?.facts ?? null,
  });
  const { gpu, unloadAfterMinutes } = settings;
  const threads = isGentle ? halfOf(settings.threads) : settings.threads;
  const args = [
    ...loadArguments(file.path, plan),
    ...draftArguments(drafting.way, plan, cards[0]?.name),
    ...sightArguments(projectorOf(file)?.path ?? null, plan),
    ...(gpu === 'off' && plan.placement !== 'host' ? ['--device', 'none'] : []),
    ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ...(file.adapter === undefined ? [] : ['--lora', file.adapter.path]),
  ];
  const idleMs = unloadAfterMinutes === null ? null : unloadAfterMinutes * 60_000;
  return { file, plan, drafting, isGentle, load: { program: program.path, args, modelPath: file.path, idleMs } };
}

/** What to do when a server did not start because of the projector that it was given. */
export function withSightHint(message: string, file: Pick<ModelFile, 'sight'>): string {
  const projector = projectorOf(file);
  if (projector === null || !/mmproj|multimodal|clip/iu.test(message)) return message;
  const name = seenName(basename(projector.path));
  return `This llama-server cannot use the projector ${name}, with which the model sees pictures. Install a newer llama.cpp, or move the projector away to use the model for text alone. ${message}`;
}

/** Without this option, the server uses one thread for each core. The system often counts two for each. */
function halfOf(threads: number | undefined): number {
  return Math.max(1, Math.floor((threads ?? availableParallelism() / 2) / 2));
}

export function serverModelInfo(
  id: string,
  name: string,
  { file, plan, drafting: { ways, on } }: Pick<ServerModel, 'file' | 'plan' | 'drafting'>,
): ModelInfo {
  const isLarge = (file.parametersB ?? 0) >= 7;
  const known = file.drafters === undefined ? {} : { known: file.drafters };
  const drafting = ways.length === 0 ? {} : { drafting: { ways: ways.map((way) => way.id), on, ...known } };
  const info = infoOfFile(id, name, file, {
    contextTokens: plan.grantedTokens,
    capabilities: {
      tools: true,
      grammar: true,
      prefill: false,
      infill: false,
      countTokens: true,
      ...(plan.sight === null ? {} : { images: true }),
      ...(file.efforts === undefined ? {} : { reasoning: true }),
    },
    price: { input: 0, output: 0, source: 'local', date: '2026-11-26' },
    strategies: [...(file.strategies ?? (isLarge ? (['loop', 'recipe'] as const) : (['recipe'] as const)))],
    ...(file.use === undefined ? {} : { use: file.use }),
  });
  const mostTokens = plan.sight?.mostTokens ?? null;
  const sight = {
    ...(mostTokens === null ? {} : { imageTokens: mostTokens }),
    ...(file.sight !== undefined && 'refusal' in file.sight ? { note: file.sight.refusal } : {}),
  };
  return { ...info, ...drafting, ...sight };
}
