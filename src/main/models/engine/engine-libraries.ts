import { AppError, valueOf } from '@shared/errors.ts';
import { pullPhases } from '../files/pull-phases.ts';
import type { ServerStatus } from '../model-servers.ts';
import type { EngineVariant, EngineVariants } from './engine-variants.ts';
import { unseenCardText, wantedVariant } from './engine-variants.ts';
import type { Hardware } from '../machine/hardware.ts';
import { dirname, join } from 'node:path';
import type { HostPrograms, Program } from '../../lib/programs/host-programs.ts';
import { isProgram, isWholePath } from '../../lib/programs/search-path.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { ModelEntry, ModelRemoval, PullProgress } from '@shared/contract/models-contract.ts';

/** The engine's libraries for cards, fetched and removed as models are: `engine/cuda`, `engine/vulkan`. */
export interface EngineLibraries {
  /** Null for an id of something else; throws `not-found` for a library that this machine has no use for. */
  readonly show: (id: string) => Promise<ModelEntry | null>;
  /** False for an id of something else. */
  readonly pull: (id: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal) => Promise<boolean>;
  /** Null for an id of something else. */
  readonly remove: (id: string, signal: AbortSignal) => Promise<ModelRemoval | null>;
  /** What the cards of this machine need; empty without a card. */
  readonly status: (signal: AbortSignal) => Promise<readonly ServerStatus[]>;
}

export interface EngineLibrariesOptions {
  readonly variants: EngineVariants;
  readonly readHardware: (signal: AbortSignal) => Promise<Hardware>;
  /** Has the engine's process start anew, so that it sees what was fetched. */
  readonly startAnew: () => Promise<void>;
}

export function createEngineLibraries({ variants, readHardware, startAnew }: EngineLibrariesOptions): EngineLibraries {
  const find = (id: string): ReturnType<EngineVariants['find']> => {
    const variant = variants.find(id);
    if (variant !== null || !id.startsWith('engine/')) return variant;
    throw new AppError('not-found', `There is no ${id} for this machine.`, {
      hint: 'Run `dewpoint doctor` to see what its cards need.',
    });
  };
  return {
    async show(id) {
      const variant = find(id);
      if (variant === null) return null;
      const { label, bytes, diskBytes, licence } = variant;
      const isHere = await variants.isHere(variant);
      return {
        id,
        label,
        where: 'local',
        state: isHere ? 'ready' : 'downloadable',
        sizeBytes: bytes,
        licence,
        info: null,
        note: `an engine library, not a model; ${sizeText(diskBytes)} on disk`,
        file: { path: variants.folder(variant), hereBytes: isHere ? diskBytes : 0, isOurs: true },
      };
    },
    async pull(id, onProgress, signal) {
      const variant = find(id);
      if (variant === null) return false;
      const totalBytes = variant.bytes;
      const done = await variants.ensure(variant, {
        signal,
        onProgress: (phase) => onProgress({ phase: pullPhases[phase], doneBytes: 0, totalBytes, text: '' }),
      });
      const path = valueOf(done);
      await startAnew();
      onProgress({ phase: 'done', doneBytes: totalBytes, totalBytes, text: path });
      return true;
    },
    async remove(id, signal) {
      const variant = find(id);
      if (variant === null) return null;
      // A library that is in use cannot be deleted on every system.
      await startAnew();
      return { done: 'deleted', path: variants.folder(variant), bytes: await variants.remove(variant, signal) };
    },
    status: async (signal) => statusOf(await readHardware(signal), variants),
  };
}

async function statusOf(
  { devices, isSeen }: Hardware,
  variants: Pick<EngineVariants, 'isHere'>,
): Promise<readonly ServerStatus[]> {
  if (devices.length === 0) return [];
  const wanted = wantedVariant(devices, process);
  const text = devices.map(({ name, totalBytes, source }) => `${name}, ${sizeText(totalBytes)} (${source})`).join('; ');
  const complaint = wanted === null || isSeen === true ? null : await complaintOf(wanted, variants, isSeen);
  return [{ provider: 'llama-cpp', text, isRunning: true, complaint }];
}

/** Why the models inside use the processor although there is a card; null where nothing speaks for it. */
async function complaintOf(
  wanted: EngineVariant,
  variants: Pick<EngineVariants, 'isHere'>,
  isSeen: Hardware['isSeen'],
): Promise<string | null> {
  const { id, label, bytes, licence } = wanted;
  if (!(await variants.isHere(wanted))) {
    return `Built-in models use the processor until you download ${label} (${sizeText(bytes)}, ${licence}): dewpoint models pull ${id}`;
  }
  return isSeen === false ? `Built-in models use the processor: ${unseenCardText(wanted)}` : null;
}

/**
 * The npm that started this program, which need not be on the PATH; else the one that is. Null where there is none. On
 * Windows npm is a `.cmd` file, which only a shell can start: what it starts is started.
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
  return path !== '' && isProgram(path) ? [node, path] : null;
}
