import { isQuestion } from '@shared/text/task-kind.ts';
import type { RecipeSubject } from '../define.ts';

const english =
  /\b(?:the|an?|is|are|was|were|be|to|of|in|on|at|it|its|this|that|these|and|or|for|with|from|my|your|me|you|we|not|please|all|when|what|which|where|why|how|if|so|as|by)\b/i;

/** Whether a text contains common English words. Only then can its other words be relied on. */
export function looksEnglish(text: string): boolean {
  return english.test(text) || /^\W*[a-z]+\W*$/i.test(text);
}

/** Whether a task asks for information rather than for work: by its mode where that is known, else by its words. */
export function isQuestionTask({ task, mode }: Pick<RecipeSubject, 'task' | 'mode'>): boolean {
  return mode === 'ask' || (mode !== 'work' && isQuestion(task));
}

const work =
  /\b(?:fix|add|change|write|create|implement|remove|delete|rename|refactor|update|replace|move|make|repair|correct|convert|use|apply|set|put|drop|turn|extend|do|should|must|wrong|broken|fails?|crash(?:es)?|bug|error)\b/i;

/** Whether a text can be about work: it names some, or something that is wrong. "Hello" and "Thanks!" do not. */
export function asksForWork(text: string): boolean {
  return work.test(text);
}
