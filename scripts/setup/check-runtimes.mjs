/**
 * @typedef {{id: string, what: string, published: string, fixed: Record<string, readonly string[]>}} Hole
 *   `fixed`: the first good version of each release line, oldest line first, for `node` and `electron`
 * @typedef {{checked: string, holes: readonly Hole[], released: Record<string, string>, excused: readonly {package: string, hole: string, why: string}[]}} Facts
 *   `checked`: when somebody last looked for new holes and versions
 */

const dayMs = 24 * 60 * 60 * 1000;
const longSinceCheckDays = 60;

/**
 * Compares the pinned runtimes with the holes that are known. It asks nobody, so it knows what the data says.
 * @param {Record<string, string>} pins versions by package
 * @param {Facts} facts
 * @param {Date} now
 * @returns {{lines: readonly string[], ok: boolean}}
 */
export function checkRuntimes(pins, facts, now) {
  const days = (/** @type {string} */ date) => Math.floor((now.getTime() - Date.parse(date)) / dayMs);
  const problems = [];
  const rows = [];
  for (const [name, version] of Object.entries(pins)) {
    const date = facts.released[`${name}@${version}`];
    if (date === undefined) problems.push(`The date of ${name} ${version} is missing in runtime-facts.json.`);
    const open = facts.holes.filter((hole) => hasHole(version, hole.fixed[name === 'electron' ? 'electron' : 'node']));
    const notes = open.map((hole) => {
      const excuse = facts.excused.find((one) => one.package === name && one.hole === hole.id);
      if (excuse === undefined) problems.push(`${name} ${version} has ${hole.id}: ${hole.what}.`);
      return `${hole.id}${excuse === undefined ? '' : `, excused: ${excuse.why}`}`;
    });
    const age = date === undefined ? 'age unknown' : `${days(date)} days old`;
    rows.push(`${name} ${version}: ${age}; ${notes.join('; ') || 'no known hole'}`);
    for (const { hole } of facts.excused.filter((one) => one.package === name)) {
      if (!open.some(({ id }) => id === hole))
        problems.push(`${name} ${version} no longer needs its excuse for ${hole}.`);
    }
  }
  const since = days(facts.checked);
  const last = `Holes and versions were last looked up on ${facts.checked}, ${since} days ago.`;
  const late = since > longSinceCheckDays ? ' That is long ago: look again, and write the date.' : '';
  return { lines: [...rows, ...problems, `${last}${late}`], ok: problems.length === 0 };
}

/**
 * A version is good from the fix of its own release line on, or if its line is newer than all that were fixed. A line
 * between them got no fix.
 * @param {string} version @param {readonly string[]} [fixed] absent: that runtime does not have the hole
 */
export function hasHole(version, fixed = []) {
  const own = numbersOf(version);
  const line = fixed.map(numbersOf).find(([major]) => major === own[0]);
  if (line !== undefined) return isBelow(own, line);
  return fixed.length > 0 && own[0] < Math.max(...fixed.map((one) => numbersOf(one)[0]));
}

/** @param {string} version */
function numbersOf(version) {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return [major, minor, patch];
}

/** @param {readonly number[]} left @param {readonly number[]} right */
function isBelow(left, right) {
  const at = left.findIndex((part, index) => part !== right[index]);
  return at !== -1 && left[at] < right[at];
}
