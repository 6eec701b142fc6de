import type { KnownAnswer } from '@shared/calibration/known-answer.ts';

/** Whether an answer is right. The same answer is always judged the same, and no model judges. */
export function isRightAnswer(answer: string, known: KnownAnswer): boolean {
  if (known.type === 'file') {
    const at = (path: string): number => placeOf(answer, path);
    const place = at(known.path);
    const named = known.others.filter((other) => other !== known.path && at(other) !== -1);
    // The first file that it names counts: one later file may be an example of where it is not. More are a list.
    return place !== -1 && named.every((other) => at(other) > place) && isNoList(named, known.others);
  }
  const named = (name: string): boolean => placeOf(answer, name) !== -1;
  if (known.type === 'without') return answer.trim() !== '' && !known.others.some(named);
  const wrong = known.others.filter((name) => !known.names.includes(name) && named(name));
  return known.names.every(named) && isNoList(wrong, known.others);
}

/** Whoever names all there is has said nothing. */
function isNoList(wrong: readonly string[], others: readonly string[]): boolean {
  return wrong.length === 0 || (wrong.length === 1 && others.length > 1);
}

/** Where a path or a name stands as a whole; -1: nowhere. */
function placeOf(text: string, name: string): number {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + name.length] ?? ' '];
    if (!/[\w/-]/u.test(before) && !/[\w-]/u.test(after)) return at;
    if (/[./]/u.test(before) && text.slice(Math.max(0, at - 2), at) === './') return at;
  }
  return -1;
}
