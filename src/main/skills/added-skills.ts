import { randomBytes } from 'node:crypto';
import { lstat, readdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { isSkillName, parseSkill } from '@shared/skills/skill-file.ts';
import { z } from 'zod';
import { nameProblem, nullIfGone, realPathOf } from '../lib/files/host-folder.ts';
import { createInTurn } from '../lib/async/in-turn.ts';
import { isDiskFull, makeFolder, readJsonFile, writeFileAtomic, writeJsonFile } from '../lib/files/json-file.ts';
import { sha256Of } from '../lib/sha256.ts';
import { utf8Text } from '../lib/utf8-text.ts';
import { pathsBelow, readSkillFiles } from './read-skill-files.ts';
import type { SkillFiles } from './skill-review.ts';

export interface AddedSkills {
  /** The names of the copies that `add` made. */
  readonly names: () => Promise<readonly string[]>;
  /** Copies a folder with a `SKILL.md`, whole or not at all. Links in it are left out. */
  readonly add: (path: string, replace: boolean) => Promise<{ readonly name: string; readonly isReplaced: boolean }>;
  /** Removes a copy that `add` made. Rejects with `refused` for any other skill, and for a copy that was changed since. */
  readonly remove: (name: string) => Promise<void>;
}

const recordSchema = z.object({
  version: z.literal(1),
  /** `sha256`: of its SKILL.md. `files`: of all that was copied; absent in older records. */
  skills: z.record(z.string(), z.object({ from: z.string(), sha256: z.string(), files: z.string().optional() })),
});
type AddedRecord = z.infer<typeof recordSchema>['skills'];

/** Copies of skills in `skills/` of the home. `added-skills.json` beside it says which of them are copies. */
export function createAddedSkills(home: string): AddedSkills {
  const folder = join(home, 'skills');
  const file = join(home, 'added-skills.json');
  const read = async (): Promise<AddedRecord> => {
    const found = await readJsonFile(file, (value) => recordSchema.parse(value));
    if (found.type === 'damaged')
      throw new AppError('bad-input', `${file} cannot be read. Nothing was changed.`, {
        hint: 'It only says which skills are copies. Remove it, and they count as your own.',
      });
    return found.type === 'value' ? found.value.skills : {};
  };
  const inTurn = createInTurn();
  const write = (skills: AddedRecord): Promise<void> => writeJsonFile(file, { version: 1, skills });
  return {
    names: async () => Object.keys(await read()),
    add: (path, replace) =>
      inTurn(async () => {
        await finishCutOff(home);
        const { name, from, files } = await readForCopy(path);
        if (dirname(from) === (await realpath(folder).catch(() => folder)))
          throw new AppError('bad-input', `${path} was not added. It is a skill of yours already.`);
        const before = await read();
        const target = join(folder, name);
        const isThere = await isSomethingAt(target);
        if (isThere && !replace)
          throw new AppError('conflict', `There is a skill "${name}" already. Nothing was changed.`, {
            hint: `To replace it: dewpoint skills add DIR --replace. It lies in ${target}`,
          });
        // Beside the folder of skills, so that half a copy is never found as one.
        const copy = join(home, `adding-skill-${randomBytes(6).toString('hex')}-${name}`);
        const old = `${copy}-old`;
        try {
          for (const [inside, bytes] of files) {
            await makeFolder(dirname(join(copy, inside)));
            await writeFileAtomic(join(copy, inside), bytes);
          }
          await makeFolder(folder);
          if (isThere) await rename(target, old);
          await rename(copy, target);
        } catch (error) {
          // What was there comes back.
          if (isThere && !(await isSomethingAt(target))) await rename(old, target);
          if (isDiskFull(error)) throw new AppError('disk-full', `${name} was not added: the disk is full.`);
          throw error;
        } finally {
          await rm(copy, { recursive: true, force: true });
        }
        const sha256 = sha256Of(files.get('SKILL.md') ?? '');
        await write({ ...before, [name]: { from, sha256, files: hashOf(files) } });
        await rm(old, { recursive: true, force: true });
        return { name, isReplaced: isThere };
      }),
    remove: (name) =>
      inTurn(async () => {
        const added = await read();
        const { [name]: removed, ...others } = added;
        if (removed === undefined || !Object.hasOwn(added, name))
          throw new AppError('refused', `The skill "${name}" was not added by Dewpoint, so it stays.`, {
            hint: 'Delete its folder yourself, or switch it off: dewpoint skills disable NAME',
          });
        if (await isChanged(join(folder, name), removed))
          throw new AppError('refused', `The skill "${name}" was changed since it was added, so it stays.`, {
            hint: `If you do not need it, delete its folder: ${join(folder, name)}`,
          });
        await rm(join(folder, name), { recursive: true, force: true });
        await write(others);
      }),
  };
}

/** Takes back a replacement that a crash cut off, and removes what half a copy left. */
async function finishCutOff(home: string): Promise<void> {
  const names = await readdir(home).catch(() => []);
  for (const name of names.filter((one) => /^adding-skill-[0-9a-f]{12}-/u.test(one))) {
    const skill = /^adding-skill-[0-9a-f]{12}-(.+)-old$/u.exec(name)?.[1];
    const target = skill === undefined ? null : join(home, 'skills', skill);
    if (target !== null && !(await isSomethingAt(target))) {
      await makeFolder(dirname(target));
      await rename(join(home, name), target);
    } else await rm(join(home, name), { recursive: true, force: true });
  }
}

/** Whether a file of a copy was changed, added or taken away since. One that is gone is not changed. */
async function isChanged(at: string, copied: AddedRecord[string]): Promise<boolean> {
  if (!(await isSomethingAt(at))) return false;
  const files = await readSkillFiles(at, await pathsBelow(at, []));
  if (files === null) return true;
  const head = files.get('SKILL.md');
  return copied.files === undefined
    ? head !== undefined && sha256Of(head) !== copied.sha256
    : hashOf(files) !== copied.files;
}

function hashOf(files: SkillFiles): string {
  const each = [...files].map(([path, bytes]): [string, string] => [path, sha256Of(bytes)]);
  return sha256Of(JSON.stringify(each.sort(([left], [right]) => (left < right ? -1 : 1))));
}

async function isSomethingAt(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

interface ForCopy {
  readonly name: string;
  readonly from: string;
  readonly files: SkillFiles;
}

/** Reads and checks a folder as a skill is checked when it is loaded. Rejects with what is wrong with it. */
async function readForCopy(path: string): Promise<ForCopy> {
  const wrong = (why: string): AppError => new AppError('bad-input', `${path} was not added. ${why}`);
  if (!isAbsolute(path)) throw wrong('Give the whole path of the folder.');
  const from = await realPathOf(path).catch(nullIfGone);
  if (from === null || !(await lstat(from)).isDirectory()) throw wrong('There is no such folder.');
  const name = basename(from);
  if (!isSkillName(name))
    throw wrong('A skill has the name of its folder: lower-case letters and digits, with single "-" between.');
  const paths = (await pathsBelow(dirname(from), [name])).map((one) => one.slice(name.length + 1));
  if (!paths.includes('SKILL.md')) throw wrong('It has no SKILL.md.');
  const odd = paths.find((one) => one.split('/').some((part) => nameProblem(part) !== null));
  if (odd !== undefined) throw wrong(`The name of ${odd} cannot be used on this machine.`);
  const files = await readSkillFiles(from, paths);
  if (files === null) throw wrong('It has more than 300 files or 4 MiB, or one of its files cannot be read.');
  const bytes = files.get('SKILL.md');
  const text = bytes === undefined ? null : utf8Text(bytes);
  if (text === null) throw wrong('Its SKILL.md cannot be read as UTF-8 text.');
  const parsed = parseSkill(name, text);
  if (!parsed.ok) throw wrong(parsed.why);
  return { name, from, files };
}
