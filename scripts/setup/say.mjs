// Messages of the set-up. All of them go to stderr: stdout belongs to the program that starts afterwards, whose
// `--json` must stay clean.

/** @param {string} text one line for the user who waits */
export function say(text) {
  process.stderr.write(`dewpoint: ${text}\n`);
}

/**
 * Same as `src/shared/text/size-text.ts`, which cannot be imported before packages are installed. @param {number} bytes
 */
export function sizeText(bytes) {
  if (bytes < 999.5) return `${Math.round(bytes)} B`;
  if (bytes < 999_950) return `${(bytes / 1e3).toFixed(1)} kB`;
  if (bytes < 999_500_000) return `${Math.round(bytes / 1e6)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** @param {number} startedMs a value of Date.now() @returns {string} whole seconds since then */
export function sinceText(startedMs) {
  return `${Math.max(1, Math.round((Date.now() - startedMs) / 1000))} s`;
}
