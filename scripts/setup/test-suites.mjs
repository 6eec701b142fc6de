/**
 * The suites in the order they run: quick ones first, so that a mistake shows early.
 * - `check`: programs of node_modules that pass or fail as one; without it, the Vitest project of the same name runs
 * - `needs`: what must be there before the suite starts, see needs.mjs. A suite sees no more of the cache than this.
 * - `slice`: the files that run where only a part is wanted, and what those need. Null: none of it. Absent: all of it.
 * - `mayLack`: the one need whose absence is no failure even in CI, because no set-up can provide it
 * - `minutes`: a suite that takes longer is taken as hung and killed
 * - `isOnRequest`: runs only if it is named
 * @typedef {{name: string, minutes: number, needs: readonly string[], slice?: {files: readonly string[], needs: readonly string[]} | null, mayLack?: string, isOnRequest?: boolean, check?: readonly (readonly string[])[]}} Suite
 * @type {readonly Suite[]}
 */
export const suites = [
  {
    name: 'typecheck',
    minutes: 3,
    needs: [],
    // Each layer by itself, then the tests, the benchmarks and what they import.
    check: ['src/shared', 'src/preload', 'src/renderer', 'src/main', '.'].map((path) => [
      'typescript/bin/tsc',
      '-p',
      path,
    ]),
  },
  {
    name: 'lint',
    minutes: 4,
    needs: [],
    check: [
      ['oxlint/bin/oxlint', '-c', 'oxlint.config.mjs', '--deny-warnings'],
      ['oxfmt/bin/oxfmt', '--check', '.'],
    ],
  },
  { name: 'knip', minutes: 3, needs: [], check: [['knip/bin/knip.js']] },
  // The index of documents runs as the built process.
  { name: 'unit', minutes: 20, needs: ['build'] },
  {
    name: 'contracts',
    minutes: 12,
    slice: { files: ['tests/contracts/providers.test.ts', 'tests/contracts/tools.test.ts'], needs: [] },
    needs: [],
  },
  { name: 'recipes', minutes: 8, slice: null, needs: ['pytest'] },
  {
    name: 'docker',
    minutes: 25,
    slice: { files: ['tests/docker/sandbox-commands.test.ts'], needs: ['build', 'docker', 'image'] },
    needs: ['build', 'docker', 'image', 'podman', 'rootless'],
  },
  { name: 'hostile', minutes: 20, slice: null, needs: ['build', 'docker', 'image', 'chromium'] },
  {
    name: 'keyring',
    minutes: 8,
    slice: null,
    needs: ['build', 'docker', 'image', 'keyring', 'electron', 'display'],
  },
  {
    name: 'engines',
    minutes: 20,
    slice: { files: ['tests/engines/llama-cpp.test.ts'], needs: ['build', 'model:llama-cpp/smollm2-135m-instruct'] },
    needs: [
      'build',
      'model:llama-cpp/smollm2-135m-instruct',
      'ollama',
      'llama-server',
      // The smallest model that calls tools, for the server, and the one that it drafts for.
      'model:llama-cpp/qwen2.5-coder-0.5b-instruct',
      'model:llama-cpp/qwen2.5-coder-1.5b-instruct',
    ],
  },
  {
    name: 'gpu',
    minutes: 10,
    slice: null,
    needs: ['card', 'build', 'card-library', 'model:llama-cpp/smollm2-135m-instruct'],
    mayLack: 'card',
  },
  {
    name: 'faults',
    minutes: 30,
    slice: { files: ['tests/faults/log-kill.test.ts'], needs: ['build'] },
    needs: ['build', 'docker', 'image', 'rootless', 'case-blind', 'model:llama-cpp/smollm2-135m-instruct'],
  },
  {
    name: 'proofs',
    minutes: 90,
    slice: null,
    needs: ['build', 'docker', 'image', 'model:llama-cpp/smollm2-135m-instruct', 'electron', 'display', 'chromium'],
    isOnRequest: true,
  },
  {
    name: 'electron',
    minutes: 35,
    slice: { files: ['tests/electron/smoke.test.ts'], needs: ['build', 'electron', 'display'] },
    needs: ['build', 'docker', 'image', 'electron', 'display', 'chromium', 'model:llama-cpp/smollm2-135m-instruct'],
  },
  {
    name: 'e2e',
    minutes: 20,
    slice: null,
    needs: [
      'build',
      'docker',
      'image',
      'keyring',
      'model:llama-cpp/qwen2.5-coder-1.5b-instruct',
      'electron',
      'display',
    ],
  },
];

/**
 * The suites of a quick run: checks, unit tests, and a slice of every real part.
 * @returns {readonly (Suite & {files?: readonly string[]})[]}
 */
export function sliced() {
  return suites.flatMap(({ slice, ...suite }) => {
    if (suite.isOnRequest || slice === null) return [];
    return slice === undefined ? [suite] : [{ ...suite, ...slice }];
  });
}
