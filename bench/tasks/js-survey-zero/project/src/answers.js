/**
 * The answer of somebody to a question: a number, or null when there is none.
 * A field that is missing, null, or a text without anything in it is no answer,
 * and neither is a text that is no number.
 */
export function answerTo(question, form) {
  const raw = form[question];
  const value = typeof raw === 'string' ? Number(raw.trim().replace(',', '.')) : raw;
  return value || null;
}

/** All answers to a question, in the order of the forms. */
export function answersTo(question, forms) {
  return forms.map((form) => answerTo(question, form));
}
