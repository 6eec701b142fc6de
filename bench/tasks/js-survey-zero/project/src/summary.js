import { answersTo } from './answers.js';

/** Sums up a question: {answered, skipped, average}. The average of no answers is null. */
export function summarize(question, forms) {
  let sum = 0;
  let answered = 0;
  for (const answer of answersTo(question, forms)) {
    if (!answer) continue;
    sum += answer;
    answered += 1;
  }
  return {
    answered,
    skipped: forms.length - answered,
    average: answered > 0 ? sum / answered : null,
  };
}

/** The summary as a line of text. */
export function describe(question, forms) {
  const { answered, average } = summarize(question, forms);
  return average === null ? `${question}: no answers` : `${question}: ${average.toFixed(1)} (${answered})`;
}
