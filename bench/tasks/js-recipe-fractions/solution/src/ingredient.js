/** The spellings of the units that we know. */
const UNITS = new Map([
  ['cup', 'cup'],
  ['cups', 'cup'],
  ['tsp', 'tsp'],
  ['teaspoon', 'tsp'],
  ['teaspoons', 'tsp'],
  ['tbsp', 'tbsp'],
  ['g', 'g'],
  ['kg', 'kg'],
  ['ml', 'ml'],
  ['l', 'l'],
]);

/** Fractions that are one character. */
const FRACTIONS = { '¼': 1 / 4, '½': 1 / 2, '¾': 3 / 4, '⅓': 1 / 3, '⅔': 2 / 3, '⅛': 1 / 8 };

/** Takes the amount off the front of a line: `[amount, rest]`, the amount null when there is none. */
function takeAmount(line) {
  const fraction = /^(?:(\d+)\s+)?(\d+)\/(\d+)\s*/.exec(line);
  if (fraction) {
    const [all, whole = '0', above, below] = fraction;
    return [Number(whole) + Number(above) / Number(below), line.slice(all.length)];
  }

  const single = /^(\d*)\s*([¼½¾⅓⅔⅛])\s*/.exec(line);
  if (single) {
    const [all, whole, character] = single;
    return [Number(whole) + FRACTIONS[character], line.slice(all.length)];
  }

  const decimal = /^\d+(?:\.\d+)?\s*/.exec(line);
  if (decimal) return [Number(decimal[0]), line.slice(decimal[0].length)];

  return [null, line];
}

/**
 * Reads a line of a recipe such as '1 1/2 cups flour'. Unit and amount may be
 * missing; the name is kept as it was written.
 *
 * @returns {{ amount: number | null, unit: string | null, name: string }}
 */
export function parseIngredient(line) {
  const [amount, rest] = takeAmount(line.trim());
  const [first, ...others] = rest.split(/\s+/);
  const unit = amount === null ? undefined : UNITS.get(first.toLowerCase());
  if (unit === undefined || others.length === 0) return { amount, unit: null, name: rest };
  return { amount, unit, name: others.join(' ') };
}

/** The ingredient for `factor` times the portions. */
export function scale(ingredient, factor) {
  if (ingredient.amount === null) return ingredient;
  return { ...ingredient, amount: ingredient.amount * factor };
}
