import type { LlamaServerLook } from '@shared/contract/models-contract.ts';
import { AppError } from '@shared/errors.ts';
import type { OwnLlamaServer } from './own-llama-server.ts';

/** The commands of llama.cpp's own page on its installation. */
const installs: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'Run `brew install llama.cpp` in a terminal, then look again.',
  win32: 'Run `winget install llama.cpp` in a terminal, then look again.',
};
const otherInstall =
  'Unpack the archive for your system from the releases of ggml-org/llama.cpp on GitHub, and choose the program `llama-server` in it. With Homebrew, run `brew install llama.cpp` and look again.';

/**
 * Looks for the user's llama-server and asks it for its version and cards. What is wrong with it is part of the answer.
 * Throws only where the wait was aborted.
 */
export async function lookForServer(
  server: Pick<OwnLlamaServer, 'find' | 'ask'>,
  { program, platform }: { readonly program: string | null; readonly platform: NodeJS.Platform },
  signal: AbortSignal,
): Promise<LlamaServerLook> {
  const folders = platform === 'win32' ? '' : ', then in /opt/homebrew/bin, /usr/local/bin and /usr/bin';
  const about = {
    places: `\`llama-server\` is looked for in the search path (PATH)${folders}.`,
    howToGet: installs[platform] ?? otherInstall,
  };
  const none = { ...about, path: null, version: null, cards: [] };
  const path = await server.find(program ?? undefined);
  signal.throwIfAborted();
  if (path === null) {
    const problem =
      program === null
        ? 'No program `llama-server` was found on this machine.'
        : 'What you chose is not the full path of a program that can be run, or it lies in the folder of a project, where an agent can change it.';
    return { ...none, problem };
  }
  const asked = await server.ask(path, signal);
  signal.throwIfAborted();
  if (!asked.ok) {
    if (asked.error.code === 'cancelled') throw new AppError('cancelled', asked.error.message);
    return { ...none, path, problem: [asked.error.message, asked.error.hint ?? ''].join(' ').trim() };
  }
  const { version, cards } = asked.value;
  return { ...about, path, version, cards: cards.map(({ name }) => name), problem: null };
}
