import type { SettingKey } from '../../src/shared/contract/settings-contract.ts';
import { success } from '../../src/shared/errors.ts';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import type { CoreApi } from '../../src/main/server/core-api.ts';
import type { CapChanger } from '../../src/main/money/spending-limits.ts';
import { createCapChanger } from '../../src/main/money/spending-limits.ts';
import { createProjectCommands } from '../../src/main/projects/configure-project.ts';

type Tree = Readonly<Record<string, unknown>>;

interface PageSettings {
  readonly get: (key: SettingKey | undefined) => unknown;
  /** An undefined value takes the entry away. */
  readonly set: (key: SettingKey, value: unknown) => void;
  readonly watch: CoreApi['watchSettings'];
  readonly caps: CapChanger;
  readonly projects: Pick<CoreApi, 'projectSettings' | 'configureProject'>;
}

const namesOf = (key: SettingKey): readonly string[] => (typeof key === 'string' ? key.split('.') : key);

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Settings in memory, kept in `holder`; those of projects by the same code as in the program. */
export function pageSettings(holder: { settings: Record<string, unknown> }): PageSettings {
  const listeners = new Set<(key: string) => void>();
  const set = (key: SettingKey, value: unknown): void => {
    holder.settings = put(holder.settings, namesOf(key), value);
    for (const listener of listeners) listener(namesOf(key).join('.'));
  };
  const watch = (listener: (key: string) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const commands = createProjectCommands({
    home: '/nowhere',
    env: { DEPLOY_TOKEN: 'x' },
    settings: {
      path: '',
      current: () => settingsSchema.parse(holder.settings),
      get: () => success(null),
      set: async (key, value) => success(set(key, value)),
      unset: async (key) => success(set(key, undefined)),
      watch,
    },
  });
  const there = async (path: string, found: ReturnType<CoreApi['projectSettings']>) => ({
    ...(await found),
    isThere: !path.includes('gone'),
  });
  return {
    get: (key) =>
      key === undefined
        ? holder.settings
        : namesOf(key).reduce<unknown>((node, name) => (isTree(node) ? (node[name] ?? null) : null), holder.settings),
    set,
    watch,
    caps: createCapChanger({
      settings: () => settingsSchema.parse(holder.settings).budget,
      save: async (key, value) => set(key, value),
      reservations: async () => spentNothing,
      now: Date.now,
    }),
    projects: {
      projectSettings: (path) => there(path, commands.projectSettings(path)),
      configureProject: (path, change) => there(path, commands.configureProject(path, change)),
    },
  };
}

const spentNothing = {
  reserve: () => Promise.reject(new Error('No call is made here.')),
  settle: () => undefined,
  raise: async () => undefined,
  unraise: async () => undefined,
  sums: () => ({ spent: 1.5e9, held: 0, raised: 0 }),
  open: () => [],
  balance: () => [],
  damagedLines: () => 0,
  close: () => undefined,
};

function put(tree: Tree, [name, ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  if (name === undefined) return { ...tree };
  const { [name]: inner, ...others } = tree;
  if (rest.length > 0) return { ...others, [name]: put(isTree(inner) ? inner : {}, rest, value) };
  return value === undefined ? others : { ...others, [name]: value };
}
