import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, failure, success, toFailure } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { DeviceMemory } from '@shared/models/memory-estimate.ts';
import { withFileLock } from '../../lib/files/file-lock.ts';
import type { HostPrograms, Program } from '../../lib/programs/host-programs.ts';
import type { Hardware } from '../machine/hardware.ts';
import { sizeText } from '@shared/text/size-text.ts';

/** The engine's library for a kind of card. Bytes. */
export interface EngineVariant {
  /** As it is named in commands: `engine/cuda`. */
  readonly id: string;
  readonly label: string;
  readonly licence: string;
  readonly packageName: string;
  /** What is fetched, and what it takes on the disk. */
  readonly bytes: number;
  readonly diskBytes: number;
  readonly sha512: string;
}

/** The version of node-llama-cpp that the libraries below belong to; a test holds it against package.json. */
export const engineVersion = '3.21.1';

const packages: Readonly<Record<string, Pick<EngineVariant, 'bytes' | 'diskBytes' | 'sha512'>>> = {
  'linux-x64-cuda': {
    bytes: 142_850_036,
    diskBytes: 188_693_843,
    sha512: 'idsE55VoD/FbvLhnBC9krUJaUoC0XnebseAAnCpm/brKf61HEbu+idgbb5eN6mxkjLSrHtILprJ0nDcUJjVrFg==',
  },
  'linux-x64-vulkan': {
    bytes: 27_476_121,
    diskBytes: 84_483_299,
    sha512: 'flEeSzONQ6OIm5bYKLQf4eEnBzcC5WugFbyPUwkCqyyOFZ8pH0H9ulQ7ZNDLSIczeKneMRJornlyY1Hq7d3GDA==',
  },
  'win-x64-cuda': {
    bytes: 138_542_727,
    diskBytes: 175_510_346,
    sha512: 'PLz70neFEMkQTlmJqG1ujUtCSgHasLPMxQ9rLkqQVmZYAXqkRj+45TIHCjdn3XqUeaoun0vrO9rRaxZ8NVq9jg==',
  },
  'win-x64-vulkan': {
    bytes: 26_619_567,
    diskBytes: 103_426_656,
    sha512: 'HJ237Azh5m4Sz+w3A1IU/fYLaSDOocskcfn2ILTgqTuuORCB86EMnu3Yt/XsNhRHTtEiwz1Q/E0mO4PLIbZLAA==',
  },
};

const labels = { cuda: 'the engine for NVIDIA cards (CUDA)', vulkan: 'the engine for other cards (Vulkan)' } as const;

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

/** `engine/cuda` and `engine/vulkan`; null for what does not exist on such a machine. */
export function engineVariant(id: string, { platform, arch }: Machine): EngineVariant | null {
  const system = platform === 'win32' ? 'win' : platform;
  const kind = id === 'engine/cuda' ? 'cuda' : id === 'engine/vulkan' ? 'vulkan' : null;
  const found = kind === null ? undefined : packages[`${system}-${arch}-${kind}`];
  if (kind === null || found === undefined) return null;
  const packageName = `@node-llama-cpp/${system}-${arch}-${kind}`;
  return { id, label: labels[kind], licence: 'MIT', packageName, ...found };
}

/**
 * What these cards need beside the engine that is installed; null: nothing, as on a Mac, or without a card. Graphics
 * that share the host's memory ask for nothing: they are no faster than the processor.
 */
export function wantedVariant(devices: readonly DeviceMemory[], machine: Machine): EngineVariant | null {
  const cards = devices.filter(({ source, confidence }) => source !== 'metal' && confidence !== 'low');
  if (cards.length === 0) return null;
  const isNvidia = cards.some(
    ({ source, name }) => source === 'nvidia-smi' || /nvidia|geforce|quadro|tesla|\b[rg]tx\b/iu.test(name),
  );
  return engineVariant(isNvidia ? 'engine/cuda' : 'engine/vulkan', machine);
}

interface EnsureOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (phase: 'waiting' | 'downloading' | 'checking') => void;
}

/** Libraries for cards, in the cache. Nothing is fetched but by `ensure`, which a person asks for. */
export interface EngineVariants {
  find(id: string): EngineVariant | null;
  /** Where it is or would be. */
  folder(variant: EngineVariant): string;
  isHere(variant: EngineVariant): Promise<boolean>;
  /** Whether the engine in this process may see a card at all. On a Mac it always may. */
  hasAny(): Promise<boolean>;
  /** Its folder. Quick where it is there; an abort or a failure leaves nothing. */
  ensure(variant: EngineVariant, options: EnsureOptions): Promise<Reply<string>>;
  /** What was freed, in bytes. */
  remove(variant: EngineVariant, signal: AbortSignal): Promise<number>;
  /** Without the cards that the engine in this process cannot use yet, and with the reason. */
  usable(hardware: Hardware): Promise<Hardware>;
}

export interface EngineVariantsOptions extends Machine {
  /** Of this version; see `enginesDir`. */
  readonly dir: string;
  readonly programs: HostPrograms;
  /** npm, which fetches packages and knows of proxies and certificates; null: there is none. */
  readonly npm: () => Promise<Program | null>;
}

/** Where the libraries of this version lie; the engine's process looks there, too. */
export function enginesDir(cacheDir: string): string {
  return join(cacheDir, 'engines', `node-llama-cpp-${engineVersion}`);
}

export function createEngineVariants(options: EngineVariantsOptions): EngineVariants {
  const folder = ({ packageName }: EngineVariant): string => join(options.dir, packageName.replace(/^.*\//u, ''));
  const isHere = (variant: EngineVariant): Promise<boolean> =>
    stat(join(folder(variant), 'package.json')).then(
      () => true,
      () => false,
    );
  return {
    find: (id) => engineVariant(id, options),
    folder,
    isHere,
    async hasAny() {
      const here = Object.keys(labels).map(async (kind) => {
        const variant = engineVariant(`engine/${kind}`, options);
        return variant !== null && (await isHere(variant));
      });
      return options.platform === 'darwin' || (await Promise.all(here)).includes(true);
    },
    async ensure(variant, { signal, onProgress }) {
      const path = folder(variant);
      if (await isHere(variant)) return success(path);
      try {
        await mkdir(options.dir, { recursive: true });
        return await withFileLock(`${path}.lock`, { signal, onWait: () => onProgress('waiting') }, async () => {
          if (await isHere(variant)) return success(path);
          return fetchVariant(variant, path, { ...options, signal, onProgress });
        });
      } catch (error) {
        if (signal.aborted) return cancelled();
        return { ok: false, error: toFailure(error) };
      }
    },
    async remove(variant, signal) {
      if (!(await isHere(variant))) return 0;
      const path = folder(variant);
      return withFileLock(`${path}.lock`, { signal, onWait: () => undefined }, async () => {
        await rm(path, { recursive: true, force: true });
        return variant.diskBytes;
      });
    },
    async usable(hardware) {
      if (hardware.isSeen === true) return hardware;
      const own = hardware.devices.filter(({ source }) => source === 'metal');
      const wanted = wantedVariant(hardware.devices, options);
      if (wanted === null) return { ...hardware, devices: own };
      if (!(await isHere(wanted))) return { ...hardware, devices: own, unused: notHere(wanted) };
      return hardware.isSeen === false ? { ...hardware, devices: own, unused: unseenCardText(wanted) } : hardware;
    },
  };
}

/** node-llama-cpp takes its build for CUDA only where it finds NVIDIA's runtime, which no driver brings. */
export function unseenCardText({ label, id }: EngineVariant): string {
  const other =
    id === 'engine/cuda'
      ? "It needs NVIDIA's CUDA runtime beside the driver (libcudart and libcublas of the CUDA Toolkit 12.4 or later). Without it, run: dewpoint models pull engine/vulkan"
      : 'It needs the Vulkan loader (libvulkan) and a driver for the card.';
  return `a card was found and ${label} is installed, but the engine does not see the card and uses the processor. ${other}`;
}

/** Why a card is not used, and what to do. */
function notHere({ label, id, bytes }: EngineVariant): string {
  return `a card was found, but ${label} is missing, so the engine uses the processor. Get it with: dewpoint models pull ${id} (${sizeText(bytes)})`;
}

const cancelled = (): Reply<string> => failure('cancelled', 'The download was cancelled. Nothing of it is kept.');

interface Fetch extends EngineVariantsOptions, EnsureOptions {}

async function fetchVariant(variant: EngineVariant, path: string, options: Fetch): Promise<Reply<string>> {
  const { dir, programs, signal, onProgress } = options;
  await checkRoom(dir, variant);
  const work = await mkdtemp(join(dir, '.fetch-'));
  try {
    onProgress('downloading');
    const npm = await options.npm();
    if (npm === null) return npmMissing();
    // With a prefix it looks for no project above the folder it stands in, and reads no `.npmrc` of one.
    const apart = ['--ignore-scripts', '--prefix', work];
    const words = ['pack', `${variant.packageName}@${engineVersion}`, ...apart, '--pack-destination', work];
    const packed = await programs.run(npm, words, { needs: ['network', 'npm'], signal });
    if (signal.aborted) return cancelled();
    const archive = (await readdir(work)).find((name) => name.endsWith('.tgz'));
    if (packed.code !== 0 || archive === undefined) return npmFailed(variant, packed.output);
    onProgress('checking');
    if ((await sha512Of(join(work, archive), signal)) !== variant.sha512) {
      return failure('network', `${variant.packageName} is damaged: its checksum differs.`, 'Try again.');
    }
    const unpacked = join(work, 'package');
    const tar = await programs.run(['tar'], ['-xzf', join(work, archive), '-C', work], { needs: [], signal });
    if (signal.aborted) return cancelled();
    if (tar.code !== 0) return failure('internal', `${archive} could not be unpacked: ${lastWords(tar.output)}`);
    await rename(unpacked, path);
    return success(path);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function npmMissing(): Reply<string> {
  return failure(
    'network',
    'npm was not found on this machine, and the download needs it.',
    'Install Node.js, which brings npm.',
  );
}

function npmFailed({ packageName }: EngineVariant, output: string): Reply<string> {
  if (output.includes('ENOENT') && !output.includes('npm error')) return npmMissing();
  if (/ENOSPC|no space left/iu.test(output))
    return failure('disk-full', 'The disk is full.', 'Free some space and try again.');
  return failure(
    'network',
    `${packageName} could not be downloaded: ${lastWords(output)}`,
    'Try again when you are online.',
  );
}

function lastWords(output: string): string {
  return output.trim().split('\n').slice(-2).join(' ').slice(-300);
}

async function sha512Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('base64');
}

/** Packed and unpacked lie side by side for a moment. */
async function checkRoom(dir: string, { bytes, diskBytes, label }: EngineVariant): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const needed = bytes + diskBytes;
  if (bavail * bsize >= needed) return;
  throw new AppError(
    'disk-full',
    `${label} needs ${sizeText(needed)} in ${dir}, and ${sizeText(bavail * bsize)} are free.`,
    { hint: 'Free some space, or move the cache with DEWPOINT_CACHE.' },
  );
}
