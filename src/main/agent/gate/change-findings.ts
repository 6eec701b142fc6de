import type { GateCheck } from '@shared/events/gate-check.ts';
import { parsesAsJson } from '../../lib/parses-as-json.ts';
import type { Syntax } from '../../recipes/code/code-syntax.ts';
import { languageOf } from '../../recipes/code/code-syntax.ts';

/** A file before and after the work; null: the file does not exist. */
export interface ChangedText {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export type Finding = GateCheck['findings'][number];

/** Findings that are wrong in any task. The others may be intended. */
export const isHard = ({ code }: Finding): boolean => code === 'does-not-parse' || code === 'conflict-marker';

/** What weak models write instead of code that they leave out. */
const placeholder =
  /^[ \t]*(?:(?:\/\/|#|\/\*|<!--|--)\s*)?(?:\.{3}|…)\s*\(?(?:(?:the )?(?:rest|remaining|remainder|other|existing|previous|same|unchanged)\b.*)(?:code|file|function|method|implementation|class|content|unchanged|here|as before|stays|same)\b.*$/imu;
const conflict = /^(?:<{7} |={7}$|>{7} )/mu;
const skipped =
  /(?:@pytest\.mark\.(?:skip|xfail)|@unittest\.skip|\b(?:it|test|describe)\.(?:skip|todo|only)\b|\bx(?:it|describe)\()/gu;

/** What looks wrong with a change, found without a model or a command. In doubt it reports nothing. */
export function findingsOf({ path, before, after }: ChangedText, syntax: Syntax): readonly Finding[] {
  if (after === null) return [];
  const found: Finding[] = [];
  const say = (code: string, text: string): void => void found.push({ code, path, text: `${path}: ${text}` });
  const isNew = (pattern: RegExp): boolean => pattern.test(after) && !(before !== null && pattern.test(before));
  if (isNew(conflict)) say('conflict-marker', 'there are marks of a merge conflict in it.');
  if (isNew(placeholder)) say('placeholder', 'code was left out and a remark put in its place. Write it in full.');
  if (before !== null && before.trim() !== '' && after.trim() === '') say('emptied', 'it is empty now.');
  const skips = (after.match(skipped)?.length ?? 0) - (before?.match(skipped)?.length ?? 0);
  if (skips > 0) say('test-skipped', 'tests are left out that ran before.');
  const line = brokenLine({ path, before, after }, syntax);
  if (line !== null) say('does-not-parse', line);
  return found;
}

/** Only for a file that parsed before, or a new file in a language whose grammar is known in full. */
function brokenLine({ path, before, after }: ChangedText, syntax: Syntax): string | null {
  if (after === null) return null;
  if (path.endsWith('.json')) {
    const isKept = before === null || parsesAsJson(before);
    return isKept && !parsesAsJson(after) ? 'it is no longer valid JSON.' : null;
  }
  const language = languageOf(path);
  if (language === null || (before === null && language !== 'python')) return null;
  if (before !== null && syntax.errorLine(language, before) !== null) return null;
  const line = syntax.errorLine(language, after);
  return line === null ? null : `it does not parse any more, from line ${line}.`;
}
