import type { Skill } from '@shared/skills/skill-file.ts';
import { parseSkill } from '@shared/skills/skill-file.ts';
import { mostSkillFiles, skillsIn } from '@shared/safety/instruction-files.ts';
import type { SkillPlace } from '@shared/safety/instruction-files.ts';
import type { Sandbox, SandboxFiles } from '../sandbox/sandbox.ts';
import type { ProjectInstructions } from '../safety/instructions/project-instructions.ts';
import { tarArchive } from '../lib/files/tar-archive.ts';
import { shellQuote } from '../lib/programs/shell-quote.ts';
import { utf8Text } from '../lib/utf8-text.ts';
import type { HomeSkill, HomeSkills } from './home-skills.ts';
import { mostSkillBytes } from './read-skill-files.ts';
import { filesInside, skillReview, type SkillFiles } from './skill-review.ts';

/** What a turn may offer: skills by name, and those of the project that wait for a yes. */
export interface FoundSkills {
  readonly offered: readonly Pick<Skill, 'name' | 'description'>[];
  /** The names of project skills that nobody has approved as they are now. */
  readonly held: readonly string[];
}

export interface LoadedSkill {
  readonly skill: Skill;
  /** Its folder in the workspace; null: it is a skill of the person's home, which lies outside. */
  readonly folder: string | null;
  readonly files: SkillFiles;
}

/** The skills of a session: the approved ones of its project, then those of the person's home. */
export interface SessionSkills {
  /** `paths`: those of the workspace that belong to skills. */
  readonly find: (paths: readonly string[], files: SandboxFiles, signal: AbortSignal) => Promise<FoundSkills>;
  /** Null: there is none of this name, or it is not approved as it is now. */
  readonly load: (
    name: string,
    paths: readonly string[],
    files: SandboxFiles,
    signal: AbortSignal,
  ) => Promise<LoadedSkill | null>;
}

export interface SessionSkillsOptions {
  readonly instructions: Pick<ProjectInstructions, 'check'>;
  /** The project's folder; without a project, the session's workspace. */
  readonly folder: string;
  readonly home: HomeSkills;
  /** The names of skills that are switched off. */
  readonly off: () => readonly string[];
}

export function createSessionSkills({ instructions, folder, home, off }: SessionSkillsOptions): SessionSkills {
  /** `unfit`: its text makes no skill, so that there is nothing to approve. */
  const read = async (
    place: SkillPlace,
    sandbox: SandboxFiles,
    signal: AbortSignal,
  ): Promise<LoadedSkill | 'held' | 'unfit'> => {
    const files = await filesOf(place, sandbox, signal);
    const review = files === null ? null : skillReview(files);
    if (files === null || review === null) return 'held';
    const text = utf8Text(files.get('SKILL.md') ?? new Uint8Array());
    const parsed = text === null ? null : parseSkill(place.name, text);
    if (parsed?.ok !== true) return 'unfit';
    // What a person was shown stands for every byte, so that it cannot change afterwards.
    const { state } = await instructions.check(folder, `${place.folder}/SKILL.md`, review);
    return state === 'approved' ? { skill: parsed.value, folder: place.folder, files } : 'held';
  };
  const isOn = (name: string): boolean => !off().includes(name);
  return {
    find: async (paths, sandbox, signal) => {
      const found = new Map<string, Skill>();
      const held = new Set<string>();
      for (const place of skillsIn(paths)) {
        if (!isOn(place.name) || found.has(place.name)) continue;
        const loaded = await read(place, sandbox, signal);
        if (loaded === 'held') held.add(place.name);
        else if (loaded !== 'unfit') found.set(place.name, loaded.skill);
      }
      for (const { skill } of (await home.list()).skills)
        if (isOn(skill.name) && !found.has(skill.name)) found.set(skill.name, skill);
      return { offered: [...found.values()].map(({ name, description }) => ({ name, description })), held: [...held] };
    },
    load: async (name, paths, sandbox, signal) => {
      if (!isOn(name)) return null;
      for (const place of skillsIn(paths).filter((one) => one.name === name)) {
        const loaded = await read(place, sandbox, signal);
        if (typeof loaded !== 'string') return loaded;
      }
      const own = (await home.list()).skills.find(({ skill }) => skill.name === name);
      return own === undefined ? null : loadOwn(own, home);
    },
  };
}

async function loadOwn(own: HomeSkill, home: HomeSkills): Promise<LoadedSkill | null> {
  const files = await home.files(own);
  return files === null ? null : { skill: own.skill, folder: null, files };
}

/** Null: a file cannot be read here, or they are too many or too large. */
async function filesOf(
  { folder, paths }: SkillPlace,
  sandbox: SandboxFiles,
  signal: AbortSignal,
): Promise<SkillFiles | null> {
  if (paths.length > mostSkillFiles) return null;
  const read = await sandbox.readMany(paths, { maxBytes: mostSkillBytes }, signal);
  if (!read.ok || read.value.size !== paths.length) return null;
  const files = new Map([...read.value].map(([path, { bytes }]) => [path, bytes] as const));
  const size = [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  return size > mostSkillBytes ? null : filesInside(files, folder);
}

const timeoutMs = 30_000;

/**
 * Puts a copy of a skill's files into the sandbox, outside the workspace, so that its scripts run there and nowhere
 * else. Returns its folder; null: this sandbox runs nothing, or the files do not fit.
 */
export async function carrySkill(
  sandbox: Sandbox,
  name: string,
  files: SkillFiles,
  signal: AbortSignal,
): Promise<string | null> {
  if (sandbox.scratchPath === null) return null;
  const archive = tarArchive([...files].map(([path, bytes]) => ({ path, bytes, mode: 0o555 })));
  if (archive === null) return null;
  const folder = `${sandbox.scratchPath}/skills/${name}`;
  const at = shellQuote(folder);
  const unpack = `mkdir -p ${at} && chmod -R u+w ${at} && rm -rf ${at} && mkdir -p ${at}`;
  const command = `${unpack} && tar -xf - --no-same-owner -C ${at} && chmod -R a-w ${at}`;
  const run = await sandbox.exec({ command, cwd: sandbox.scratchPath, timeoutMs, stdin: archive }, signal);
  return run.ok && run.value.exitCode === 0 ? folder : null;
}
