// Messages of the set-up. All of them go to stderr: stdout belongs to the program that is started
// afterwards, whose `--json` must stay clean.

/** @param {string} text one line for the person who waits */
export function say(text) {
  process.stderr.write(`dewpoint: ${text}\n`);
}

/** @param {number} bytes @returns {string} for people, in powers of ten */
export function sizeText(bytes) {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(0)} MB`;
  return `${Math.ceil(bytes / 1e3)} kB`;
}

/** @param {number} startedMs a value of Date.now() @returns {string} whole seconds since then */
export function sinceText(startedMs) {
  return `${Math.max(1, Math.round((Date.now() - startedMs) / 1000))} s`;
}
