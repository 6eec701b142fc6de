import { UsageError } from './lib/usage-error.ts';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import type { Course } from './lib/courses/course.ts';
import { courseGroups } from './lib/courses/courses.ts';
import { judgeCourse } from './lib/courses/judge-course.ts';
import { runCourse } from './lib/courses/run-course.ts';
import { parsePartOptions } from './lib/part-options.ts';
import type { BenchRow } from './lib/rows.ts';

/**
 * Plays tasks in which a person, a model or a limit does the unexpected, through the real core, and judges each by its
 * log and its result. Prints every course that does not end as it should. `--name WORDS` plays those with these words
 * in their name.
 */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { only, values } = parsePartOptions(args, courseGroups, { name: 'all', minutes: '5' });
  const { cache } = findDataFolders(process.env, process.platform);
  const failures: string[] = [];
  let [good, all] = [0, 0];
  for (const group of only) {
    for (const course of courseGroups[group]) {
      if (values.name !== 'all' && !course.name.includes(values.name)) continue;
      const begun = performance.now();
      const wrong = await play(course, { cache, limitMs: Number(values.minutes) * 60_000 });
      const took = `${((performance.now() - begun) / 1000).toFixed(1)} s`;
      console.error(`${wrong.length === 0 ? 'right' : 'wrong'}  ${took.padStart(8)}  ${group}: ${course.name}`);
      all += 1;
      if (wrong.length === 0) good += 1;
      else failures.push(`${group}: ${course.name}: ${wrong.join(' · ')}`);
    }
  }
  if (all === 0) throw new UsageError(`No course has "${values.name}" in its name.`);
  for (const failure of failures) console.log(failure);
  return [
    {
      figure: 'courses in which a person, a model or a limit does the unexpected, with the right end',
      value: good,
      unit: '',
      target: { atLeast: all },
      note: `${good} of ${all}`,
    },
  ];
}

async function play(course: Course, place: Parameters<typeof runCourse>[1]): Promise<readonly string[]> {
  try {
    return judgeCourse(course, await runCourse(course, place));
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
