import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { PackagePreparations } from '../sandbox/packages/package-preparations.ts';
import type { Handlers } from '../server/handlers.ts';
import { checkSetup } from './check-setup.ts';
import type { SetupCheckInput } from './check-setup.ts';
import { createSetupTrials, type SetupTrialOptions } from './setup-trials.ts';
import { logFolderOf, readLogFile } from '../lib/files/log-file.ts';
import { cleanHome } from './clean-home.ts';

export interface HomeCommandsOptions extends Omit<SetupCheckInput, 'settings'> {
  readonly settings: () => Settings;
  readonly trials: Omit<SetupTrialOptions, 'settings' | 'listToolServers'>;
  /** The file with the license texts of a packed app, null in a checkout, and the one that names what a checkout holds. */
  readonly licenses: { readonly packed: string | null; readonly notice: string };
  /** Cleans what the container engine keeps for this home. */
  readonly cleanEngine: PackagePreparations['clean'];
}

const shownLogBytes = 200_000;

/** The commands about a home as a whole: where it is, what works on this machine, and what can be removed. */
export function createHomeCommands({ settings, cleanEngine, licenses, trials: tried, ...setup }: HomeCommandsOptions) {
  const { version, home, cache } = setup;
  const trials = createSetupTrials({ ...setup, ...tried, settings });
  return {
    home: {
      info: () => ({ pid: process.pid, version, home, cache }),
      licenses: () => readLicenses(licenses),
      log: async () => ({ folder: logFolderOf(home), text: await readLogFile(logFolderOf(home), shownLogBytes) }),
    },
    doctor: ({ signal }) => checkSetup({ ...setup, settings: settings() }, signal),
    setup: {
      trials: ({ signal }) => trials.list(signal),
      try: ({ input, signal }) => trials.run(input.id, signal),
    },
    clean: async ({ input, signal }) => {
      const inEngine = await cleanEngine(input, signal);
      // Without an engine, there is nothing of ours in it that could be seen.
      if (!inEngine.ok && inEngine.error.code !== 'missing-sandbox')
        throw new AppError(inEngine.error.code, inEngine.error.message);
      const inHome = await cleanHome({ homePath: home, cachePath: cache }, input.remove !== 'nothing', signal);
      return [...(inEngine.ok ? inEngine.value : []), ...inHome];
    },
  } satisfies Partial<Handlers>;
}

async function readLicenses({ packed, notice }: HomeCommandsOptions['licenses']) {
  return packed === null
    ? { folder: null, text: await readFile(notice, 'utf8') }
    : { folder: dirname(packed), text: await readFile(packed, 'utf8') };
}
