import { mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { modelPath } from '../engines/support.ts';
import { createProgram, node, ofType } from './program.ts';

const model = 'smollm2-135m-instruct';

/**
 * Runs a program in a network namespace without any route, not even to this machine, and writes the kernel's counters.
 * Every attempt of any process in it to reach an address, including name servers, is counted as one without a route.
 */
const alone = (counters: string): readonly string[] => [
  'unshare',
  process.getuid?.() === 0 ? '-n' : '-rn',
  'sh',
  '-c',
  `"$@"; code=$?; cat /proc/net/snmp > "${counters}"; exit $code`,
  'sh',
];

async function attempts(counters: string): Promise<number> {
  const [names = [], values = []] = (await readFile(counters, 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('Ip:'))
    .map((line) => line.split(' '));
  const at = names.indexOf('OutNoRoutes');
  if (at === -1) throw new Error('The system does not count what has no route.');
  return Number(values[at]) + Number(values[names.indexOf('OutRequests')]);
}

describe.skipIf(isWithoutEngine)('a task with a local model', () => {
  it('is done without one attempt to reach anything, even on this machine', async () => {
    await using program = await createProgram({
      'sum.mjs': 'export function sum(a, b) {\n  return a - b;\n}\n',
      'sum.test.mjs':
        "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.mjs';\n\ntest('adds', () => assert.equal(sum(1, 2), 3));\n",
    });
    const models = join(program.folder, 'cache', 'models');
    await mkdir(models, { recursive: true });
    await symlink(modelPath(model), join(models, basename(modelPath(model))));
    await program.settings({ local: `llama-cpp/${model}` });
    const counters = join(program.folder, 'counters');
    const under = alone(counters);
    const check = ['--check', 'node --test'];

    const fixed = await program.startTask('A test fails. Find the bug and fix it.', check, { under }).ended;
    expect({ code: fixed.code, stderr: fixed.stderr }).toMatchObject({ code: 0 });
    expect(await program.text('sum.mjs')).toContain('a + b');
    expect(await attempts(counters)).toBe(0);

    const answered = await program.startTask('What does the function sum return?', [], { under }).ended;
    expect({ code: answered.code, stderr: answered.stderr }).toMatchObject({ code: 0 });
    const calls = ofType(answered.events, 'model-call-ended');
    expect(calls.map(({ error, usage }) => [error, usage.output > 0])).toEqual([[null, true]]);
    expect(await attempts(counters)).toBe(0);

    // Proves that such attempts are counted, including those to a name server. Otherwise the zero above could mean
    // nothing.
    const lookUp = "require('node:dns').resolve4('example.com', () => undefined)";
    const connect = "require('node:net').connect(9, '192.0.2.1').on('error', () => undefined)";
    for (const script of [lookUp, connect]) {
      await program.run([], { under: [...under, node, '-e', script, '--'] });
      expect(await attempts(counters)).toBeGreaterThan(0);
    }
  }, 240_000);
});
