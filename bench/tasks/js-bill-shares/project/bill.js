/**
 * Splits the bill of a group. All amounts are whole cents.
 *
 * A person is `{ name, heads }`; a family that comes as one has more heads than
 * the usual 1 and pays for each. Every share is rounded down first; the cents
 * that are left over then go to the first people of the list, one cent each.
 *
 * @param {number} total
 * @param {{ name: string, heads?: number }[]} people
 * @returns {number[]} the shares, in the order of the people
 */
export function splitBill(total, people) {
  const heads = people.map((person) => person.heads ?? 1);
  const allHeads = heads.reduce((sum, count) => sum + count, 0);
  return heads.map((count) => Math.round((total * count) / allHeads));
}

/**
 * What each person gets back (more than 0) or still owes (less than 0), by name.
 *
 * @param {{ paidBy: string, cents: number }[]} expenses each was for all people
 */
export function balances(expenses, people) {
  const result = Object.fromEntries(people.map(({ name }) => [name, 0]));
  for (const { paidBy, cents } of expenses) {
    result[paidBy] += cents;
    splitBill(cents, people).forEach((share, index) => {
      result[people[index].name] -= share;
    });
  }
  return result;
}

/** 1205 is shown as 12.05. */
export function formatCents(cents) {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
