/** How an answer to a question with numbers looks, without knowing the right one. */
export function answerFeatures(question: string, answer: string): readonly number[] {
  const numbers = numbersOf(answer);
  const asked = numbersOf(question);
  const said = /####\s*\$?(-?[\d,.]+)/.exec(answer)?.[1];
  const last = said === undefined ? (numbers.at(-1) ?? 0) : Number(said.replaceAll(',', '').replace(/\.$/, ''));
  const known = new Set(numbers);
  const { counted, wrong } = sumsOf(answer);
  return [
    Math.log1p(answer.length),
    answer.split('\n').length,
    counted,
    wrong,
    said === undefined ? 0 : 1,
    Number.isInteger(last) ? 0 : 1,
    last < 0 ? 1 : 0,
    Math.log1p(Math.abs(last)),
    asked.filter((one) => known.has(one)).length / Math.max(1, asked.length),
    numbers.length,
    asked.length,
    (answer.match(/<</g) ?? []).length,
    asked.includes(last) ? 1 : 0,
    /however|assum|cannot|not possible|can't|unknown|mistake|instead/i.test(answer) ? 1 : 0,
    numbers.filter((one) => !Number.isInteger(one)).length,
    answer.trim().split('\n').at(-1)?.length ?? 0,
  ];
}

function numbersOf(text: string): readonly number[] {
  return (text.replaceAll(',', '').match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
}

/** Sums of two numbers that the answer states, and how many of them are wrong. */
function sumsOf(answer: string): { readonly counted: number; readonly wrong: number } {
  let [counted, wrong] = [0, 0];
  const sums = answer
    .replaceAll(/[,$]/g, '')
    .matchAll(/(\d+(?:\.\d+)?)\s?([-+*/x])\s?(\d+(?:\.\d+)?)\s?=\s?(-?\d+(?:\.\d+)?)/g);
  for (const [, left, sign, right, result] of sums) {
    const value = valueOf(Number(left), sign ?? '', Number(right));
    counted += 1;
    if (Math.abs(value - Number(result)) > Math.max(0.011, 0.002 * Math.abs(value))) wrong += 1;
  }
  return { counted, wrong };
}

function valueOf(left: number, sign: string, right: number): number {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  return sign === '/' ? left / right : left * right;
}
