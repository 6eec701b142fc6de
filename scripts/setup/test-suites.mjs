/**
 * The suites in the order they run: quick ones first, so that a mistake shows early.
 * - `check`: programs of node_modules that pass or fail as one; without it, the Vitest project of the same name runs
 * - `needs`: what must be there before the suite starts, see needs.mjs
 * - `mayLack`: the one need whose absence is no failure even in CI, because no set-up can provide it
 * - `minutes`: a suite that takes longer is taken as hung and killed
 * - `isOnRequest`: runs only if it is named
 * - `runsAgain`: up to five failed files are run once more, and named if they pass then. For suites that depend on
 *   windows, containers, engines, programs or a busy machine.
 * @type {readonly {name: string, minutes: number, needs: readonly string[], mayLack?: string, isOnRequest?: boolean, runsAgain?: boolean, check?: readonly (readonly string[])[]}[]}
 */
export const suites = [
  { name: 'typecheck', minutes: 3, needs: [], check: [['typescript/bin/tsc', '--noEmit']] },
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
  { name: 'unit', minutes: 10, runsAgain: true, needs: [] },
  { name: 'contracts', minutes: 12, runsAgain: true, needs: [] },
  { name: 'recipes', minutes: 5, runsAgain: true, needs: ['pytest'] },
  { name: 'docker', minutes: 20, runsAgain: true, needs: ['build', 'docker', 'image', 'podman', 'rootless'] },
  { name: 'hostile', minutes: 16, runsAgain: true, needs: ['build', 'docker', 'image', 'chromium'] },
  {
    name: 'keyring',
    minutes: 4,
    runsAgain: true,
    needs: ['build', 'docker', 'image', 'keyring', 'electron', 'display'],
  },
  {
    name: 'engines',
    minutes: 20,
    runsAgain: true,
    needs: [
      'build',
      'model:llama-cpp/smollm2-135m-instruct',
      'ollama',
      'llama-server',
      // The smallest model that calls tools, for the server.
      'model:llama-cpp/qwen2.5-coder-0.5b-instruct',
    ],
  },
  {
    name: 'gpu',
    minutes: 10,
    needs: ['card', 'build', 'card-library', 'model:llama-cpp/smollm2-135m-instruct'],
    mayLack: 'card',
  },
  {
    name: 'faults',
    minutes: 25,
    runsAgain: true,
    needs: ['build', 'docker', 'image', 'model:llama-cpp/smollm2-135m-instruct'],
  },
  {
    name: 'proofs',
    minutes: 90,
    needs: ['build', 'docker', 'image', 'model:llama-cpp/smollm2-135m-instruct', 'electron', 'display'],
    isOnRequest: true,
  },
  {
    name: 'electron',
    minutes: 25,
    runsAgain: true,
    needs: ['build', 'electron', 'display', 'model:llama-cpp/smollm2-135m-instruct'],
  },
  {
    name: 'e2e',
    minutes: 20,
    runsAgain: true,
    needs: ['build', 'docker', 'image', 'model:llama-cpp/qwen2.5-coder-1.5b-instruct', 'electron', 'display'],
  },
];
