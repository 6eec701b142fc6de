import type { InstructionFile } from '../../src/shared/safety/instruction-files.ts';
import type { PreparationPlan, PrepareProgress } from '../../src/shared/projects/project-preparation.ts';
import type { ProjectImage } from '../../src/shared/sandbox/sandbox-images.ts';
import type { SettingKey } from '../../src/shared/contract/settings-contract.ts';
import { AppError, success } from '../../src/shared/errors.ts';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import { nothingToUndo } from '../../src/main/lib/async/all-or-none.ts';
import type { CapChanger } from '../../src/main/money/spending-limits.ts';
import { createCapChanger } from '../../src/main/money/spending-limits.ts';
import type { ProjectSetup } from '../../src/main/projects/configure-project.ts';
import { createProjectSetup } from '../../src/main/projects/configure-project.ts';
import { settingsStream } from '../../src/main/settings/commands.ts';
import { wholeStream } from '../../src/main/lib/async/push-queue.ts';
import type { SomeHandlers } from './fake-handlers.ts';
import { createPageProjects } from './page-projects.ts';
import type { ScriptedCore } from './scripted-core.ts';
import { webHandlers } from './page-web.ts';
import type { KnowledgeFile } from '@shared/documents/knowledge.ts';
import type { MemoryLine } from '@shared/projects/memory-line.ts';
import type { SkillReport } from '@shared/skills/skill-report.ts';
import type { SettingsStore } from '../../src/main/settings/settings-store.ts';

/** Records a call of the page. */
export type Note = (name: string, ...args: readonly unknown[]) => void;

/** Where the settings are kept, for tests to read and change. */
interface Holder extends Pick<ScriptedCore, 'append' | 'client' | 'lookUpProjects' | 'replace'> {
  settings: Record<string, unknown>;
  packages: PreparationPlan;
  instructions: InstructionFile[];
  ownImage: ProjectImage | null;
  skills: SkillReport[];
  memory: MemoryLine[];
  knowledge: KnowledgeFile[];
}

type Tree = Readonly<Record<string, unknown>>;

interface PageSettings {
  readonly get: (key: SettingKey | undefined) => unknown;
  /** An undefined value removes the entry. */
  readonly set: (key: SettingKey, value: unknown) => void;
  readonly watch: SettingsStore['watch'];
  readonly caps: CapChanger;
  readonly projects: ProjectSetup;
  readonly store: SettingsStore;
}

const namesOf = (key: SettingKey): readonly string[] => (typeof key === 'string' ? key.split('.') : key);

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Settings in memory, kept in `holder`. Project settings use the product's own code. */
function pageSettings(holder: { settings: Record<string, unknown> }): PageSettings {
  const listeners = new Set<(key: string) => void>();
  const set = (key: SettingKey, value: unknown): void => {
    holder.settings = put(holder.settings, namesOf(key), value);
    for (const listener of listeners) listener(namesOf(key).join('.'));
  };
  const watch = (listener: (key: string) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const store: SettingsStore = {
    path: '',
    current: () => settingsSchema.parse(holder.settings),
    get: () => success(null),
    set: async (key, value) => success(set(key, value)),
    unset: async (key) => success(set(key, undefined)),
    save: async (key, value) => set(key, value ?? undefined),
    tell: (what) => {
      for (const listener of listeners) listener(what);
    },
    watch,
  };
  const projects = createProjectSetup({ home: '/nowhere', env: { DEPLOY_TOKEN: 'x' }, settings: store });
  const there = async (path: string, found: ReturnType<ProjectSetup['show']>) => ({
    ...(await found),
    isThere: !path.includes('gone'),
    ...(path.includes('gone') ? { missing: { text: `The folder ${path} was not found.`, isGone: true } } : {}),
  });
  return {
    get: (key) =>
      key === undefined
        ? holder.settings
        : namesOf(key).reduce<unknown>((node, name) => (isTree(node) ? (node[name] ?? null) : null), {
            ...holder.settings,
            // Complete, as the real core answers.
            projects: store.current().projects,
          }),
    set,
    watch,
    store,
    caps: createCapChanger({
      settings: () => settingsSchema.parse(holder.settings).budget,
      save: async (key, value) => set(key, value),
      reservations: async () => spentNothing,
    }),
    projects: {
      show: (path) => there(path, projects.show(path)),
      change: (path, change) => there(path, projects.change(path, change)),
    },
  };
}

const spentNothing = {
  reserve: () => Promise.reject(new Error('No call is made here.')),
  settle: () => undefined,
  raise: async () => undefined,
  unraise: async () => undefined,
  moveProject: async () => nothingToUndo,
  sums: () => ({ spent: 1.5e9, held: 0, raised: 0 }),
  today: () => ({ day: '2026-11-21', month: '2026-11' }),
  open: () => [],
  balance: () => [],
  projects: () => [],
  damagedLines: () => 0,
  close: () => undefined,
};

function put(tree: Tree, [name, ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  if (name === undefined) return { ...tree };
  const { [name]: inner, ...others } = tree;
  if (rest.length > 0) return { ...others, [name]: put(isTree(inner) ? inner : {}, rest, value) };
  return value === undefined ? others : { ...others, [name]: value };
}

function skillHandlers(core: Holder, note: Note): NonNullable<SomeHandlers['skills']> {
  const turn = (name: string, state?: SkillReport['state']): SkillReport => {
    core.skills = core.skills.map((one) => (one.name === name && state !== undefined ? { ...one, state } : one));
    const found = core.skills.find((one) => one.name === name);
    if (found === undefined) throw new AppError('not-found', `The skill "${name}" was not found.`);
    return found;
  };
  return {
    list: () => ({ folder: '/home/skills', skills: core.skills }),
    show: ({ input: { name } }) => ({
      skill: turn(name),
      text: `---\ndescription: ${turn(name).description}\n---\nSteps.`,
      diff: null,
    }),
    enable: ({ input: { name } }) => turn(name, 'on'),
    disable: ({ input: { name } }) => turn(name, 'off'),
    add: ({ input: { path, replace } }) => {
      const name = path.split('/').at(-1) ?? path;
      const isReplaced = core.skills.some((one) => one.name === name);
      if (isReplaced && !replace) throw new AppError('conflict', `There is a skill "${name}" already.`);
      note('add-skill', path, replace);
      const skill: SkillReport = {
        name,
        description: 'Does what its folder says.',
        where: 'home',
        path: `/home/skills/${name}/SKILL.md`,
        state: 'on',
        sha256: null,
        problem: null,
        warnings: [],
        narrowsTo: null,
        isOwn: true,
        isAdded: true,
      };
      core.skills = [...core.skills.filter((one) => one.name !== name), skill];
      return { skill, isReplaced };
    },
    remove: ({ input: { name } }) => {
      note('remove-skill', name);
      core.skills = core.skills.filter((one) => one.name !== name);
    },
    save: ({ input: { name, text } }) => {
      note('save-skill', name, text);
      return turn(name);
    },
  };
}

function memoryHandlers(core: Holder, note: Note): NonNullable<SomeHandlers['memory']> {
  const shown = () => ({
    files: { you: '/home/memory/you.md', project: '/home/memory/api-server.md' },
    lines: core.memory,
  });
  return {
    list: shown,
    add: ({ input: { text, of } }) => {
      if (text.includes('sk-')) throw new AppError('refused', 'The line holds a secret, which no memory keeps.');
      note('note-line', text, of);
      const made = { date: '2026-11-29', sessionId: null, isAfterOutside: false, of };
      core.memory = [...core.memory, { ...made, id: `line-${text.length}`, text }];
      return shown();
    },
    forget: ({ input: { id, onlyHere } }) => {
      note('forget-line', id);
      core.memory = core.memory.filter((line) => line.id !== id);
      const forgotten = { sessions: 2, busy: ['20261129-100000-abcdefgh'], isTooShort: false };
      return { ...shown(), ...(onlyHere === true ? {} : { forgotten }) };
    },
  };
}

function knowledgeHandlers(core: Holder, note: Note, tell: () => void): NonNullable<SomeHandlers['knowledge']> {
  const shown = () => ({ name: 'knowledge', folder: '/home/knowledge/api-server', files: core.knowledge });
  return {
    list: shown,
    add: async function* ({ input: { sources } }) {
      note('add-knowledge', sources);
      for (const [index, source] of sources.entries()) {
        const from = source.type === 'file' ? source.path : source.url;
        const name = from.split('/').at(-1) ?? from;
        const before = core.knowledge.find((one) => one.name === name);
        const isBad = name.endsWith('.bin');
        const outcome = isBad ? 'refused' : before === undefined ? 'added' : 'replaced';
        const told = isBad
          ? `${name} is no document and no text.`
          : before && `${name} replaces the copy that was there.`;
        const made = { name, sizeBytes: 48_213, kind: 'pdf', pages: 12, tokens: 4_200, from: source } as const;
        const others = core.knowledge.filter((one) => one !== before);
        if (!isBad) core.knowledge = [...others, { ...made, addedAt: Date.parse('2026-11-30'), isWhole: false }];
        const added = { source, name: isBad ? null : name, outcome, note: told ?? null } as const;
        yield { type: 'source', added, done: index + 1, of: sources.length } as const;
      }
      tell();
      yield { type: 'ended', knowledge: shown() } as const;
    },
    remove: ({ input: { names } }) => {
      core.knowledge = core.knowledge.filter(({ name }) => !names.includes(name));
      return shown();
    },
    setWhole: ({ input: { name, isWhole } }) => {
      core.knowledge = core.knowledge.map((one) => (one.name === name ? { ...one, isWhole } : one));
      return shown();
    },
  };
}

/** Handlers for settings: for all projects, for one project, and for spending. */
export function settingsHandlers(
  core: Holder,
  note: Note,
): Pick<SomeHandlers, 'settings' | 'projects' | 'budget' | 'web' | 'skills' | 'memory' | 'knowledge'> {
  const settings = pageSettings(core);
  const places = createPageProjects(core, settings.store);
  core.replace({ sessions: places.sessions });
  const withParts = (changed: Partial<PreparationPlan['parts'][number]>): void => {
    core.packages = { ...core.packages, parts: core.packages.parts.map((part) => ({ ...part, ...changed })) };
  };
  return {
    settings: {
      get: ({ input }) => settings.get(input.key),
      set: ({ input: { key, value } }) => {
        note('set', key, value);
        settings.set(key, value);
        return value;
      },
      unset: ({ input: { key } }) => {
        note('unset', key);
        settings.set(key, undefined);
      },
      watch: ({ signal }) => settingsStream(settings, signal),
    },
    web: webHandlers({
      settings: () => settingsSchema.parse(core.settings).web,
      save: (name, value) => settings.set(['web', name], value),
      keepSecret: (service) => note('secret', service),
    }),
    budget: {
      show: ({ input }) => settings.caps.show(input.projectPath),
      change: ({ input: { change, ...target } }) => {
        note('budget', target, change);
        return settings.caps.change(target, change);
      },
    },
    skills: skillHandlers(core, note),
    memory: memoryHandlers(core, note),
    knowledge: knowledgeHandlers(core, note, () => settings.store.tell('knowledge')),
    projects: {
      ...places.projects,
      settings: ({ input }) => settings.projects.show(input.projectPath),
      configure: ({ input: { projectPath, change } }) => {
        note('configure', projectPath, change);
        return settings.projects.change(projectPath, change);
      },
      removePackages: ({ input: { projectPath } }) => {
        note('remove-packages', projectPath);
        withParts({ state: 'missing', packages: null });
        return [{ kind: 'packages', name: projectPath, sizeBytes: 4e4, unneeded: null, isRemoved: true }];
      },
      image: () => core.ownImage,
      instructions: () => core.instructions,
      approveInstructions: ({ input: { path, sha256 } }) => {
        note('follow', path, sha256);
        core.instructions = core.instructions.map((file) => ({ ...file, state: 'approved' }));
        return core.instructions;
      },
      parts: () => core.packages.parts,
      preparation: () => core.packages,
      prepare: ({ input: { approval }, signal }) =>
        wholeStream<PrepareProgress>(async (tell) => {
          note('prepare', approval);
          tell({ type: 'text', text: 'python -m pip install -r requirements.txt' });
          tell({ type: 'text', text: 'Successfully installed six-1.17.0' });
          withParts({ state: 'ready', packages: 1, sizeBytes: 4e4 });
          tell({ type: 'ended', plan: core.packages });
        }, signal),
    },
  };
}
