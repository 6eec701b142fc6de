import { availableParallelism } from 'node:os';
import { AppError, valueOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { LlamaServerSettings } from '@shared/settings/settings.ts';
import type { OwnLlamaServer, ServerLoad } from '../../engine/llama-server/own-llama-server.ts';
import type { ServerProgram } from '../../engine/llama-server/server-program.ts';
import { readAdapted } from '../../memory/gguf/gguf-header-reader.ts';
import type { ServerLoadPlan, ServerLoadWish } from '../../memory/plan-server-load.ts';
import { loadArguments, planServerLoad } from '../../memory/plan-server-load.ts';
import { infoOfFile, type ModelFile } from '../call/info-of-file.ts';
import type { ProviderDependencies } from '../define.ts';
import { smallerBefore } from './smaller-load.ts';

/** A model file with what it may have of this machine. */
export interface ServerModel {
  readonly file: ModelFile;
  readonly plan: ServerLoadPlan;
  readonly load: ServerLoad;
  /** With half of the threads. */
  readonly isGentle: boolean;
}

interface PlanWish {
  readonly file: ModelFile;
  readonly program: ServerProgram;
  readonly leaving: Leaving;
  readonly isGentle?: boolean;
  /** Absent: as it was kept of an earlier load. */
  readonly step?: ServerLoadWish['step'];
}

export interface ServerModelOptions {
  readonly id: string;
  readonly settings: LlamaServerSettings;
  readonly dependencies: ProviderDependencies;
}

/** Bytes that are free beside what is free now: what leaves before this load. */
export interface Leaving {
  readonly hostBytes: number;
  readonly cardBytes: number;
}

export interface FoundServer {
  readonly server: OwnLlamaServer;
  /** The program by its own word; throws where it cannot be used. */
  readonly ask: () => Promise<ServerProgram>;
}

/** Throws where there is no such program, with what to do. */
export async function findServer(
  { dependencies: { ownLlamaServer }, settings }: ServerModelOptions,
  signal: AbortSignal,
): Promise<FoundServer> {
  const path = (await ownLlamaServer?.find(settings.program)) ?? null;
  if (ownLlamaServer === undefined || path === null) {
    const message =
      settings.program === undefined
        ? 'No program "llama-server" was found on this machine.'
        : `${settings.program} is not a program that can be run.`;
    throw new AppError('not-found', message, {
      hint: 'Install llama.cpp, or name its program: providers.llama-server.program in your settings.',
    });
  }
  return { server: ownLlamaServer, ask: async () => valueOf(await ownLlamaServer.ask(path, signal)) };
}

export async function planFile(
  options: ServerModelOptions,
  { file, program, leaving, isGentle = false, step }: PlanWish,
  signal: AbortSignal,
): Promise<ServerModel> {
  const { dependencies, settings } = options;
  const { readHeader, freeHostBytes } = dependencies;
  const header = readHeader === undefined ? null : await readAdapted(readHeader, file.path, file.adapter?.path);
  const cards = settings.gpu === 'off' ? [] : program.cards;
  const plan = planServerLoad({
    facts: header?.ok === true ? header.value.facts : null,
    askedTokens: settings.contextTokens ?? null,
    cards: cards.map((card, index) =>
      index === 0 ? { ...card, freeBytes: card.freeBytes + leaving.cardBytes } : card,
    ),
    hostFreeBytes: ((await freeHostBytes?.(signal)) ?? Number.POSITIVE_INFINITY) + leaving.hostBytes,
    step: step === undefined ? await smallerBefore(options, file, program) : step,
  });
  const { gpu, unloadAfterMinutes } = settings;
  const threads = isGentle ? halfOf(settings.threads) : settings.threads;
  const args = [
    ...loadArguments(file.path, plan),
    ...(gpu === 'off' && plan.placement !== 'host' ? ['--device', 'none'] : []),
    ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ...(file.adapter === undefined ? [] : ['--lora', file.adapter.path]),
  ];
  const idleMs = unloadAfterMinutes === null ? null : unloadAfterMinutes * 60_000;
  return { file, plan, load: { program: program.path, args, modelPath: file.path, idleMs }, isGentle };
}

/** By itself it takes a thread for each core; what the system counts are often two for each. */
function halfOf(threads: number | undefined): number {
  return Math.max(1, Math.floor((threads ?? availableParallelism() / 2) / 2));
}

export function serverModelInfo(
  id: string,
  name: string,
  { file, plan }: Pick<ServerModel, 'file' | 'plan'>,
): ModelInfo {
  const isLarge = (file.parametersB ?? 0) >= 7;
  return infoOfFile(id, name, file, {
    contextTokens: plan.grantedTokens,
    capabilities: {
      tools: true,
      grammar: true,
      prefill: false,
      infill: false,
      countTokens: true,
      ...(file.efforts === undefined ? {} : { reasoning: true }),
    },
    price: { input: 0, output: 0, source: 'local', date: '2026-11-26' },
    strategies: [...(file.strategies ?? (isLarge ? (['loop', 'recipe'] as const) : (['recipe'] as const)))],
    ...(file.use === undefined ? {} : { use: file.use }),
  });
}
