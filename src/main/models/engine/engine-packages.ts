import type { Machine } from '../../lib/programs/platform-files.ts';
/** The engine's library for one kind of card, in one or several packages. Sizes in bytes. */
export interface EngineVariant {
  readonly id: EngineLibraryId;
  readonly label: string;
  readonly license: string;
  /** The size of the download, and the size on the disk. */
  readonly bytes: number;
  readonly diskBytes: number;
  readonly packages: readonly EnginePackage[];
}

export interface EnginePackage {
  readonly name: string;
  readonly bytes: number;
  readonly diskBytes: number;
  /** The archive's hash, as lock files write it after `sha512-`. */
  readonly sha512: string;
}

/** The names in commands. */
export type EngineLibraryId = 'engine/cuda' | 'engine/cuda-12' | 'engine/vulkan';

/** The version of node-llama-cpp that the libraries below belong to. A test compares it with package.json. */
export const engineVersion = '3.21.1';

const packages: Readonly<Record<string, Omit<EnginePackage, 'name'>>> = {
  'linux-x64-cuda': {
    bytes: 142_850_036,
    diskBytes: 188_693_843,
    sha512: 'idsE55VoD/FbvLhnBC9krUJaUoC0XnebseAAnCpm/brKf61HEbu+idgbb5eN6mxkjLSrHtILprJ0nDcUJjVrFg==',
  },
  'linux-x64-cuda-ext': {
    bytes: 176_679_086,
    diskBytes: 374_197_990,
    sha512: '1PuURowccBcks3CCoMe1mTHh5vD0V5bFHMUEgtbI/OSDjpP+Pdbn+lf42CGUrepTzR8kCH1HovQ7d8q6/vuIKA==',
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
  'win-x64-cuda-ext': {
    bytes: 175_417_684,
    diskBytes: 367_830_717,
    sha512: 'L2MxLVEYPDDe4O8EDWPmX6brldc9+Vt9hNoT/anj3pSnmrjkQcmaoKhHs6oP5qhEhb5Uog0rj6lgzNGtJO3p9Q==',
  },
  'win-x64-vulkan': {
    bytes: 26_619_567,
    diskBytes: 103_426_656,
    sha512: 'HJ237Azh5m4Sz+w3A1IU/fYLaSDOocskcfn2ILTgqTuuORCB86EMnu3Yt/XsNhRHTtEiwz1Q/E0mO4PLIbZLAA==',
  },
};

/** `cuda-ext` contains only the library for CUDA 12, which the engine uses if the one for CUDA 13 does not start. */
const parts: Readonly<Record<EngineLibraryId, { readonly label: string; readonly kinds: readonly string[] }>> = {
  'engine/cuda': { label: 'the engine for NVIDIA cards (CUDA 13)', kinds: ['cuda'] },
  'engine/cuda-12': { label: 'the engine for NVIDIA cards (CUDA 12)', kinds: ['cuda', 'cuda-ext'] },
  'engine/vulkan': { label: 'the engine for cards of all makers (Vulkan)', kinds: ['vulkan'] },
};

export const engineLibraryIds: readonly EngineLibraryId[] = ['engine/cuda', 'engine/cuda-12', 'engine/vulkan'];

/** Null if the id is no library, or the library does not exist for such a machine. */
export function engineVariant(id: string, { platform, arch }: Machine): EngineVariant | null {
  const known = engineLibraryIds.find((one) => one === id);
  if (known === undefined) return null;
  const machine = `${platform === 'win32' ? 'win' : platform}-${arch}`;
  const { label, kinds } = parts[known];
  const found = kinds.flatMap((kind) => {
    const entry = packages[`${machine}-${kind}`];
    return entry === undefined ? [] : [{ name: `@node-llama-cpp/${machine}-${kind}`, ...entry }];
  });
  if (found.length < kinds.length) return null;
  const sum = (field: 'bytes' | 'diskBytes'): number => found.reduce((total, one) => total + one[field], 0);
  return { id: known, label, license: 'MIT', bytes: sum('bytes'), diskBytes: sum('diskBytes'), packages: found };
}
