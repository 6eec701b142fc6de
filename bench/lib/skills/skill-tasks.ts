import { drawOrder } from '../tasks.ts';
import { notesTasks } from './notes-tasks.ts';
import { pinTasks } from './pin-tasks.ts';
import { replaceTasks } from './replace-tasks.ts';
import type { SkillTask } from './skill-task.ts';
import { tableTasks } from './table-tasks.ts';

export const skillTasks: readonly SkillTask[] = [...tableTasks, ...notesTasks, ...replaceTasks, ...pinTasks];

export const skillNames: readonly string[] = [...new Set(skillTasks.map(({ skill }) => skill))];

/** Of each skill's tasks half is for its making, half only measured: in turn, in an order that nobody chose. */
export function halfOf({ id, skill }: Pick<SkillTask, 'id' | 'skill'>): 'dev' | 'held' {
  const drawn = skillTasks.filter((task) => task.skill === skill).map((task) => task.id);
  const ordered = drawn.toSorted((left, right) => (drawOrder(left) < drawOrder(right) ? -1 : 1));
  return ordered.indexOf(id) % 2 === 0 ? 'dev' : 'held';
}
