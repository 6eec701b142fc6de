import { describe, expect, it } from 'vitest';
import { namesNumber } from '../../bench/lib/skills/skill-task.ts';
import { halfOf, skillNames, skillTasks } from '../../bench/lib/skills/skill-tasks.ts';

describe('the tasks by which a skill is measured', () => {
  it.each(skillNames)('are sixteen for %s, and eight of them are only measured', (skill) => {
    const own = skillTasks.filter((task) => task.skill === skill);
    expect(new Set(own.map(({ id }) => id)).size).toBe(16);
    expect(own.filter((task) => halfOf(task) === 'held')).toHaveLength(8);
  });

  // Catches: a check that what nobody did passes, which would count for both ways.
  it.each(skillTasks.map((task) => [task.id, task] as const))('are not done from the start: %s', async (_, task) => {
    const work = { text: '', read: async (path: string) => task.files[path] ?? null, run: async () => 1 };
    expect(await task.judge(work)).not.toBeNull();
  });

  it.each([
    ['The total is 1,234.50 in all.', 1234.5, true],
    ['It is 1234.5.', 1234.5, true],
    ['12 orders', 1, false],
    ['-10 degrees', -10, true],
    ['309.04166', 309.04, true],
    ['309.1', 309.04, false],
  ])('find the number in “%s”', (text, wanted, isThere) => {
    expect(namesNumber(text, wanted)).toBe(isThere);
  });
});
