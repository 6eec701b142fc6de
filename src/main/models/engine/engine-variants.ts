import { mkdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, failure, success, toFailure } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { withFileLock } from '../../lib/files/file-lock.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import type { CardFacts } from '../machine/card-facts.ts';
import type { Hardware } from '../machine/hardware.ts';
import type { CardPlan } from './card-plan.ts';
import { planCards } from './card-plan.ts';
import type { EnginePackage, EngineVariant } from './engine-packages.ts';
import { engineLibraryIds, engineVariant, engineVersion } from './engine-packages.ts';
import type { FetchPackageOptions } from './fetch-engine-package.ts';
import { archiveOf, fetchEnginePackage, packageFolder } from './fetch-engine-package.ts';
import type { Machine } from '../../lib/programs/platform-files.ts';

interface EnsureOptions {
  readonly signal: AbortSignal;
  /** `doneBytes` counts all packages of the library. */
  readonly onProgress: (phase: 'waiting' | 'downloading' | 'checking', doneBytes: number) => void;
}

/** The libraries for cards in the cache. Only `ensure` downloads, and only when the user asks for it. */
export interface EngineVariants {
  find(id: string): EngineVariant | null;
  /** What the cards of this machine need, judged by what is installed now. */
  plan(hardware: Pick<Hardware, 'devices'>, signal: AbortSignal): Promise<CardPlan>;
  /** Where the library is or would be. For several packages, the folder of the first. */
  folder(variant: EngineVariant): string;
  isHere(variant: EngineVariant): Promise<boolean>;
  /** Whether any library is here, so that the engine may see a card. On a Mac, always true. */
  hasAny(): Promise<boolean>;
  /**
   * Downloads a library unless it is here, and returns its folder. After an abort or a failure, complete packages
   * are kept and the next try resumes.
   */
  ensure(variant: EngineVariant, options: EnsureOptions): Promise<Reply<string>>;
  /** The bytes that were freed. */
  remove(variant: EngineVariant, signal: AbortSignal): Promise<number>;
  /** The hardware without the cards that the engine cannot use yet, and the reason for each. */
  usable(hardware: Hardware, signal: AbortSignal): Promise<Hardware>;
}

export interface EngineVariantsOptions extends Machine {
  /** The folder for this version. See `enginesDir`. */
  readonly dir: string;
  readonly programs: HostPrograms;
  readonly registry: (signal: AbortSignal) => Promise<string | null>;
  readonly download: FetchPackageOptions['download'];
  readonly readFacts: (devices: Hardware['devices'], signal: AbortSignal) => Promise<CardFacts>;
}

/** The folder of the libraries for this version. The engine's process searches it, too. */
export function enginesDir(cacheDir: string): string {
  return join(cacheDir, 'engines', `node-llama-cpp-${engineVersion}`);
}

export function createEngineVariants(options: EngineVariantsOptions): EngineVariants {
  const { dir } = options;
  const isPackageHere = (one: EnginePackage): Promise<boolean> =>
    stat(join(packageFolder(dir, one), 'package.json')).then(
      () => true,
      () => false,
    );
  const isHere = async ({ packages }: EngineVariant): Promise<boolean> =>
    !(await Promise.all(packages.map(isPackageHere))).includes(false);
  const folder = ({ packages: [first] }: EngineVariant): string =>
    first === undefined ? dir : packageFolder(dir, first);
  const locked = <T>(signal: AbortSignal, onWait: () => void, work: () => Promise<T>): Promise<T> =>
    withFileLock(join(dir, 'packages.lock'), { signal, onWait }, work);
  const plan: EngineVariants['plan'] = async ({ devices }, signal) =>
    planCards(await options.readFacts(devices, signal));
  return {
    find: (id) => engineVariant(id, options),
    plan,
    folder,
    isHere,
    async hasAny() {
      const here = engineLibraryIds.map(async (id) => {
        const variant = engineVariant(id, options);
        return variant !== null && (await isHere(variant));
      });
      return options.platform === 'darwin' || (await Promise.all(here)).includes(true);
    },
    async ensure(variant, { signal, onProgress }) {
      if (await isHere(variant)) return success(folder(variant));
      try {
        await mkdir(dir, { recursive: true });
        return await locked(
          signal,
          () => onProgress('waiting', 0),
          () => fetchAll(variant, isPackageHere, { ...options, signal, onProgress }),
        );
      } catch (error) {
        if (signal.aborted) return failure('cancelled', 'The download was cancelled. What was downloaded is kept.');
        return { ok: false, error: toFailure(error) };
      }
    },
    async remove({ packages }, signal) {
      const here = await Promise.all(packages.map(async (one) => ((await isPackageHere(one)) ? [one] : [])));
      for (const one of packages) await rm(archiveOf(dir, one), { force: true });
      if (here.flat().length === 0) return 0;
      return locked(
        signal,
        () => undefined,
        async () => {
          for (const one of here.flat()) await rm(packageFolder(dir, one), { recursive: true, force: true });
          return here.flat().reduce((sum, { diskBytes }) => sum + diskBytes, 0);
        },
      );
    },
    async usable(hardware, signal) {
      if (hardware.isSeen === true) return hardware;
      const own = hardware.devices.filter(({ source }) => source === 'metal');
      const { use, reason, advice } = await plan(hardware, signal);
      if (use === 'metal') return { ...hardware, devices: own };
      if (use === null) {
        const unused = reason === null ? {} : { unused: [reason, advice].filter((text) => text !== null).join(' ') };
        return { ...hardware, devices: own, ...unused };
      }
      if (!(await isHere(use))) return { ...hardware, devices: own, unused: notHere(use) };
      return hardware.isSeen === false ? { ...hardware, devices: own, unused: unseenCardText(use) } : hardware;
    },
  };
}

/** The text for a library that is installed and should work, when the engine sees no card all the same. */
export function unseenCardText({ label, id }: EngineVariant): string {
  const other = id === 'engine/vulkan' ? '' : ' Or use the card through Vulkan: dewpoint models pull engine/vulkan';
  return `a card was found and ${label} is installed, but the engine does not see the card and uses the processor. Update the card's driver and start Dewpoint again.${other}`;
}

/** Why a card is not used, and what to do. */
function notHere({ label, id, bytes }: EngineVariant): string {
  return `a card was found, but ${label} is missing, so the engine uses the processor. Get it with: dewpoint models pull ${id} (${sizeText(bytes)})`;
}

interface Fetch extends EngineVariantsOptions, EnsureOptions {}

/** Downloads the missing packages. Another process may have downloaded some of them during the wait. */
async function fetchAll(
  variant: EngineVariant,
  isPackageHere: (one: EnginePackage) => Promise<boolean>,
  { dir, programs, download, registry, signal, onProgress }: Fetch,
): Promise<Reply<string>> {
  let before = 0;
  let address: Promise<string | null> | null = null;
  for (const one of variant.packages) {
    if (!(await isPackageHere(one))) {
      await checkRoom(dir, one, variant.label);
      const start = before;
      const fetched = await fetchEnginePackage(one, {
        dir,
        programs,
        download,
        signal,
        registry: () => (address ??= registry(signal)),
        onProgress: (phase, doneBytes) => onProgress(phase, start + doneBytes),
      });
      if (!fetched.ok) return fetched;
    }
    before += one.bytes;
  }
  const [first] = variant.packages;
  return success(first === undefined ? dir : packageFolder(dir, first));
}

/**
 * Checks for room for archive and unpacked files, which exist at the same time for a moment. Bytes from an earlier
 * try count as present.
 */
async function checkRoom(dir: string, one: EnginePackage, label: string): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const hereBytes = await stat(archiveOf(dir, one)).then(
    ({ size }) => size,
    () => 0,
  );
  const needed = Math.max(0, one.bytes - hereBytes) + one.diskBytes;
  if (bavail * bsize >= needed) return;
  throw new AppError(
    'disk-full',
    `${label} needs ${sizeText(needed)} in ${dir}, and ${sizeText(bavail * bsize)} are free.`,
    { hint: 'Free some space, or move the cache with DEWPOINT_CACHE.' },
  );
}
