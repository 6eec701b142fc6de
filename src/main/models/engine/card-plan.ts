import { sizeText } from '@shared/text/size-text.ts';
import type { CardFacts, FoundCard } from '../machine/card-facts.ts';
import type { EngineLibraryId, EngineVariant } from './engine-packages.ts';
import { engineVariant } from './engine-packages.ts';

/** How the engine would use the cards of a machine, and why. */
export interface CardPlan {
  /** `metal` comes with the engine. Null: use the processor only. */
  readonly use: 'metal' | EngineVariant | null;
  /** One sentence. Null if there is no card worth mentioning. */
  readonly reason: string | null;
  /** How to get more out of the card. Null: nothing to do. */
  readonly advice: string | null;
}

/**
 * Taken from the packages of this version: what each library links to, and the cards that it contains code for. For
 * other cards, the driver translates the code, but only code from a toolkit that is no newer than the driver (13.1
 * and 12.4 here). The minimum drivers are from NVIDIA's documentation of its toolkits.
 */
const cudaBuilds = [
  {
    id: 'engine/cuda',
    name: 'CUDA 13',
    driver: 580,
    translates: 590,
    capability: 7.5,
    hasCodeFor: (capability: number) => isAmpere(capability) || capability === 12 || capability === 12.1,
    linux: ['libcudart.so.13', 'libcublas.so.13', 'libcublasLt.so.13'],
    // On Windows, the library contains the runtime itself.
    win32: ['cublas64_13.dll', 'cublasLt64_13.dll'],
  },
  {
    id: 'engine/cuda-12',
    name: 'CUDA 12',
    driver: 525,
    translates: 550,
    capability: 5,
    hasCodeFor: isAmpere,
    linux: ['libcudart.so.12', 'libcublas.so.12', 'libcublasLt.so.12'],
    win32: ['cudart64_12.dll', 'cublas64_12.dll', 'cublasLt64_12.dll'],
  },
] as const;

/** Code for 8.6 also runs on later cards of its generation. */
function isAmpere(capability: number): boolean {
  return capability >= 8.6 && capability < 9;
}

/**
 * One file of each must be in a folder that node-llama-cpp searches, in any version. Otherwise it does not try CUDA
 * at all.
 */
const lookedFor = {
  linux: [/^libnvidia-ml\.so/u, /^libcuda\.so/u, /^libcudart\.so/u, /^libcublas\.so/u, /^libcublasLt\.so/u],
  win32: [/^nvml\.dll$/iu, /^cudart64_/iu, /^cublas64_/iu, /^cublasLt64_/iu],
} as const;

const noCard: CardPlan = { use: null, reason: null, advice: null };
const processor = 'so models use the processor';
const elsewhere =
  'A server such as Ollama that was made for this machine can use the card. Dewpoint finds one that runs here.';

/** Pure: plans from the facts that were found. Downloads and tries nothing. */
export function planCards(facts: CardFacts): CardPlan {
  const { platform, arch, cards } = facts;
  const [first] = cards;
  if (platform === 'darwin' && arch === 'arm64')
    return { use: 'metal', reason: 'The engine has Metal built in and needs nothing else.', advice: null };
  if (first === undefined) return noCard;
  const names = cards.map(({ name }) => name).join(', ');
  if (platform === 'darwin')
    return {
      use: null,
      reason: `The engine does not use the graphics of a Mac with an Intel processor (${names}), ${processor}.`,
      advice: null,
    };
  const vulkan = engineVariant('engine/vulkan', facts);
  if (vulkan === null || (platform !== 'linux' && platform !== 'win32'))
    return {
      use: null,
      reason: `There is no engine library for cards on ${systemName(facts)}, ${processor} and not ${names}.`,
      advice: elsewhere,
    };
  const own = cards.filter(({ isIntegrated }) => !isIntegrated);
  const nvidia = own.find(({ maker }) => maker === 'nvidia');
  if (nvidia !== undefined) return nvidiaPlan(nvidia, facts, vulkan, platform);
  const [card] = own;
  if (card === undefined)
    return {
      use: null,
      reason: `${names} shares the memory of this machine and is no faster than the processor, ${processor}.`,
      advice: null,
    };
  return vulkanPlan(card, facts, { vulkan, because: whyVulkan(card), more: memoryAdvice(card) });
}

function whyVulkan({ name, maker }: FoundCard): string {
  if (maker === 'amd') return `There is no engine library for ROCm, so ${name} is used through Vulkan`;
  if (maker === 'intel') return `There is no engine library for SYCL, so ${name} is used through Vulkan`;
  return `${name} is used through Vulkan`;
}

function memoryAdvice({ name, totalBytes }: FoundCard): string | null {
  if (totalBytes !== null) return null;
  return `How much memory ${name} has is not known before the engine sees it. You can name it: dewpoint settings set cards '[{"name": "${name}", "totalBytes": 12000000000}]'`;
}

function systemName({ platform, arch }: CardFacts): string {
  const systems: Readonly<Record<string, string>> = { linux: 'Linux', win32: 'Windows' };
  return `${systems[platform] ?? platform} with ${arch === 'arm64' ? 'an ARM processor' : arch}`;
}

function nvidiaPlan(card: FoundCard, facts: CardFacts, vulkan: EngineVariant, platform: 'linux' | 'win32'): CardPlan {
  const { name } = card;
  const { nvidia, loadable } = facts;
  const driver = platform === 'linux' ? 'libcuda.so.1' : 'nvcuda.dll';
  if (nvidia === null && !loadable.includes(driver))
    return {
      use: null,
      reason: `NVIDIA's driver for ${name} does not answer (nvidia-smi and ${driver} were not found), ${processor}.`,
      advice: "Install NVIDIA's driver.",
    };
  const gaps = cudaBuilds.map((build) => gapOf(build, facts, platform));
  const [main, older] = cudaBuilds.map(({ id }, index) => (gaps[index] === null ? id : null));
  // The engine uses the library for CUDA 12 only if the other one does not start.
  const isShadowed = cardGapOf(cudaBuilds[0], facts) !== null && startsMain(facts, platform);
  const id: EngineLibraryId | null = main ?? (isShadowed ? null : (older ?? null));
  const use = id === null ? null : engineVariant(id, facts);
  const found = nvidia === null ? 'its driver' : `its driver ${nvidia.driver}`;
  if (use !== null) {
    const which = id === 'engine/cuda' ? 'CUDA 13' : 'CUDA 12';
    return { use, reason: `${name} has ${found} and the runtime of ${which}.`, advice: null };
  }
  const isTooOld = (nvidia?.capability ?? 9) < cudaBuilds[0].capability && isShadowed;
  const why = isTooOld ? 'the CUDA 13 of this machine is too new for the card' : (gaps[0] ?? '');
  const because = `${name} is used through Vulkan and not CUDA: ${why}`;
  return vulkanPlan(card, facts, { vulkan, because, more: isTooOld ? null : cudaAdvice(facts, platform) });
}

type CudaBuild = (typeof cudaBuilds)[number];

/** What is missing for a library, as the end of a sentence. Null: nothing. */
function gapOf(build: CudaBuild, facts: CardFacts, platform: 'linux' | 'win32'): string | null {
  const { nvidia, loadable, lookedUp } = facts;
  const major = Number.parseInt(nvidia?.driver ?? '', 10);
  if (major < build.driver)
    return `its driver ${nvidia?.driver ?? ''} is older than ${build.driver}, which ${build.name} needs`;
  const cardGap = cardGapOf(build, facts);
  if (cardGap !== null) return cardGap;
  const missing = build[platform].filter((name) => !hasName(loadable, name));
  if (missing.length > 0) {
    const lying = missing.every((name) => hasName(lookedUp, name));
    return lying
      ? `the runtime of ${build.name} is installed, and the system does not look for libraries in its folder`
      : `the runtime of ${build.name} is missing (${missing.join(', ')}), which drivers do not include`;
  }
  if (lookedFor[platform].every((pattern) => lookedUp.some((name) => pattern.test(name)))) return null;
  return `the engine does not look for the runtime of ${build.name} where it is installed`;
}

/** Why the library would load but not compute on the card. Null: it would, or the card's capability is unknown. */
function cardGapOf(
  { name, capability: least, translates, hasCodeFor }: CudaBuild,
  { nvidia }: CardFacts,
): string | null {
  const capability = nvidia?.capability ?? null;
  if (nvidia === null || capability === null) return null;
  if (capability < least) return `the library for ${name} does not support compute capability ${capability}`;
  if (hasCodeFor(capability) || !(Number.parseInt(nvidia.driver, 10) < translates)) return null;
  return `the library for ${name} has no code for compute capability ${capability}, and its driver ${nvidia.driver} cannot translate it, for that takes ${translates}`;
}

function startsMain(facts: CardFacts, platform: 'linux' | 'win32'): boolean {
  const [main] = cudaBuilds;
  const isOld = Number.parseInt(facts.nvidia?.driver ?? '', 10) < main.driver;
  return !isOld && main[platform].every((name) => hasName(facts.loadable, name));
}

/** How to get CUDA with the least effort: with the newest library that driver and card allow. */
function cudaAdvice(facts: CardFacts, platform: 'linux' | 'win32'): string | null {
  const { nvidia, loadable, lookedUp } = facts;
  const major = Number.parseInt(nvidia?.driver ?? '', 10);
  const capability = nvidia?.capability ?? 8.9;
  const [main] = cudaBuilds;
  if (startsMain(facts, platform) && cardGapOf(main, facts) !== null)
    return `CUDA is often faster: update NVIDIA's driver to ${main.translates} or later.`;
  const build = cudaBuilds.find((one) => !(major < one.driver) && cardGapOf(one, facts) === null);
  if (build === undefined)
    return capability < 5
      ? null
      : `CUDA is often faster: update NVIDIA's driver to 580 or later and install CUDA ${capability < 7.5 ? 12 : 13}.`;
  const names = build[platform];
  if (names.every((name) => hasName(lookedUp, name) || hasName(loadable, name)))
    return platform === 'linux'
      ? 'CUDA is often faster: name the folder of its libraries in LD_LIBRARY_PATH and start Dewpoint again.'
      : 'CUDA is often faster: name the folder of its DLLs in PATH and start Dewpoint again.';
  const size = engineVariant(build.id, facts)?.bytes ?? 0;
  return `CUDA is often faster: install the runtime of ${build.name} (${names.join(', ')}), then Dewpoint offers its library (${sizeText(size)}).`;
}

interface Vulkan {
  readonly vulkan: EngineVariant;
  /** A sentence without its end. */
  readonly because: string;
  readonly more: string | null;
}

function vulkanPlan(card: FoundCard, { platform, loadable }: CardFacts, { vulkan, because, more }: Vulkan): CardPlan {
  const loader = platform === 'linux' ? 'libvulkan.so.1' : 'vulkan-1.dll';
  if (hasName(loadable, loader)) return { use: vulkan, reason: `${because}.`, advice: more };
  const install =
    platform === 'linux'
      ? `Install the Vulkan loader (${loader}, in Debian's package libvulkan1) and the Vulkan driver for ${card.name}.`
      : `Install the driver of the maker of ${card.name}, which brings ${loader}.`;
  const advice = more === null ? install : `${install} ${more}`;
  return { use: null, reason: `${card.name} needs Vulkan here, and ${loader} is missing, ${processor}.`, advice };
}

/** File names on Windows ignore case, so this does, too. */
function hasName(names: readonly string[], wanted: string): boolean {
  return names.some((name) => name.toLowerCase() === wanted.toLowerCase());
}
