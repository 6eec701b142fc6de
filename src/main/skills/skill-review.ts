import { maxInstructionBytes } from '@shared/safety/instruction-files.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { sha256Of } from '../lib/sha256.ts';
import { utf8Text } from '../lib/utf8-text.ts';

/** The files of a skill by their paths inside its folder. */
export type SkillFiles = ReadonlyMap<string, Uint8Array>;

/** The same files by their paths inside `folder`. */
export function filesInside(files: SkillFiles, folder: string): SkillFiles {
  return new Map([...files].map(([path, bytes]) => [path.slice(folder.length + 1), bytes]));
}

/** All texts of a skill together that are shown; the rest is named by its hash. */
const shownBytes = maxInstructionBytes / 2;

/**
 * What a person reads and approves of a skill: a list of all files with the hashes of their bytes, `SKILL.md`, then the
 * other texts as far as there is room. It differs when any byte of the skill does. Null: its `SKILL.md` is too long to
 * be shown, or there is none.
 */
export function skillReview(files: SkillFiles): Buffer | null {
  const paths = [...files.keys()].sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
  const list: string[] = [];
  const texts: string[] = [];
  let left = shownBytes;
  for (const path of paths) {
    const bytes = files.get(path) ?? new Uint8Array();
    list.push(`${JSON.stringify(path)}  ${sizeText(bytes.length)}  ${sha256Of(bytes)}`);
    const text = bytes.length > left ? null : utf8Text(bytes);
    if (path === 'SKILL.md' && text === null) return null;
    if (text === null || text.includes('\0')) continue;
    left -= bytes.length;
    texts.push(`===== ${JSON.stringify(path)} (${text.length} characters) =====\n${text}`);
  }
  if (!files.has('SKILL.md')) return null;
  const review = Buffer.from(`${list.join('\n')}\n\n${texts.join('\n')}`, 'utf8');
  return review.length > maxInstructionBytes ? null : review;
}

/** The `SKILL.md` in such a text, which comes first; null: there is none. */
export function reviewedSkill(review: string): string | null {
  const head = /^===== "SKILL\.md" \((\d{1,9}) characters\) =====\n/mu.exec(review);
  if (head === null) return null;
  const from = head.index + head[0].length;
  return review.slice(from, from + Number(head[1]));
}

const rank = (path: string): number => (path === 'SKILL.md' ? 0 : 1);
