import { describe, expect, it } from 'vitest';
import { planCards } from '../../../../src/main/models/engine/card-plan.ts';
import type { CardFacts, FoundCard } from '../../../../src/main/models/machine/card-facts.ts';

/**
 * Catches: a library that is downloaded without need, a usable card that is not used, and a machine whose user learns
 * no reason.
 */
const gib = 2 ** 30;
const cuda13 = ['libcudart.so.13', 'libcublas.so.13', 'libcublasLt.so.13'];
const cuda12 = ['libcudart.so.12', 'libcublas.so.12', 'libcublasLt.so.12'];
const driver = ['libcuda.so.1', 'libnvidia-ml.so.1'];
const vulkan = ['libvulkan.so.1'];
const windows13 = ['cudart64_13.dll', 'cublas64_13.dll', 'cublasLt64_13.dll'];
const windows12 = ['cudart64_12.dll', 'cublas64_12.dll', 'cublasLt64_12.dll'];
const windowsDriver = ['nvcuda.dll', 'nvml.dll', 'vulkan-1.dll'];

const card = (name: string, maker: FoundCard['maker'], more: Partial<FoundCard> = {}): FoundCard => ({
  name,
  maker,
  isIntegrated: false,
  totalBytes: 12 * gib,
  ...more,
});
const rtx = card('RTX 4070', 'nvidia');
const radeon = card('Radeon RX 7900 XTX', 'amd');
const arc = card('an Intel Arc card', 'intel', { totalBytes: null });

interface Machine extends Partial<Omit<CardFacts, 'loadable' | 'lookedUp'>> {
  readonly libraries?: readonly string[];
  /** Libraries that only node-llama-cpp finds, and those that only the system's loader finds. */
  readonly onlyLookedUp?: readonly string[];
  readonly onlyLoadable?: readonly string[];
}

function plan({ libraries = [], onlyLookedUp = [], onlyLoadable = [], ...facts }: Machine) {
  const { use, reason, advice } = planCards({
    platform: 'linux',
    arch: 'x64',
    cards: [],
    nvidia: null,
    ...facts,
    loadable: [...libraries, ...onlyLoadable],
    lookedUp: [...libraries, ...onlyLookedUp],
  });
  return { use: use === null || use === 'metal' ? use : use.id, reason, advice };
}

const nvidia = (version: string, capability: number | null = 8.9): CardFacts['nvidia'] => ({
  driver: version,
  capability,
});

const machines: readonly [string, Machine, string | null, RegExp | null, RegExp | null][] = [
  ['no card', {}, null, null, null],
  [
    'a Mac with Apple silicon',
    { platform: 'darwin', arch: 'arm64', cards: [card('Apple graphics', 'apple')] },
    'metal',
    /Metal built in/u,
    null,
  ],
  [
    'a Mac with an Intel processor',
    { platform: 'darwin', arch: 'x64', cards: [card('AMD Radeon Pro', 'amd')] },
    null,
    /Mac with an Intel processor/u,
    null,
  ],
  [
    'NVIDIA with a driver and CUDA 13',
    { cards: [rtx], nvidia: nvidia('590.48.01'), libraries: [...driver, ...cuda13, ...vulkan] },
    'engine/cuda',
    /runtime of CUDA 13/u,
    null,
  ],
  [
    'NVIDIA with a driver alone',
    { cards: [rtx], nvidia: nvidia('590.48.01'), libraries: [...driver, ...vulkan] },
    'engine/vulkan',
    /runtime of CUDA 13 is missing \(libcudart\.so\.13, .*which drivers do not include/u,
    /install the runtime of CUDA 13.*143 MB/u,
  ],
  [
    'NVIDIA with a driver alone, and no Vulkan',
    { cards: [rtx], nvidia: nvidia('590.48.01'), libraries: driver },
    null,
    /libvulkan\.so\.1 is missing/u,
    /libvulkan1/u,
  ],
  [
    'NVIDIA with CUDA 12 alone',
    { cards: [rtx], nvidia: nvidia('590.48.01'), libraries: [...driver, ...cuda12, ...vulkan] },
    'engine/cuda-12',
    /runtime of CUDA 12/u,
    null,
  ],
  [
    'NVIDIA with an older driver and CUDA 12',
    { cards: [rtx], nvidia: nvidia('550.163.01'), libraries: [...driver, ...cuda12, ...vulkan] },
    'engine/cuda-12',
    /driver 550/u,
    null,
  ],
  [
    'NVIDIA with an older driver and CUDA 13, as after an update of half of it',
    { cards: [rtx], nvidia: nvidia('550.163.01'), libraries: [...driver, ...cuda13, ...vulkan] },
    'engine/vulkan',
    /550\.163\.01 is older than 580/u,
    /CUDA 12/u,
  ],
  [
    'NVIDIA with a driver of CUDA 11',
    { cards: [rtx], nvidia: nvidia('470.256.02'), libraries: [...driver, ...vulkan] },
    'engine/vulkan',
    /older than 580/u,
    /update NVIDIA's driver/u,
  ],
  [
    'a GTX 1080 with CUDA 12',
    {
      cards: [card('GTX 1080', 'nvidia')],
      nvidia: nvidia('580.95.05', 6.1),
      libraries: [...driver, ...cuda12, ...vulkan],
    },
    'engine/cuda-12',
    /CUDA 12/u,
    null,
  ],
  [
    'a GTX 1080 with CUDA 13, whose library starts and cannot compute on it',
    {
      cards: [card('GTX 1080', 'nvidia')],
      nvidia: nvidia('580.95.05', 6.1),
      libraries: [...driver, ...cuda12, ...cuda13, ...vulkan],
    },
    'engine/vulkan',
    /too new for the card/u,
    null,
  ],
  // Seen on such a machine: the library loads, and its process dies at the first computation.
  [
    'an H100 with CUDA 13 and a driver that cannot translate what a newer toolkit wrote',
    {
      cards: [card('NVIDIA H100 80GB HBM3', 'nvidia')],
      nvidia: nvidia('580.159.04', 9),
      libraries: [...driver, ...cuda13, ...vulkan],
    },
    'engine/vulkan',
    /no code for compute capability 9, and its driver 580\.159\.04 cannot translate it, for that takes 590/u,
    /update NVIDIA's driver to 590/u,
  ],
  [
    'the same with CUDA 12 beside it, which the engine would not come to',
    {
      cards: [card('NVIDIA H100 80GB HBM3', 'nvidia')],
      nvidia: nvidia('580.159.04', 9),
      libraries: [...driver, ...cuda12, ...cuda13, ...vulkan],
    },
    'engine/vulkan',
    /cannot translate/u,
    /590/u,
  ],
  [
    'an H100 with CUDA 12 alone',
    {
      cards: [card('NVIDIA H100 80GB HBM3', 'nvidia')],
      nvidia: nvidia('580.159.04', 9),
      libraries: [...driver, ...cuda12, ...vulkan],
    },
    'engine/cuda-12',
    /CUDA 12/u,
    null,
  ],
  [
    'an H100 with a driver of CUDA 13.1',
    {
      cards: [card('NVIDIA H100 80GB HBM3', 'nvidia')],
      nvidia: nvidia('590.48.01', 9),
      libraries: [...driver, ...cuda13, ...vulkan],
    },
    'engine/cuda',
    /CUDA 13/u,
    null,
  ],
  [
    'a T4 with an old driver and CUDA 12',
    {
      cards: [card('Tesla T4', 'nvidia')],
      nvidia: nvidia('535.216.01', 7.5),
      libraries: [...driver, ...cuda12, ...vulkan],
    },
    'engine/vulkan',
    /older than 580/u,
    /update NVIDIA's driver/u,
  ],
  [
    'an RTX 3060, which has code of its own, with a driver of CUDA 13.0',
    { cards: [rtx], nvidia: nvidia('580.95.05', 8.6), libraries: [...driver, ...cuda13, ...vulkan] },
    'engine/cuda',
    /CUDA 13/u,
    null,
  ],
  [
    'NVIDIA with the runtime in a folder that the system does not search',
    { cards: [rtx], nvidia: nvidia('590.48.01'), libraries: [...driver, ...vulkan], onlyLookedUp: cuda13 },
    'engine/vulkan',
    /does not look for libraries in its folder/u,
    /LD_LIBRARY_PATH/u,
  ],
  [
    'NVIDIA with the runtime in a folder that the engine does not search',
    { cards: [rtx], nvidia: nvidia('590.48.01'), libraries: [...driver, ...vulkan], onlyLoadable: cuda13 },
    'engine/vulkan',
    /does not look for the runtime/u,
    /LD_LIBRARY_PATH/u,
  ],
  [
    'NVIDIA without a driver',
    { cards: [card('a card of NVIDIA', 'nvidia', { totalBytes: null })], libraries: vulkan },
    null,
    /driver for a card of NVIDIA does not answer/u,
    /Install NVIDIA's driver/u,
  ],
  [
    'NVIDIA in a container without its tool',
    { cards: [rtx], libraries: [...driver, ...cuda13, ...vulkan] },
    'engine/cuda',
    /has its driver and/u,
    null,
  ],
  [
    'ARM Linux with NVIDIA',
    {
      arch: 'arm64',
      cards: [card('NVIDIA GB10', 'nvidia')],
      nvidia: nvidia('580.95.05', 12.1),
      libraries: [...driver, ...cuda13],
    },
    null,
    /no engine library for cards on Linux with an ARM processor/u,
    /Ollama/u,
  ],
  ['AMD on Linux', { cards: [radeon], libraries: vulkan }, 'engine/vulkan', /no engine library for ROCm/u, null],
  [
    'AMD on Linux without Vulkan',
    { cards: [radeon] },
    null,
    /libvulkan\.so\.1 is missing/u,
    /Install the Vulkan loader/u,
  ],
  [
    'AMD graphics in the processor',
    { cards: [card('AMD graphics', 'amd', { isIntegrated: true })], libraries: vulkan },
    null,
    /no faster than the processor/u,
    null,
  ],
  [
    'AMD beside NVIDIA',
    { cards: [radeon, rtx], nvidia: nvidia('590.48.01'), libraries: [...driver, ...cuda13, ...vulkan] },
    'engine/cuda',
    /RTX 4070/u,
    null,
  ],
  [
    'Intel Arc on Linux',
    { cards: [arc], libraries: vulkan },
    'engine/vulkan',
    /no engine library for SYCL/u,
    /settings set cards/u,
  ],
  [
    'Windows with NVIDIA and CUDA 13',
    { platform: 'win32', cards: [rtx], nvidia: nvidia('591.44'), libraries: [...windowsDriver, ...windows13] },
    'engine/cuda',
    /CUDA 13/u,
    null,
  ],
  [
    'Windows with NVIDIA and a driver alone',
    { platform: 'win32', cards: [rtx], nvidia: nvidia('591.44'), libraries: windowsDriver },
    'engine/vulkan',
    /cublas64_13\.dll/u,
    /139 MB/u,
  ],
  [
    'Windows with NVIDIA and CUDA 12',
    { platform: 'win32', cards: [rtx], nvidia: nvidia('560.94'), libraries: [...windowsDriver, ...windows12] },
    'engine/cuda-12',
    /CUDA 12/u,
    null,
  ],
  [
    'Windows with AMD',
    { platform: 'win32', cards: [radeon], libraries: ['vulkan-1.dll'] },
    'engine/vulkan',
    /ROCm/u,
    null,
  ],
  [
    'Windows on ARM',
    { platform: 'win32', arch: 'arm64', cards: [card('Adreno X1', 'other')] },
    null,
    /Windows with an ARM processor/u,
    /Ollama/u,
  ],
];

describe('the plan for the cards of a machine', () => {
  it.each(machines)('%s', (...[, machine, use, reason, advice]) => {
    const found = plan(machine);
    expect(found.use).toBe(use);
    if (reason === null) expect(found.reason).toBeNull();
    else expect(found.reason).toMatch(reason);
    if (advice === null) expect(found.advice).toBeNull();
    else expect(found.advice).toMatch(advice);
    // The reason is one sentence.
    expect(found.reason ?? '').not.toMatch(/\. [A-Z].*\./u);
  });
});
