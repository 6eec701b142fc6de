import { basename, join } from 'node:path';
import type { DeviceMemory } from '@shared/models/memory-estimate.ts';
import type { HardwareProbe } from './hardware.ts';

/** A card of this machine, whether or not anything can use it. */
export interface FoundCard {
  readonly name: string;
  readonly maker: 'nvidia' | 'amd' | 'intel' | 'apple' | 'other';
  /** It shares the host's memory. */
  readonly isIntegrated: boolean;
  /** Null if the size is unknown until the engine has seen the card. */
  readonly totalBytes: number | null;
}

/** The facts that decide which engine library a machine needs. */
export interface CardFacts {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly cards: readonly FoundCard[];
  /** From `nvidia-smi`: the driver's version, and the lowest compute capability of all cards. Null: no answer. */
  readonly nvidia: { readonly driver: string; readonly capability: number | null } | null;
  /** Library files that the system's loader finds. */
  readonly loadable: readonly string[];
  /** Library files in the folders that node-llama-cpp searches. */
  readonly lookedUp: readonly string[];
}

interface CardFactsInput {
  readonly devices: readonly DeviceMemory[];
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads files and runs fixed system programs. Loads and downloads nothing. */
export async function readCardFacts(
  probe: HardwareProbe,
  { devices, arch, env }: CardFactsInput,
  signal: AbortSignal,
): Promise<CardFacts> {
  const { platform } = probe;
  const named = devices.map(cardOf);
  const cards = platform === 'linux' ? [...named, ...(await unnamedCards(probe, named))] : named;
  const facts = { platform, arch, cards, nvidia: null, loadable: [], lookedUp: [] };
  if (cards.length === 0 || (platform !== 'linux' && platform !== 'win32')) return facts;
  const hasNvidia = cards.some(({ maker }) => maker === 'nvidia');
  const [nvidia, loadable, lookedUp] = await Promise.all([
    hasNvidia ? readNvidia(probe, signal) : null,
    platform === 'linux' ? loadableOnLinux(probe, env, signal) : namesIn(probe, windowsFolders(env)),
    namesIn(probe, await lookedUpFolders(probe, env)),
  ]);
  return { ...facts, nvidia, loadable, lookedUp };
}

function cardOf({ name, source, confidence, totalBytes }: DeviceMemory): FoundCard {
  const maker =
    source === 'metal'
      ? 'apple'
      : source === 'nvidia-smi' || /nvidia|geforce|quadro|tesla|\b[rg]tx\b/iu.test(name)
        ? 'nvidia'
        : source === 'rocm-smi' || source === 'amdgpu-sysfs' || /\bamd\b|radeon|\bati\b/iu.test(name)
          ? 'amd'
          : /intel|\barc\b/iu.test(name)
            ? 'intel'
            : 'other';
  // Windows' registry does not mark integrated graphics, but their names have no model number.
  const isIntegrated =
    source === 'windows-registry'
      ? /\b(?:u?hd|iris)\b|radeon(?:\(tm\))? (?:(?:vega )?\d+m? )?graphics$|intel\(r\) (?:arc\(tm\) (?:\d+v )?)?graphics$/iu.test(
          name,
        )
      : confidence === 'low' && source === 'amdgpu-sysfs';
  return { name, maker, isIntegrated, totalBytes };
}

const makers = { '0x10de': 'nvidia', '0x1002': 'amd', '0x8086': 'intel' } as const;
const makerNames = { nvidia: 'NVIDIA', amd: 'AMD', intel: 'Intel' } as const;

/** Cards in the kernel's list that no vendor's tool reports, because it is not installed. */
async function unnamedCards(probe: HardwareProbe, named: readonly FoundCard[]): Promise<readonly FoundCard[]> {
  const root = '/sys/class/drm';
  const entries = (await probe.list(root)).filter((name) => /^card\d+$/u.test(name)).sort();
  const found = await Promise.all(
    entries.map(async (entry): Promise<FoundCard | null> => {
      const folder = join(root, entry, 'device');
      const vendor = (await probe.read(join(folder, 'vendor')))?.trim() ?? '';
      const maker = vendor in makers ? makers[vendor as keyof typeof makers] : null;
      if (maker === null || named.some((one) => one.maker === maker)) return null;
      const link = await probe.link(folder);
      // The graphics of Intel's processors are always the second device of the first bus.
      const isIntegrated = maker === 'intel' && link !== null && /\b00:02\.0$/u.test(basename(link));
      const name = isIntegrated
        ? 'Intel graphics'
        : maker === 'intel'
          ? 'an Intel Arc card'
          : `a card of ${makerNames[maker]}`;
      return { name, maker, isIntegrated, totalBytes: null };
    }),
  );
  return found.filter((card) => card !== null);
}

/** Older tools do not report the compute capability. Then only the driver's version is read. */
async function readNvidia(probe: HardwareProbe, signal: AbortSignal): Promise<CardFacts['nvidia']> {
  const places =
    probe.platform === 'win32'
      ? ['nvidia-smi', String.raw`C:\Windows\System32\nvidia-smi.exe`]
      : ['nvidia-smi', '/usr/bin/nvidia-smi', '/usr/lib/wsl/lib/nvidia-smi'];
  for (const query of ['driver_version,compute_cap', 'driver_version']) {
    for (const program of places) {
      const output = await probe.run(program, [`--query-gpu=${query}`, '--format=csv,noheader'], signal);
      const parsed = output === null ? null : parseNvidiaFacts(output);
      if (parsed !== null) return parsed;
    }
  }
  return null;
}

export function parseNvidiaFacts(output: string): CardFacts['nvidia'] {
  const rows = output.split('\n').flatMap((line) => {
    const [driver = '', capability = ''] = line.split(',').map((cell) => cell.trim());
    if (!/^\d+(?:\.\d+)+$/u.test(driver)) return [];
    return [{ driver, capability: /^\d+\.\d+$/u.test(capability) ? Number(capability) : null }];
  });
  const [first] = rows;
  if (first === undefined) return null;
  const known = rows.flatMap(({ capability }) => capability ?? []);
  return { driver: first.driver, capability: known.length === 0 ? null : Math.min(...known) };
}

/** Whether any rule for cards uses a library of this name. */
const isWanted = (name: string): boolean =>
  /^lib(?:cuda|cudart|cublas|cublasLt|nvidia-ml|vulkan)\.so(?:\.\d+)?$/u.test(name) ||
  /^(?:nvml|nvcuda|vulkan-1|cudart64_\d+|cublas64_\d+|cublasLt64_\d+)\.dll$/iu.test(name);

async function loadableOnLinux(
  probe: HardwareProbe,
  env: CardFactsInput['env'],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const cached: string[] = [];
  for (const program of ['ldconfig', '/sbin/ldconfig', '/usr/sbin/ldconfig']) {
    const output = await probe.run(program, ['-p'], signal);
    if (output === null) continue;
    // "libcudart.so.13 (libc6,x86-64) => /usr/local/cuda/lib64/libcudart.so.13"
    for (const line of output.split('\n')) {
      const found = /^\s*(\S+) \(libc6,(?:x86-64|AArch64)[^)]*\) => /u.exec(line)?.[1];
      if (found !== undefined && isWanted(found)) cached.push(found);
    }
    break;
  }
  const usual = ['/lib', '/usr/lib', '/lib64', '/usr/lib64', '/lib/x86_64-linux-gnu', '/usr/lib/x86_64-linux-gnu'];
  return [...new Set([...cached, ...(await namesIn(probe, [...foldersOf(env, 'LD_LIBRARY_PATH', ':'), ...usual]))])];
}

/** The folders that node-llama-cpp searches, in the order of its source. */
async function lookedUpFolders(probe: HardwareProbe, env: CardFactsInput['env']): Promise<readonly string[]> {
  if (probe.platform === 'win32') {
    const toolkits = await folderNames(probe, String.raw`C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA`);
    const roots = [...foldersOf(env, 'CUDA_PATH', ';'), ...toolkits];
    return [...windowsFolders(env), ...roots, ...roots.map((root) => String.raw`${root}\bin`)];
  }
  const local = (await probe.list('/usr/local')).filter((name) => /^cuda(?:-|$)/u.test(name));
  const roots = [...foldersOf(env, 'CUDA_PATH', ':'), ...local.map((name) => join('/usr/local', name))];
  const targets = await Promise.all(roots.map((root) => folderNames(probe, join(root, 'targets'))));
  return [
    ...foldersOf(env, 'PATH', ':'),
    ...foldersOf(env, 'LD_LIBRARY_PATH', ':'),
    ...foldersOf(env, 'CUDA_PATH', ':'),
    '/usr/lib',
    '/usr/lib64',
    '/usr/lib/x86_64-linux-gnu',
    '/usr/lib/aarch64-linux-gnu',
    ...targets.flat().map((folder) => join(folder, 'lib')),
  ];
}

function windowsFolders(env: CardFactsInput['env']): readonly string[] {
  const system = String.raw`${env['SystemRoot'] ?? String.raw`C:\Windows`}\System32`;
  return [system, ...foldersOf(env, 'PATH', ';'), ...foldersOf(env, 'Path', ';')];
}

function foldersOf(env: CardFactsInput['env'], name: string, delimiter: string): readonly string[] {
  return (env[name] ?? '').split(delimiter).filter((entry) => entry !== '');
}

async function folderNames(probe: HardwareProbe, folder: string): Promise<readonly string[]> {
  const separator = probe.platform === 'win32' ? '\\' : '/';
  return (await probe.list(folder)).map((name) => `${folder}${separator}${name}`);
}

async function namesIn(probe: HardwareProbe, folders: readonly string[]): Promise<readonly string[]> {
  const names = await Promise.all([...new Set(folders)].map((folder) => probe.list(folder)));
  return [...new Set(names.flat().filter(isWanted))];
}
