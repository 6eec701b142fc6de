import { readFile, readdir, readlink } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { basename, join } from 'node:path';
import type { DeviceMemory } from '@shared/models/memory-estimate.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import { withEngineView } from './engine-hardware-view.ts';
import type { EngineCards } from '../engine/worker/worker-protocol.ts';
import {
  displayAdapterArguments,
  nvidiaSmiArguments,
  parseAmdgpu,
  parseDisplayAdapters,
  parseMeminfo,
  parseMetal,
  parseNvidiaSmi,
  parseRocmSmi,
  rocmSmiArguments,
} from './parse-hardware.ts';
import type { FoundDevice } from './parse-hardware.ts';

export interface Hardware {
  readonly devices: readonly DeviceMemory[];
  readonly host: { readonly totalBytes: number; readonly freeBytes: number; readonly source: string };
  /** Why this card is not among the devices. */
  readonly unused?: string | undefined;
  /** Whether the engine sees any card. Absent: it was not asked. */
  readonly isSeen?: boolean;
}

/** A card that the user entered in the settings. It overrides everything that is found. */
export interface SaidCard {
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes?: number | undefined;
}

/** How the machine is read. A test can replace it to play another machine. */
export interface HardwareProbe {
  readonly platform: NodeJS.Platform;
  /** The standard output. Null if the program is missing, fails or takes too long. */
  run(program: string, args: readonly string[], signal: AbortSignal): Promise<string | null>;
  /** Null if the file cannot be read. */
  read(path: string): Promise<string | null>;
  list(path: string): Promise<readonly string[]>;
  link(path: string): Promise<string | null>;
  readonly memory: () => { readonly totalBytes: number; readonly freeBytes: number };
  /**
   * What the engine itself sees. Null: no card. Absent or undefined: it has no library for cards and is not asked.
   */
  readonly seenByEngine?: (signal: AbortSignal) => Promise<EngineCards | null | undefined>;
}

const mebi = 1024 * 1024;
/** What CUDA and ROCm use themselves as soon as an engine starts on a card. Observed: 500 to 750 MiB. */
const driverBytes = 640 * mebi;

/**
 * The cards and free memory of this machine, read again in each call, because free memory is only valid right before
 * a load. If several sources see the same card, the first of these wins: the settings, the engine, the vendor's
 * tool, the kernel's files, and last what Windows stores about a card's driver.
 */
export async function readHardware(
  said: readonly SaidCard[],
  signal: AbortSignal,
  probe: HardwareProbe,
): Promise<Hardware> {
  const host = await hostMemory(probe);
  if (said.length > 0) return { devices: said.map(fromSettings), host };
  const [found, seen] = await Promise.all([foundDevices(probe, host.freeBytes, signal), probe.seenByEngine?.(signal)]);
  const devices = withEngineView(found, seen ?? null);
  return seen === undefined ? { devices, host } : { devices, host, isSeen: seen !== null };
}

async function foundDevices(
  probe: HardwareProbe,
  hostFreeBytes: number,
  signal: AbortSignal,
): Promise<readonly DeviceMemory[]> {
  if (probe.platform === 'darwin') return metalDevices(probe, hostFreeBytes, signal);
  const nvidia = (await nvidiaDevices(probe, signal)).map((device) => fromTool(device, 'nvidia-smi'));
  const amd = probe.platform === 'linux' ? await amdDevices(probe, signal) : [];
  const known = [...nvidia, ...amd];
  return known.length > 0 || probe.platform !== 'win32' ? known : windowsDevices(probe, signal);
}

/**
 * The cards in Windows' registry, where drivers store their memory size. The usual field for it ends at 4 GB. Free
 * memory is unknown.
 */
async function windowsDevices(probe: HardwareProbe, signal: AbortSignal): Promise<readonly DeviceMemory[]> {
  const output = await probe.run('reg', displayAdapterArguments, signal);
  return parseDisplayAdapters(output ?? '').map(({ name, totalBytes }) => ({
    name,
    totalBytes,
    freeBytes: totalBytes,
    driverBytes,
    isUnified: false,
    source: 'windows-registry',
    confidence: 'low',
    note: 'From its driver; the free part is unknown.',
  }));
}

async function nvidiaDevices(probe: HardwareProbe, signal: AbortSignal): Promise<readonly FoundDevice[]> {
  const places =
    probe.platform === 'win32'
      ? ['nvidia-smi', String.raw`C:\Windows\System32\nvidia-smi.exe`]
      : ['nvidia-smi', '/usr/bin/nvidia-smi'];
  for (const program of places) {
    const output = await probe.run(program, nvidiaSmiArguments, signal);
    if (output !== null) return parseNvidiaSmi(output);
  }
  return [];
}

/** From ROCm's tool if it is installed, and from the kernel's files for cards that it does not list. */
async function amdDevices(probe: HardwareProbe, signal: AbortSignal): Promise<readonly DeviceMemory[]> {
  const kernel = await amdgpuDevices(probe);
  if (kernel.length === 0) return [];
  const output = await probe.run('rocm-smi', rocmSmiArguments, signal);
  const rocm = output === null ? [] : parseRocmSmi(output);
  const known = new Set(rocm.map((device) => device.pciBus));
  return [
    ...rocm.map((device) => fromTool(device, 'rocm-smi')),
    ...kernel
      .filter((device) => device.pciBus === null || !known.has(device.pciBus))
      .map((device): DeviceMemory => {
        // Integrated graphics have a small memory of their own. The rest is the host's memory.
        const isIntegrated = device.totalBytes <= 4096 * mebi && device.sharedBytes > device.totalBytes;
        return {
          name: device.name,
          totalBytes: device.totalBytes,
          freeBytes: device.freeBytes,
          driverBytes,
          isUnified: false,
          source: 'amdgpu-sysfs',
          confidence: isIntegrated ? 'low' : 'medium',
          note: isIntegrated ? 'Probably integrated graphics; memory shared with the host is not counted.' : null,
        };
      }),
  ];
}

async function amdgpuDevices(
  probe: HardwareProbe,
): Promise<readonly (FoundDevice & { readonly sharedBytes: number })[]> {
  const root = '/sys/class/drm';
  const cards = (await probe.list(root)).filter((name) => /^card\d+$/.test(name)).sort();
  const names = ['mem_info_vram_total', 'mem_info_vram_used', 'mem_info_gtt_total', 'product_name'];
  const found = await Promise.all(
    cards.map(async (card) => {
      const folder = join(root, card, 'device');
      const files = await Promise.all(names.map(async (name) => [name, await probe.read(join(folder, name))] as const));
      const link = await probe.link(folder);
      return parseAmdgpu(Object.fromEntries(files), link === null ? null : basename(link));
    }),
  );
  return found.filter((device) => device !== null);
}

async function metalDevices(
  probe: HardwareProbe,
  freeBytes: number,
  signal: AbortSignal,
): Promise<readonly DeviceMemory[]> {
  const output = await probe.run('sysctl', ['hw.memsize', 'iogpu.wired_limit_mb', 'hw.optional.arm64'], signal);
  const metal = output === null || !/hw\.optional\.arm64\s*[:=]\s*1/.test(output) ? null : parseMetal(output);
  if (metal === null) return [];
  return [
    {
      name: 'Apple graphics',
      totalBytes: metal.workingSetBytes,
      freeBytes: Math.min(metal.workingSetBytes, freeBytes),
      driverBytes: 0,
      isUnified: true,
      source: 'metal',
      confidence: metal.isSet ? 'high' : 'medium',
      note: metal.isSet
        ? 'The limit set for this machine.'
        : "Metal's default share of memory; the engine may see more.",
    },
  ];
}

function fromTool(device: FoundDevice, source: 'nvidia-smi' | 'rocm-smi'): DeviceMemory {
  const { name, totalBytes, freeBytes } = device;
  return { name, totalBytes, freeBytes, driverBytes, isUnified: false, source, confidence: 'high', note: null };
}

function fromSettings({ name, totalBytes, freeBytes = totalBytes }: SaidCard): DeviceMemory {
  return {
    name,
    totalBytes,
    freeBytes: Math.min(freeBytes, totalBytes),
    driverBytes,
    isUnified: false,
    source: 'settings',
    confidence: 'medium',
    note: 'From your settings; the free part is unknown.',
  };
}

/**
 * On Linux, the memory that is available without swapping, up to the limit of the container that this process runs
 * in.
 */
async function hostMemory(probe: HardwareProbe): Promise<Hardware['host']> {
  const plain = probe.memory();
  const meminfo = probe.platform === 'linux' ? parseMeminfo((await probe.read('/proc/meminfo')) ?? '') : null;
  if (meminfo === null) return { ...plain, source: 'operating system' };
  const limit = Number((await probe.read('/sys/fs/cgroup/memory.max'))?.trim() ?? Number.NaN);
  const used = Number((await probe.read('/sys/fs/cgroup/memory.current'))?.trim() ?? Number.NaN);
  const { totalBytes, availableBytes } = meminfo;
  if (!Number.isFinite(limit) || limit <= 0 || limit >= totalBytes)
    return { totalBytes, freeBytes: availableBytes, source: '/proc/meminfo' };
  const inGroup = Number.isFinite(used) ? Math.max(0, limit - used) : limit;
  return { totalBytes: limit, freeBytes: Math.min(availableBytes, inGroup), source: 'limit of the container' };
}

export const createMachineProbe = (programs: HostPrograms): HardwareProbe => ({
  platform: process.platform,
  run: async (program, args, signal) => {
    const { code, stdout } = await programs.run([program], args, { needs: ['card'], signal, timeoutMs: 4_000 });
    return code === 0 ? stdout : null;
  },
  // These files differ between machines. What cannot be read is unknown.
  read: (path) => readFile(path, 'utf8').catch(() => null),
  list: (path) => readdir(path).catch((): readonly string[] => []),
  link: (path) => readlink(path).catch(() => null),
  memory: () => ({ totalBytes: totalmem(), freeBytes: freemem() }),
});
