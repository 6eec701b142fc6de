import { foreignRequest } from '@shared/text/task-kind.ts';
import type { RecipeSubject } from '../define.ts';

const imperative =
  /^\W*(?:please\s+|kindly\s+|now\s+|then\s+)?(?:fix|add|change|make|implement|create|remove|delete|rename|write|update|replace|refactor|move|let|use|support|handle|stop|turn|convert|extend|improve|repair|correct|allow|set|put|drop|give)\b/i;
const request =
  /\b(?:please|can you|could you|would you)\s+(?:\w+\s+)?(?:fix|add|change|make|implement|create|remove|delete|rename|write|update|replace|refactor|move|repair|correct|look into|take care)\b|\b(?:fix it|pls fix|please fix|repair it|should (?:be|not|return|refuse|print|raise|show|have|support|accept))\b/i;
const english =
  /\b(?:the|an?|is|are|was|were|be|to|of|in|on|at|it|its|this|that|these|and|or|for|with|from|my|your|me|you|we|not|please|all|when|what|which|where|why|how|if|so|as|by)\b/i;

/** Whether a text contains common English words. Only then can its other words be relied on. */
export function looksEnglish(text: string): boolean {
  return english.test(text) || /^\W*[a-z]+\W*$/i.test(text);
}

const questionWord =
  /^\W*(?:what|which|where|when|who|whom|whose|why|how|does|do|did|is|are|was|were|can|could|should|will|would|has|have|explain|describe|tell me|show me where|list)\b/i;

/** A longer text contains material to work on. */
const longestQuestion = 20_000;

/** Whether a text asks for information rather than for work. */
export function isQuestion(text: string): boolean {
  if (text.length > longestQuestion) return false;
  const sentences = text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((sentence) => sentence.trim() !== '');
  const asksForWorkIn = (sentence: string): boolean =>
    imperative.test(sentence) || request.test(sentence) || foreignRequest.test(sentence);
  if (sentences.some(asksForWorkIn)) return false;
  return sentences.some((sentence) => /[?？][^\w?？]*$/u.test(sentence.trim()) || questionWord.test(sentence));
}

/** The same for a task whose mode may already be known. */
export function isQuestionTask({ task, wish }: Pick<RecipeSubject, 'task' | 'wish'>): boolean {
  return wish === 'ask' || (wish !== 'work' && isQuestion(task));
}

const work =
  /\b(?:fix|add|change|write|create|implement|remove|delete|rename|refactor|update|replace|move|make|repair|correct|convert|use|apply|set|put|drop|turn|extend|do|should|must|wrong|broken|fails?|crash(?:es)?|bug|error)\b/i;

/** Whether a text can be about work: it names some, or something that is wrong. "Hello" and "Thanks!" do not. */
export function asksForWork(text: string): boolean {
  return work.test(text);
}
