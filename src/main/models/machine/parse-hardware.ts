import { z } from 'zod';
import { jsonIn } from '@shared/text/json-in.ts';

/** A device as a vendor's tool prints it. Bytes. */
export interface FoundDevice {
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** Identifies the device across sources. Null if the tool does not print it. */
  readonly pciBus: string | null;
}

const mebi = 1024 * 1024;

/** The query for `parseNvidiaSmi`. The output has one line for each card, with MiB. */
export const nvidiaSmiArguments = [
  '--query-gpu=name,memory.total,memory.free,pci.bus_id',
  '--format=csv,noheader,nounits',
] as const;

/** Parses the output. Leaves out a card without numbers ("[N/A]", as some integrated ones print). */
export function parseNvidiaSmi(output: string): readonly FoundDevice[] {
  return output.split('\n').flatMap((line) => {
    const [name, total, free, bus] = line.split(',').map((cell) => cell.trim());
    if (name === undefined || total === undefined || free === undefined) return [];
    if (!/^\d+$/.test(total) || !/^\d+$/.test(free)) return [];
    return [{ name, totalBytes: Number(total) * mebi, freeBytes: Number(free) * mebi, pciBus: busOf(bus) }];
  });
}

/** The query for `parseDisplayAdapters`: the class of display adapters, with all driver values. */
export const displayAdapterArguments = [
  'query',
  String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}`,
  '/s',
] as const;

/**
 * The adapters with memory of their own: those with a name and `HardwareInformation.qwMemorySize` in bytes,
 * hexadecimal.
 */
export function parseDisplayAdapters(output: string): readonly Pick<FoundDevice, 'name' | 'totalBytes'>[] {
  return output.split(/^HKEY_/mu).flatMap((entry) => {
    const name = /^[ \t]*DriverDesc\s+REG_SZ\s+(\S.*)$/mu.exec(entry)?.[1]?.trim();
    const size = /^[ \t]*HardwareInformation\.qwMemorySize\s+REG_QWORD\s+(0x[\da-f]+)\s*$/imu.exec(entry)?.[1];
    return name === undefined || size === undefined ? [] : [{ name, totalBytes: Number(size) }];
  });
}

/**
 * Parses one folder `/sys/class/drm/cardN/device`, given as file contents by name. Null for a device without memory
 * of its own.
 */
export function parseAmdgpu(
  files: Readonly<Record<string, string | null>>,
  bus: string | null,
): (FoundDevice & { readonly sharedBytes: number }) | null {
  const total = integerOf(files['mem_info_vram_total']);
  const used = integerOf(files['mem_info_vram_used']);
  if (total === null || used === null || total === 0) return null;
  return {
    name: files['product_name']?.trim() || 'AMD graphics',
    totalBytes: total,
    freeBytes: Math.max(0, total - used),
    pciBus: busOf(bus ?? undefined),
    // Host memory that the card may map. It is slow and belongs to the host, so it never counts as the card's.
    sharedBytes: integerOf(files['mem_info_gtt_total']) ?? 0,
  };
}

/**
 * `rocm-smi --showmeminfo vram --showproductname --showbus --json` prints one object for each card, with numbers as
 * texts.
 */
export const rocmSmiArguments = ['--showmeminfo', 'vram', '--showproductname', '--showbus', '--json'] as const;

const rocmSchema = z.record(z.string(), z.record(z.string(), z.unknown()));

export function parseRocmSmi(output: string): readonly FoundDevice[] {
  const start = output.indexOf('{');
  if (start < 0) return [];
  const parsed = rocmSchema.safeParse(jsonIn(output.slice(start)));
  if (!parsed.success) return [];
  return Object.entries(parsed.data).flatMap(([id, card]) => {
    if (!/^card\d+$/.test(id)) return [];
    const total = integerOf(textOf(card['VRAM Total Memory (B)']));
    const used = integerOf(textOf(card['VRAM Total Used Memory (B)']));
    if (total === null || used === null || total === 0) return [];
    // The key for the name changed between versions of the tool.
    const name = textOf(card['Card Series']) ?? textOf(card['Card series']) ?? textOf(card['Card Model']) ?? id;
    const pciBus = busOf(textOf(card['PCI Bus']) ?? undefined);
    return [{ name, totalBytes: total, freeBytes: Math.max(0, total - used), pciBus }];
  });
}

/**
 * Apple: the working set that Metal recommends. `sysctl` prints the memory and the limit in MiB, if a user has set
 * one. Without a limit, Metal allows about two thirds, and three quarters from 64 GiB on. That share is an estimate;
 * the engine knows the real one.
 */
export function parseMetal(sysctl: string): { readonly workingSetBytes: number; readonly isSet: boolean } | null {
  const value = (name: string): number | null => {
    const line = sysctl.split('\n').find((entry) => entry.startsWith(`${name}:`) || entry.startsWith(`${name} =`));
    return integerOf(line?.replace(/^[^:=]*[:=]/, ''));
  };
  const memory = value('hw.memsize');
  if (memory === null || memory === 0) return null;
  const limit = value('iogpu.wired_limit_mb') ?? 0;
  if (limit > 0) return { workingSetBytes: Math.min(memory, limit * mebi), isSet: true };
  const share = memory >= 64 * 1024 * mebi ? 0.75 : 2 / 3;
  return { workingSetBytes: Math.floor(memory * share), isSet: false };
}

/** `MemTotal` and `MemAvailable` of /proc/meminfo. */
export function parseMeminfo(text: string): { readonly totalBytes: number; readonly availableBytes: number } | null {
  const value = (name: string): number | null => {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text);
    return match === null ? null : Number(match[1]) * 1024;
  };
  const totalBytes = value('MemTotal');
  const availableBytes = value('MemAvailable');
  return totalBytes === null || availableBytes === null ? null : { totalBytes, availableBytes };
}

/** Parses a PCI bus address. "00000000:01:00.0" and "0000:01:00.0" are the same place. */
function busOf(text: string | undefined): string | null {
  const match = /([0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])$/i.exec(text?.trim() ?? '');
  return match?.[1]?.toLowerCase() ?? null;
}

function integerOf(text: string | null | undefined): number | null {
  const trimmed = text?.trim() ?? '';
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
}
