import type { Llama } from 'node-llama-cpp';

type Cards = 'auto' | 'off';

const opened: { auto: Promise<Llama> | null; off: Promise<Llama> | null } = { auto: null, off: null };
/** Its one binary of the engine has Metal: there, nothing is loaded onto the card where none is wanted. */
const isAppleSilicon = process.platform === 'darwin' && process.arch === 'arm64';

/**
 * The engine, opened once and kept for the life of the process. It has one logger for a binary, and loses it a moment
 * after the same binary is opened again: then nobody hears what it counts and what it allocates.
 */
export async function openLibrary(cards: Cards): Promise<Llama> {
  if (cards === 'auto' || isAppleSilicon) return (opened.auto ??= open('auto'));
  const auto = await opened.auto;
  return auto?.gpu === false ? auto : (opened.off ??= open('off'));
}

/** For what is made on paper: without a card where there is a choice. */
export async function openForPlans(): Promise<Llama> {
  if (opened.off !== null) return opened.off;
  const auto = await openLibrary('auto');
  return auto.gpu === false ? auto : openLibrary('off');
}

async function open(cards: Cards): Promise<Llama> {
  try {
    const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
    return await getLlama({
      build: 'never',
      gpu: cards === 'off' ? false : 'auto',
      // What it allocates, and what it counted, it says at this level only.
      logLevel: LlamaLogLevel.info,
      logger: () => undefined,
      progressLogs: false,
    });
  } catch (error) {
    // The next try may have more room.
    opened[cards] = null;
    throw error;
  }
}
