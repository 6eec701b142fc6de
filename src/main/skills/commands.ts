import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import { allowedText, readAllowedTools } from '@shared/skills/allowed-tools.ts';
import { parseSkill } from '@shared/skills/skill-file.ts';
import { isOffered, promptFileName } from '@shared/safety/instruction-files.ts';
import type { SkillReport, SkillState } from '@shared/skills/skill-report.ts';
import { makeFolder, writeFileAtomic } from '../lib/files/json-file.ts';
import { readFileBelow } from '../lib/files/host-folder.ts';
import { utf8Text } from '../lib/utf8-text.ts';
import type { ProjectInstructions } from '../safety/instructions/project-instructions.ts';
import type { Handlers } from '../server/handlers.ts';
import type { AddedSkills } from './added-skills.ts';
import type { HomeSkills } from './home-skills.ts';
import { mostSkillBytes } from './read-skill-files.ts';
import { reviewedSkill } from './skill-review.ts';

export interface SkillCommandsOptions {
  /** Where the person's own skills lie. */
  readonly folder: string;
  readonly homeSkills: HomeSkills;
  readonly instructions: Pick<ProjectInstructions, 'offered' | 'approve'>;
  readonly off: () => readonly string[];
  readonly saveOff: (names: readonly string[]) => Promise<unknown>;
  readonly onChanged: () => void;
  readonly added: AddedSkills;
}

/** A skill with what was found of it. */
interface Listed {
  readonly report: SkillReport;
  /** What a person approves; null for a skill of the home. */
  readonly file: InstructionFile | null;
}

/** The commands for skills. Of two with the same name, the project's counts. */
export function createSkillCommands(options: SkillCommandsOptions): Handlers['skills'] {
  const { folder, instructions, off, saveOff, onChanged, added } = options;
  const find = async (projectPath: string | null, name: string): Promise<Listed> => {
    const found = (await listSkills(options, projectPath)).find(({ report }) => report.name === name);
    if (found !== undefined) return found;
    throw new AppError('not-found', `The skill "${name}" was not found.`, {
      hint: 'Run `dewpoint skills list` to see yours.',
    });
  };
  return {
    list: async ({ input: { projectPath } }) => ({
      folder,
      skills: (await listSkills(options, projectPath)).map(({ report }) => report),
    }),
    show: async ({ input: { projectPath, name } }) => {
      const { report, file } = await find(projectPath, name);
      if (file !== null) return { skill: report, text: file.text ?? '', diff: file.diff };
      const bytes = await readFileBelow(join(report.path, '..'), ['SKILL.md'], mostSkillBytes);
      return { skill: report, text: bytes === null ? '' : (utf8Text(bytes) ?? ''), diff: null };
    },
    enable: async ({ input: { projectPath, name, sha256 } }) => {
      const { report } = await find(projectPath, name);
      if (report.state === 'unfit')
        throw new AppError('bad-input', `The skill "${name}" cannot be used. ${report.problem ?? ''}`);
      if (projectPath !== null && report.sha256 !== null && ['new', 'changed'].includes(report.state)) {
        if (sha256 === null)
          throw new AppError('conflict', `Nobody has approved the skill "${name}" as it is now.`, {
            hint: 'Read it first.',
          });
        await instructions.approve(projectPath, report.path, sha256);
      }
      await saveOff(off().filter((one) => one !== name));
      onChanged();
      return (await find(projectPath, name)).report;
    },
    disable: async ({ input: { projectPath, name } }) => {
      await find(projectPath, name);
      await saveOff([...new Set([...off(), name])]);
      onChanged();
      return (await find(projectPath, name)).report;
    },
    add: async ({ input: { path, replace } }) => {
      const { name, isReplaced } = await added.add(path, replace);
      if (off().includes(name)) await saveOff(off().filter((one) => one !== name));
      onChanged();
      return { skill: (await find(null, name)).report, isReplaced };
    },
    remove: async ({ input: { name } }) => {
      // One of this name in another folder stays off.
      await added.remove(name);
      onChanged();
    },
    save: async ({ input: { name, text, replace } }) => {
      const parsed = parseSkill(name, text);
      if (!parsed.ok) throw new AppError('bad-input', `The skill "${name}" cannot be used. ${parsed.why}`);
      if (!replace && (await readFileBelow(folder, [name, 'SKILL.md'], mostSkillBytes)) !== null) {
        throw new AppError('conflict', `There is a skill "${name}" already.`, { hint: 'Choose another name.' });
      }
      await makeFolder(join(folder, name));
      await writeFileAtomic(join(folder, name, 'SKILL.md'), `${text.trimEnd()}\n`);
      onChanged();
      return (await find(null, name)).report;
    },
  };
}

function narrowing(entries: readonly string[]): string | null {
  const allowed = readAllowedTools(entries);
  return allowed === null ? null : allowedText(allowed);
}

/** Those of the project, then those of the home that no approved skill of the project stands before. */
export async function listSkills(
  { folder, homeSkills, instructions, off, added }: Omit<SkillCommandsOptions, 'saveOff' | 'onChanged'>,
  projectPath: string | null,
): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  const stateOf = (name: string, otherwise: SkillState): SkillState => (off().includes(name) ? 'off' : otherwise);
  const files = projectPath === null ? [] : await instructions.offered(projectPath);
  for (const file of files.filter(({ path }) => isOffered(path) && promptFileName(path) === null)) {
    const name = file.path.split('/').at(-2) ?? '';
    const text = file.text === null ? null : reviewedSkill(file.text);
    const read = text === null ? null : parseSkill(name, text);
    const problem = read === null ? (file.problem ?? 'It cannot be shown.') : read.ok ? null : read.why;
    const usual = file.state === 'approved' ? 'on' : file.state;
    const report: SkillReport = {
      name,
      description: read?.ok === true ? read.value.description : '',
      where: 'project',
      path: file.path,
      state: problem === null ? stateOf(name, usual) : 'unfit',
      sha256: problem === null ? file.sha256 : null,
      problem,
      warnings: read?.ok === true ? read.value.warnings : [],
      narrowsTo: read?.ok === true ? narrowing(read.value.allowedTools) : null,
      isOwn: false,
    };
    found.push({ report, file });
  }
  const before = found.filter(({ report: { state } }) => state === 'on').map(({ report: { name } }) => name);
  const { skills, broken } = await homeSkills.list();
  const copies = await added.names();
  const ofHome = [
    ...skills.map(({ skill, folder: at }) => ({ ...skill, path: join(at, 'SKILL.md'), problem: null })),
    ...broken.map(({ path, name, why }) => ({
      name,
      description: '',
      path,
      problem: why,
      warnings: [],
      allowedTools: [],
    })),
  ];
  for (const { name, description, path, problem, warnings, allowedTools } of ofHome) {
    const state = problem === null ? stateOf(name, 'on') : 'unfit';
    const isOwn = path === join(folder, name, 'SKILL.md');
    const narrowsTo = narrowing(allowedTools);
    const isAdded = isOwn && copies.includes(name);
    const about = { name, description, path, state, problem, warnings, narrowsTo, isOwn, isAdded };
    const report = { ...about, where: 'home', sha256: null } as const;
    if (!before.includes(name)) found.push({ report, file: null });
  }
  return found;
}
