import { sliced, suites } from './test-suites.mjs';

const names = suites.map((suite) => suite.name);
const onRequest = suites.filter((suite) => suite.isOnRequest === true).map((suite) => suite.name);
const everything = 'all';

export const testHelp = `npm test [-- all | SUITE… | --setup-system]

Runs what to run before you send a change: types, lint, unit tests, and a slice of every real part: a container, an
engine, a window, a fault. It takes some minutes.

  all             everything but ${onRequest.join(' ')}; about 45 minutes. CI=true means this
  SUITE…          these suites, whole: ${names.join(' ')}
  --setup-system  install missing Debian packages, start the Docker engine and build an Ollama server for the tests,
                  once and for some minutes (with CI=true: always)
  --help          this text

With CI=true, anything missing except a graphics card is a failure. Otherwise, suites that need it are skipped, with the reason.
Example: npm test -- unit contracts`;

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ok: true, isHelp: boolean, chosen: ReturnType<typeof sliced>, mayChangeSystem: boolean, isStrict: boolean}
 *   | {ok: false, message: string}}
 */
export function parseTestOptions(args, env) {
  const flags = args.filter((arg) => arg.startsWith('-'));
  const wanted = args.filter((arg) => !arg.startsWith('-'));
  const unknownFlag = flags.find((flag) => !['--setup-system', '--help', '-h'].includes(flag));
  if (unknownFlag) return { ok: false, message: `unknown option ${unknownFlag}\n\n${testHelp}` };
  const unknown = wanted.find((name) => name !== everything && !names.includes(name));
  if (unknown !== undefined) {
    return {
      ok: false,
      message: `unknown suite "${unknown}"; the nearest is "${nearest(unknown)}" of: ${names.join(' ')}, or ${everything}`,
    };
  }
  const isStrict = env.CI === 'true';
  return {
    ok: true,
    isHelp: flags.includes('--help') || flags.includes('-h'),
    chosen: chosenOf(wanted, isStrict),
    mayChangeSystem: isStrict || flags.includes('--setup-system'),
    isStrict,
  };
}

/** @param {readonly string[]} wanted @param {boolean} isStrict */
function chosenOf(wanted, isStrict) {
  if (wanted.length === 0 && !isStrict) return sliced();
  const isAll = wanted.length === 0 || wanted.includes(everything);
  return suites.filter(({ name, isOnRequest }) => wanted.includes(name) || (isAll && !isOnRequest));
}

/** @param {string} word */
function nearest(word) {
  return [everything, ...names].map((name) => ({ name, far: distance(word, name) })).sort((a, b) => a.far - b.far)[0]
    ?.name;
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
