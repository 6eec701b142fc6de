import { parseAssistant } from '@shared/session/assistants.ts';
import type { Handlers } from '../server/handlers.ts';

/** The fields of inputs and settings whose texts are names of models. */
const fields: ReadonlySet<string> = new Set(['local', 'cloud', 'locals', 'model', 'modelOrder']);

/** The models that an input names, wherever in it. */
export function modelsNamed(input: unknown, isName = false): readonly string[] {
  if (typeof input === 'string') return isName ? [input] : [];
  if (typeof input !== 'object' || input === null) return [];
  if (Array.isArray(input)) return input.flatMap((one: unknown) => modelsNamed(one, isName));
  return Object.entries(input).flatMap(([name, value]) => modelsNamed(value, isName || fields.has(name)));
}

/** The same for a setting, whose name may be one of the fields. */
function modelsInSetting(key: string | readonly string[], value: unknown): readonly string[] {
  const names = typeof key === 'string' ? key.split('.') : key;
  return modelsNamed(value, names[0] !== 'providers' && names.some((name) => fields.has(name)));
}

/** The settings say themselves of which provider nobody knows, and name those there are. */
const isOfFile = (id: string): boolean => id.startsWith('llama-cpp/');

/** Rejects for a model that cannot exist. One that a service may have passes: no service is asked. */
type RefuseUnknown = (id: string) => Promise<void>;

/**
 * The same handlers, which refuse a misspelled model at once and change nothing, whoever names it: a terminal, the window,
 * an editor or another process.
 */
export function refusingUnknownModels(handlers: Handlers, refuse: RefuseUnknown): Handlers {
  const each = async (ids: readonly string[]): Promise<void> => {
    for (const id of new Set(ids)) await refuse(id);
  };
  // A message names all that was chosen before. What is gone of it is left out and said, as long as one model is there.
  const some = async (ids: readonly string[]): Promise<void> => {
    const refused: unknown[] = [];
    for (const id of new Set(ids))
      await refuse(id).then(
        () => refused.push(null),
        (error: unknown) => refused.push(error),
      );
    const [first] = refused;
    if (refused.length > 0 && refused.every((error) => error !== null)) throw first;
  };
  const before =
    <Call extends { readonly input: unknown }, Result>(work: (call: Call) => Result, check = each) =>
    async (call: Call): Promise<Awaited<Result>> => {
      await check(modelsNamed(call.input));
      return await work(call);
    };
  const { settings, projects, assistants, sessions, comparisons, calibrations, endpoint } = handlers;
  return {
    ...handlers,
    settings: {
      ...settings,
      set: async (call) => {
        await each(modelsInSetting(call.input.key, call.input.value).filter(isOfFile));
        return settings.set(call);
      },
    },
    projects: {
      ...projects,
      configure: async (call) => {
        await each(modelsNamed(call.input).filter(isOfFile));
        return projects.configure(call);
      },
    },
    assistants: {
      ...assistants,
      save: async (call) => {
        const read = parseAssistant(call.input.name, call.input.text);
        if (read.ok) await each(modelsNamed(read.value));
        return assistants.save(call);
      },
    },
    sessions: { ...sessions, send: before(sessions.send, some), choose: before(sessions.choose, some) },
    comparisons: { ...comparisons, create: before(comparisons.create) },
    calibrations: { ...calibrations, create: before(calibrations.create) },
    endpoint: { ...endpoint, askAgain: before(endpoint.askAgain) },
  };
}
