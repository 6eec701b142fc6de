/** A row needs a name and a price that is a number. */
export function isValid(row) {
  return typeof row.name === 'string' && row.name.trim() !== '' && Number.isFinite(row.price);
}

/**
 * Saves the valid rows one after the other, in their order: the database takes
 * one write at a time. Resolves, when all of them are written, to
 * {saved, skipped, errors}: two numbers and the messages of failed writes.
 * A failed write does not stop the others.
 *
 * @param {object[]} rows
 * @param {{save(row: object): Promise<void>}} database
 */
export async function importRows(rows, database) {
  const result = { saved: 0, skipped: 0, errors: [] };
  rows.forEach(async (row) => {
    if (!isValid(row)) {
      result.skipped += 1;
      return;
    }
    try {
      await database.save(row);
      result.saved += 1;
    } catch (error) {
      result.errors.push(error.message);
    }
  });
  return { ...result };
}
