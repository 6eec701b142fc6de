import { z } from 'zod';
import { learnPriors, priorsIn } from './learn-priors.ts';
import { sha256Of } from '../lib/sha256.ts';
import { currentScore } from './learned-score.ts';
import { type Priors, priorsSchema } from '@shared/routing/priors.ts';
import type { TurnOptions } from '../settings/turn-options.ts';
import { readJsonFile, writeJsonFile } from '../lib/files/json-file.ts';

const fileSchema = z.union([
  z.strictObject({ version: z.literal(1), priors: priorsSchema }),
  z.strictObject({ version: z.literal(2), priors: priorsSchema, projects: z.record(z.string(), priorsSchema) }),
]);

/** Counts of the whole home, and of each project by the hash of its folder. */
interface Learned {
  readonly priors: Priors;
  readonly projects: Readonly<Record<string, Priors>>;
}

/** Projects that were counted longest ago are left out. */
const MOST_PROJECTS = 300;

/** What this machine has learned about its models. Deleting its file at any time forgets it. */
export interface LearnedPriors {
  /** The options of a turn with the score that decides and what is known about its models, so that the log has what the turn was routed by. */
  readonly given: (options: TurnOptions, projectPath: string | null) => Promise<TurnOptions>;
  readonly all: () => Promise<Priors>;
  /** Counts a session's last turn. */
  readonly learn: (state: Parameters<typeof learnPriors>[1] & { readonly projectPath: string | null }) => Promise<void>;
}

/** `path`: the JSON file that holds them. Only the core of the home writes it. A damaged file counts as empty. */
export function createLearnedPriors(path: string): LearnedPriors {
  let known: Promise<Learned> | null = null;
  let written: Promise<void> = Promise.resolve();
  const all = (): Promise<Learned> => (known ??= read(path));
  return {
    all: async () => (await all()).priors,
    async given(options, projectPath) {
      const { local, cloud, modelOrder = [] } = options;
      const routing = options.policy === 'hybrid' || modelOrder.length > 1 ? options.routing : null;
      const learned = await all();
      const priors = priorsIn(learned.priors, learned.projects[keyOf(projectPath)]);
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
      known = before.then((learned) => withTurn(learned, state));
      const after = await known;
      if (after === (await before)) return;
      // Writes run in order; otherwise the first could finish last.
      const save = (): Promise<void> => writeJsonFile(path, { version: 2, ...after });
      written = written.then(save, save);
      await written;
    },
  };
}

async function read(path: string): Promise<Learned> {
  const file = await readJsonFile(path, (value) => fileSchema.parse(value));
  if (file.type !== 'value') return { priors: {}, projects: {} };
  const { value } = file;
  return { priors: value.priors, projects: value.version === 1 ? {} : value.projects };
}

/** The file has no text of the person, so no path either. Work without a project has a count of its own. */
function keyOf(projectPath: string | null): string {
  return projectPath === null ? '' : sha256Of(projectPath).slice(0, 16);
}

function withTurn(learned: Learned, state: Parameters<LearnedPriors['learn']>[0]): Learned {
  const priors = learnPriors(learned.priors, state);
  if (priors === learned.priors) return learned;
  const key = keyOf(state.projectPath);
  const { [key]: own = {}, ...others } = learned.projects;
  // The last one counted is the last of the list.
  const kept = Object.entries(others).slice(1 - MOST_PROJECTS);
  return { priors, projects: { ...Object.fromEntries(kept), [key]: learnPriors(own, state) } };
}
