import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProjectRecords } from '../../src/shared/projects/project-record.ts';
import { projectOfSession } from '../../src/shared/projects/project-keys.ts';
import { success } from '../../src/shared/errors.ts';
import { describeRemoval } from '../../src/main/projects/describe-removal.ts';
import { createProjectStore } from '../../src/main/projects/project-store.ts';
import { previewMoves, moveSessions, type MoveOptions } from '../../src/main/sessions/library/move-sessions.ts';
import { moveSession } from '../../src/main/sessions/open/session-project.ts';
import type { SettingsStore } from '../../src/main/settings/settings-store.ts';
import type { SomeHandlers } from './fake-handlers.ts';
import type { ScriptedCore } from './scripted-core.ts';

type Held = Pick<ScriptedCore, 'append' | 'client' | 'lookUpProjects'>;
type Handled<Name extends keyof SomeHandlers> = NonNullable<SomeHandlers[Name]>;

export interface PageProjects {
  readonly projects: Handled<'projects'>;
  readonly sessions: Handled<'sessions'>;
}

/** Projects as places, and moves into them, by the product's own code. Instructions go into a folder of their own. */
export function createPageProjects(
  core: Held,
  settings: Pick<SettingsStore, 'current' | 'set' | 'unset'>,
): PageProjects {
  const records = (): ProjectRecords => settings.current().projects.records;
  core.lookUpProjects((state) => projectOfSession(records(), state));
  const book = createProjectStore({
    home: mkdtempSync(join(tmpdir(), 'dewpoint-page-')),
    settings,
    now: Date.now,
    checkFolder: async (path) => success(path),
    checkAssistant: (name) => core.client.assistants.show({ name }),
    moveKept: [],
    mayBeThere: async (path) => !path.includes('gone'),
  });
  const stateOf = async (sessionId: string) => (await core.client.sessions.show({ sessionId })).state;
  const options: MoveOptions = {
    book,
    settings,
    store: { view: async (sessionId) => ({ state: await stateOf(sessionId) }) },
    sessions: {
      openJournal: () => null,
      choices: {
        move: async (sessionId, to) => {
          const state = await stateOf(sessionId);
          const append = async (event: Parameters<ScriptedCore['append']>[1]) => core.append(sessionId, event);
          await moveSession({ settings: settings.current }, { append, state: () => state }, to);
        },
      },
    },
  };
  const never = new AbortController().signal;
  return {
    projects: {
      records: () => book.list(),
      page: ({ input }) => book.page(input.project),
      create: ({ input }) => book.create(input),
      change: ({ input }) => book.change(input.project, input.change),
      removal: async ({ input: { project } }) => {
        const talks = (await core.client.sessions.list()).filter((one) => one.project === project).length;
        const contents = { talks, memoryLines: 0, memoryFile: '/home/memory/project.md', knowledge: 0, prompts: 0 };
        return describeRemoval(await book.page(project), contents);
      },
      remove: async ({ input }) => ({ id: (await book.remove(input.project))?.id ?? null }),
      restore: ({ input }) => book.restore(input.id),
    },
    sessions: {
      move: ({ input, signal }) => moveSessions(options, input, signal ?? never),
      movePreview: ({ input, signal }) => previewMoves(options, input, signal ?? never),
    },
  };
}
