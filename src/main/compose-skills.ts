import { join } from 'node:path';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { promptFileTemplate, templateNamePattern } from '@shared/session/prompt-templates.ts';
import { skillTemplate } from './tools/skills/skill-catalog.ts';
import { promptFileName } from '@shared/safety/instruction-files.ts';
import { createProjectInstructions } from './safety/instructions/project-instructions.ts';
import { tellAfter } from './lib/async/tell-after.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { createMemoryCommands } from './memory/commands.ts';
import type { MemoryFiles } from './memory/memory-files.ts';
import { createMemoryFiles } from './memory/memory-files.ts';
import type { ForgetOptions } from './sessions/library/forget-everywhere.ts';
import { createForgetEverywhere } from './sessions/library/forget-everywhere.ts';
import type { SearchIndex } from './sessions/search/session-search-index.ts';
import type { SessionStore } from './sessions/store/session-store.ts';
import { createAddedSkills } from './skills/added-skills.ts';
import { createSkillCommands, listSkills } from './skills/commands.ts';
import { createHomeSkills } from './skills/home-skills.ts';
import { offeredFile, offeredFiles } from './skills/offered-files.ts';

interface SkillBase {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: SettingsStore;
}

/** What projects bring to be approved, and the skills of the person's own folders. */
export function createSkillParts({ home, env, settings }: SkillBase) {
  const files = createMemoryFiles(join(home, 'memory'));
  const told = (): void => settings.tell('memory');
  const memory: MemoryFiles = {
    ...files,
    add: tellAfter(files.add, told),
    forget: tellAfter(files.forget, told),
    moveTo: tellAfter(files.moveTo, told),
  };
  const folder = join(home, 'skills');
  const userHome = env.HOME ?? env.USERPROFILE;
  const shared = userHome === undefined ? [] : ['.agents', '.claude'].map((name) => join(userHome, name, 'skills'));
  const homeSkills = createHomeSkills([folder, ...shared]);
  const instructions = createProjectInstructions(join(home, 'instructions.json'), {
    all: offeredFiles,
    one: offeredFile,
  });
  const options = {
    folder,
    homeSkills,
    instructions,
    off: () => settings.current().skillsOff,
    saveOff: (names: readonly string[]) => settings.save('skillsOff', [...names]),
    onChanged: () => settings.tell('skills'),
    added: createAddedSkills(home),
  };
  /** What `/NAME` stands for beside the templates of the user. */
  const templates = async (projectPath: string | null): Promise<readonly PromptTemplate[]> => {
    const skills = await listSkills(options, projectPath);
    const files = projectPath === null ? [] : await instructions.offered(projectPath);
    return [
      ...skills.flatMap(({ report: { name, description, state } }) =>
        state !== 'on' || !templateNamePattern.test(name)
          ? []
          : [{ name, text: skillTemplate(name), from: 'skill' as const, about: description }],
      ),
      ...files.flatMap(({ path, state, text }) => {
        const name = state === 'approved' ? promptFileName(path) : null;
        const template = name === null || text === null ? null : promptFileTemplate(name, text);
        return template === null ? [] : [template];
      }),
    ];
  };
  return { memory, instructions, homeSkills, templates, commands: createSkillCommands(options) };
}

interface MemoryBase extends Pick<ForgetOptions, 'sessions' | 'blobs' | 'now'> {
  readonly skills: { readonly memory: MemoryFiles };
  readonly store: SessionStore;
  readonly bin: SessionStore;
  readonly clientStore: SessionStore;
  readonly index: Pick<SearchIndex, 'drop'>;
}

/** The commands for the memory, with all logs from which a line is taken that is forgotten. */
export function createMemoryParts(
  home: string,
  { skills: { memory }, store, bin, clientStore, index, sessions, blobs, now }: MemoryBase,
) {
  const stores = [store, bin, clientStore];
  const everywhere = createForgetEverywhere({ home, stores, sessions, blobs, dropIndex: index.drop, now });
  return createMemoryCommands({ memory, everywhere, now });
}
