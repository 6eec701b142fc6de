import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Skill } from '@shared/skills/skill-file.ts';
import { parseSkill } from '@shared/skills/skill-file.ts';
import { mostSkills } from '@shared/safety/instruction-files.ts';
import { refusal } from '@shared/text/front-matter.ts';
import { readFileBelow } from '../lib/files/host-folder.ts';
import { utf8Text } from '../lib/utf8-text.ts';
import { mostSkillBytes, pathsBelow, readSkillFiles } from './read-skill-files.ts';
import type { SkillFiles } from './skill-review.ts';

/** A skill of the person's own folders. */
export interface HomeSkill {
  readonly skill: Skill;
  /** Its folder on this machine. */
  readonly folder: string;
  /** The paths of its files inside it. */
  readonly paths: readonly string[];
}

export interface BrokenSkill {
  readonly name: string;
  readonly path: string;
  readonly why: string;
}

export interface HomeSkills {
  /** Never rejects; a folder that cannot be read has none. */
  readonly list: () => Promise<{ readonly skills: readonly HomeSkill[]; readonly broken: readonly BrokenSkill[] }>;
  /** The files of one; null: they are too many or too large, or cannot be read. */
  readonly files: (skill: Pick<HomeSkill, 'folder' | 'paths'>) => Promise<SkillFiles | null>;
}

/** Skills in these folders, whole paths, each with skills as folders; of two with the same name, the first. */
export function createHomeSkills(folders: readonly string[]): HomeSkills {
  return {
    list: async () => {
      const found = new Map<string, HomeSkill>();
      const broken: BrokenSkill[] = [];
      for (const root of folders) {
        for (const name of await namesIn(root)) {
          const paths = await pathsBelow(root, [name]);
          if (!paths.includes(`${name}/SKILL.md`)) continue;
          const folder = join(root, name);
          const bytes = await readFileBelow(folder, ['SKILL.md'], mostSkillBytes);
          const text = bytes === null ? null : utf8Text(bytes);
          const read = text === null ? refusal('It cannot be read as UTF-8 text.') : parseSkill(name, text);
          if (!read.ok) broken.push({ name, path: join(folder, 'SKILL.md'), why: read.why });
          else if (!found.has(name) && found.size < mostSkills) {
            const inside = paths.map((path) => path.slice(name.length + 1));
            found.set(name, { skill: read.value, folder, paths: inside });
          }
        }
      }
      return { skills: [...found.values()], broken };
    },
    files: ({ folder, paths }) => readSkillFiles(folder, paths),
  };
}

async function namesIn(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    // A folder that is not there, or cannot be listed, has no skills.
    return [];
  }
}
