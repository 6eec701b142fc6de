import { suites } from './test-suites.mjs';

const names = suites.map((suite) => suite.name);
const onRequest = suites.filter((suite) => suite.isOnRequest === true).map((suite) => suite.name);

export const testHelp = `npm test [-- SUITE… --setup-system]

Runs every suite but ${onRequest.join(' ')}, or only those named: ${names.join(' ')}

  --setup-system  install missing Debian packages, start the Docker engine and build an Ollama server for the tests,
                  once and for some minutes (with CI=true: always)
  --help          this text

With CI=true, anything missing except a graphics card is a failure. Otherwise, suites that need it are skipped, with the reason.
Example: npm test -- unit contracts`;

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ok: true, isHelp: boolean, chosen: readonly string[], mayChangeSystem: boolean, isStrict: boolean}
 *   | {ok: false, message: string}}
 */
export function parseTestOptions(args, env) {
  const flags = args.filter((arg) => arg.startsWith('-'));
  const wanted = args.filter((arg) => !arg.startsWith('-'));
  const unknownFlag = flags.find((flag) => !['--setup-system', '--help', '-h'].includes(flag));
  if (unknownFlag) return { ok: false, message: `unknown option ${unknownFlag}\n\n${testHelp}` };
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return {
      ok: false,
      message: `unknown suite "${unknown}"; the nearest is "${nearest(unknown)}" of: ${names.join(' ')}`,
    };
  }
  const isStrict = env.CI === 'true';
  return {
    ok: true,
    isHelp: flags.includes('--help') || flags.includes('-h'),
    chosen: names.filter((name) => (wanted.length > 0 ? wanted.includes(name) : !onRequest.includes(name))),
    mayChangeSystem: isStrict || flags.includes('--setup-system'),
    isStrict,
  };
}

/** @param {string} word */
function nearest(word) {
  return names.map((name) => ({ name, far: distance(word, name) })).sort((a, b) => a.far - b.far)[0]?.name;
}

/** The Levenshtein distance. @param {string} a @param {string} b */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}
