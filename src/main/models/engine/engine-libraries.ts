import { AppError, valueOf } from '@shared/errors.ts';
import { pullPhases } from '../files/pull-phases.ts';
import type { ServerStatus } from '../model-servers.ts';
import type { EngineVariant } from './engine-packages.ts';
import { lookForServer } from './llama-server/look-for-server.ts';
import type { OwnLlamaServer } from './llama-server/own-llama-server.ts';
import type { EngineVariants } from './engine-variants.ts';
import { unseenCardText } from './engine-variants.ts';
import type { Hardware } from '../machine/hardware.ts';
import { dirname, join } from 'node:path';
import type { HostPrograms, Program } from '../../lib/programs/host-programs.ts';
import { isWholePath } from '../../lib/files/is-within.ts';
import { programAt } from '../../lib/programs/search-path.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type {
  EngineCardsReport,
  LlamaServerLook,
  ModelEntry,
  ModelRemoval,
  PullProgress,
} from '@shared/contract/models-contract.ts';

/**
 * The engine's libraries for cards. They are downloaded and removed like models: `engine/cuda`, `engine/cuda-12`,
 * `engine/vulkan`, and `engine/auto` for the one that this machine needs.
 */
export interface EngineLibraries {
  /** Null for an id of another kind. Throws `not-found` for a library that does not exist for this machine. */
  readonly show: (id: string, signal: AbortSignal) => Promise<ModelEntry | null>;
  /** Returns false for an id of another kind. */
  readonly pull: (id: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal) => Promise<boolean>;
  /** Null for an id of another kind. */
  readonly remove: (id: string, signal: AbortSignal) => Promise<ModelRemoval | null>;
  /** What the cards of this machine need. Empty without a card. */
  readonly status: (signal: AbortSignal) => Promise<readonly ServerStatus[]>;
  /** The same for the window. */
  readonly report: (signal: AbortSignal) => Promise<EngineCardsReport>;
  /** The user's own llama-server, or how to get one. It is started for its version. */
  readonly lookForServer: (program: string | null, signal: AbortSignal) => Promise<LlamaServerLook>;
}

export interface EngineLibrariesOptions {
  readonly variants: EngineVariants;
  readonly readHardware: (signal: AbortSignal) => Promise<Hardware>;
  readonly ownServer: Pick<OwnLlamaServer, 'find' | 'ask'>;
  /** Restarts the engine's process, so that it finds new libraries. */
  readonly startAnew: () => Promise<void>;
}

const auto = 'engine/auto';

export function createEngineLibraries(options: EngineLibrariesOptions): EngineLibraries {
  const { variants, readHardware, startAnew } = options;
  const find = async (id: string, signal: AbortSignal): Promise<EngineVariant | null> => {
    if (id === auto) return wantedHere(options, signal);
    const variant = variants.find(id);
    if (variant !== null || !id.startsWith('engine/')) return variant;
    throw new AppError('not-found', `There is no ${id} for this machine.`, {
      hint: 'Run `dewpoint doctor` to see what its cards need.',
    });
  };
  return {
    lookForServer: (program, signal) =>
      lookForServer(options.ownServer, { program, platform: process.platform }, signal),
    async show(given, signal) {
      const variant = await find(given, signal);
      if (variant === null) return null;
      const { id, label, bytes, diskBytes, license } = variant;
      const isHere = await variants.isHere(variant);
      return {
        id,
        label,
        where: 'local',
        state: isHere ? 'ready' : 'downloadable',
        sizeBytes: bytes,
        license,
        info: null,
        note: `an engine library, not a model; ${sizeText(diskBytes)} on disk`,
        file: { path: variants.folder(variant), hereBytes: isHere ? diskBytes : 0, isOurs: true },
      };
    },
    async pull(id, onProgress, signal) {
      const variant = await find(id, signal);
      if (variant === null) return false;
      const totalBytes = variant.bytes;
      const done = await variants.ensure(variant, {
        signal,
        onProgress: (phase, doneBytes) => onProgress({ phase: pullPhases[phase], doneBytes, totalBytes, text: '' }),
      });
      const path = valueOf(done);
      await startAnew();
      onProgress({ phase: 'done', doneBytes: totalBytes, totalBytes, text: path });
      return true;
    },
    async remove(id, signal) {
      const variant = await find(id, signal);
      if (variant === null) return null;
      // Some systems cannot delete a library that is in use.
      await startAnew();
      return { done: 'deleted', path: variants.folder(variant), bytes: await variants.remove(variant, signal) };
    },
    status: async (signal) => statusOf(reportOf(await readHardware(signal), variants, signal)),
    report: async (signal) => reportOf(await readHardware(signal), variants, signal),
  };
}

async function wantedHere(
  { variants, readHardware }: EngineLibrariesOptions,
  signal: AbortSignal,
): Promise<EngineVariant> {
  const { use, reason, advice } = await variants.plan(await readHardware(signal), signal);
  if (use !== null && use !== 'metal') return use;
  throw new AppError(
    'not-found',
    `This machine needs no engine library. ${reason ?? 'It has no graphics card.'}`,
    advice === null ? {} : { hint: advice },
  );
}

async function reportOf(
  { devices, isSeen }: Hardware,
  variants: EngineVariants,
  signal: AbortSignal,
): Promise<EngineCardsReport> {
  const { use, reason, advice } = await variants.plan({ devices }, signal);
  const cards = devices.map(({ name, totalBytes, source }) => ({ name, totalBytes, source }));
  if (use === 'metal' || isSeen === true) return { cards, isUsed: true, reason, advice: null, library: null };
  if (use === null) return { cards, isUsed: false, reason, advice, library: null };
  const { id, label, bytes, license } = use;
  const isHere = await variants.isHere(use);
  const library = { id, label, bytes, license, isHere };
  if (isHere && isSeen === false)
    return { cards, isUsed: false, reason: `${reason ?? ''} But ${unseenCardText(use)}`, advice, library };
  return { cards, isUsed: isHere, reason, advice, library };
}

async function statusOf(asked: Promise<EngineCardsReport>): Promise<readonly ServerStatus[]> {
  const { cards, isUsed, reason, advice, library } = await asked;
  if (reason === null && cards.length === 0) return [];
  const named = cards.map(({ name, totalBytes, source }) => `${name}, ${sizeText(totalBytes)} (${source})`).join('; ');
  const text = [named, reason].filter((part) => part !== null && part !== '').join('. ');
  const missing =
    library === null || library.isHere
      ? null
      : `Built-in models use the processor until you download ${library.label} (${sizeText(library.bytes)}, ${library.license}): dewpoint models pull ${library.id}.`;
  const hints = [missing, advice].filter((part) => part !== null);
  return [{ provider: 'llama-cpp', text, isRunning: true, complaint: isUsed ? null : hints.join(' ') || text }];
}

/**
 * Finds npm: first the one that started this program, which need not be on the PATH, then the one on the PATH. Null:
 * there is none. On Windows, npm is a `.cmd` file, which only a shell can start. So the script that it runs is run
 * directly.
 */
export async function findNpm(
  node: string,
  programs: HostPrograms,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Program | null> {
  const own = env.npm_execpath ?? '';
  if (own.endsWith('npm-cli.js') && isWholePath(own, process.platform) && (await programs.isOutside(own)))
    return [node, own];
  if (process.platform !== 'win32') {
    const npm = await programs.find('npm');
    return npm === null ? null : [npm];
  }
  const script = await programs.find('npm.cmd');
  const path = script === null ? '' : join(dirname(script), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return path !== '' && (await programAt(path)) !== null ? [node, path] : null;
}
