import { z } from 'zod';
import { learnPriors } from './learn-priors.ts';
import { currentScore } from './learned-score.ts';
import { type Priors, priorsSchema } from '@shared/routing/priors.ts';
import type { TurnOptions } from '../settings/turn-options.ts';
import { readJsonFile, writeJsonFile } from '../lib/files/json-file.ts';

const fileSchema = z.strictObject({ version: z.literal(1), priors: priorsSchema });

/** What this machine has learned about its models. Deleting its file at any time forgets it. */
export interface LearnedPriors {
  /** The options of a turn with the score that decides and what is known about its models, so that the log has what the turn was routed by. */
  readonly given: (options: TurnOptions) => Promise<TurnOptions>;
  readonly all: () => Promise<Priors>;
  /** Counts a session's last turn. */
  readonly learn: (state: Parameters<typeof learnPriors>[1]) => Promise<void>;
}

/** `path`: the JSON file that holds them. Only the core of the home writes it. A damaged file counts as empty. */
export function createLearnedPriors(path: string): LearnedPriors {
  let known: Promise<Priors> | null = null;
  let written: Promise<void> = Promise.resolve();
  const all = (): Promise<Priors> => (known ??= read(path));
  return {
    all,
    async given(options) {
      const { local, cloud, modelOrder = [] } = options;
      const routing = options.policy === 'hybrid' || modelOrder.length > 1 ? options.routing : null;
      const priors = await all();
      const ids = new Set([local, cloud, ...modelOrder]);
      const own = [...ids].flatMap((id) => (id === null || priors[id] === undefined ? [] : [[id, priors[id]]]));
      if (routing === null) return options;
      const known = own.length === 0 ? {} : { priors: Object.fromEntries(own) };
      // The user's settings take precedence over what was counted.
      const numbers = { score: currentScore.digest, ...known, ...routing.numbers };
      return { ...options, routing: { ...routing, numbers } };
    },
    async learn(state) {
      const before = all();
      // Sessions that end at the same time are counted one after the other.
      known = before.then((priors) => learnPriors(priors, state));
      const after = await known;
      if (after === (await before)) return;
      // Writes run in order; otherwise the first could finish last.
      const save = (): Promise<void> => writeJsonFile(path, { version: 1, priors: after });
      written = written.then(save, save);
      await written;
    },
  };
}

async function read(path: string): Promise<Priors> {
  const file = await readJsonFile(path, (value) => fileSchema.parse(value));
  return file.type === 'value' ? file.value.priors : {};
}
