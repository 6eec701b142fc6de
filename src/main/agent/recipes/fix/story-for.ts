import type { Attempt } from './arms.ts';
import type { Story } from './prompts.ts';
import type { ProjectReader } from './project.ts';
import type { Scene } from './scene.ts';
import { smallBudget, tellStory } from './story.ts';

/** What an attempt is told: the task, the tests, and the places that it may be about. */
export function storyFor(
  { task, reader, scene }: { readonly task: string; readonly reader: ProjectReader; readonly scene: Scene },
  attempt: Attempt,
): Promise<Story> {
  const parts = { task, tests: scene.tests, failures: scene.evidence.failures, reader };
  const top = scene.suspects.slice(0, 3);
  if (attempt.form === 'insert') {
    const inFile = scene.suspects.filter((suspect) => suspect.span.path === attempt.insertion.path);
    const file = scene.files.find((one) => one.path === attempt.insertion.path);
    const any = file?.spans[0];
    const shown =
      inFile.length > 0 || any === undefined
        ? [...inFile, ...top]
        : [{ span: any, score: 0, reasons: [], isLacking: false }, ...top];
    return tellStory(parts, shown, null, smallBudget);
  }
  const shown = top.some((suspect) => suspect.span.id === attempt.suspect.span.id)
    ? top
    : [...top.slice(0, 2), attempt.suspect];
  return tellStory(parts, shown, attempt.form === 'body' ? attempt.suspect : null, smallBudget);
}
