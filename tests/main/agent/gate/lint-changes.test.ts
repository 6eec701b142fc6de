import { describe, expect, it } from 'vitest';
import { newFindings, parseLint } from '../../../../src/main/agent/gate/parse-lint-output.ts';
import type { MemoryExecHandler } from '../../../fakes/sandbox/memory-sandbox.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import type { AgentKit, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const files = { 'calc.py': 'def add(a, b):\n    return a - b\n', '.flake8': '[flake8]\n' };
const look = call('read_file', { path: 'calc.py' });
const fix = call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
const done = call('task_complete', { summary: 'It adds now.' });
const old = 'calc.py:1:1: E302 expected 2 blank lines, found 0\n';
const added = 'calc.py:4:9: F841 local variable x is assigned to but never used\n';

type Played = ReturnType<MemoryExecHandler>;

/** A sandbox in which every command succeeds, and the linter gives the scripted results in order. */
function kitOf(lints: readonly Played[], replies: readonly Reply[] = [look, fix, done], more = files): AgentKit {
  let asked = 0;
  const exec: MemoryExecHandler = ({ command }) => {
    if (!/flake8|npm run/u.test(command)) return { exitCode: 0 };
    asked += 1;
    return lints[asked - 1] ?? { exitCode: 0 };
  };
  return createAgentKit({ replies, sandbox: { files: more, exec } });
}

async function endOf(kit: AgentKit): Promise<string | null> {
  const { reason, confidence } = await kit.runner.send('Fix add().', turnOptions);
  await expectReplay(kit);
  return `${reason} ${confidence}`;
}

const checks = (kit: AgentKit): readonly string[] =>
  ofType(kit.journal.events, 'gate-checked').map(({ by, verdict, text }) => `${by} ${verdict} ${text}`);
const lintRuns = (kit: AgentKit): readonly string[] =>
  kit.sandbox.commands.filter((command) => command.includes('flake8)'));

describe('the lint of the project before the end of a turn', () => {
  it('objects once with the new findings and their lines, and then sees them mended', async () => {
    const kit = kitOf(
      [{ exitCode: 1, stdout: old + added }, { exitCode: 1, stdout: old }, { exitCode: 0 }],
      [look, fix, done, call('edit_file', { path: 'calc.py', old: 'a + b', new: 'b + a' }), done],
    );
    expect(await endOf(kit)).toBe('done unchecked');
    const [objection, ...others] = ofType(kit.journal.events, 'gate-checked');
    expect(others).toEqual([]);
    expect(objection).toMatchObject({
      by: 'lint',
      verdict: 'redo',
      findings: [{ code: 'lint', path: 'calc.py', text: `calc.py:4: ${added.slice(13).trim()}` }],
    });
    expect(JSON.stringify(kit.requests[3]?.messages.at(-1))).toContain('calc.py:4: F841');
    expect(JSON.stringify(kit.requests[3]?.messages)).not.toContain('E302');
    expect(lintRuns(kit)[0]).toMatch(/-- 'calc\.py'$/u);
    expect(lintRuns(kit)).toHaveLength(3);
  });

  it('does not object twice, and ignores earlier findings', async () => {
    const worse = [{ exitCode: 1, stdout: added }, { exitCode: 0 }] as const;
    const stays = kitOf([...worse, ...worse], [look, fix, done, done]);
    expect(await endOf(stays)).toBe('done unchecked');
    expect(checks(stays)).toHaveLength(1);
    const same = kitOf([
      { exitCode: 1, stdout: old },
      { exitCode: 1, stdout: old.replace(':1:1:', ':7:1:') },
    ]);
    expect(await endOf(same)).toBe('done unchecked');
    expect(checks(same)).toEqual([]);
  });

  it.each<[string, Played, RegExp]>([
    ['is missing', { exitCode: 1, stderr: '/usr/bin/python3: No module named flake8' }, /not installed/u],
    ['falls over', { exitCode: 2, stderr: 'Traceback (most recent call last):' }, /ended with 2/u],
    ['takes too long', { outcome: 'timed-out', exitCode: null }, /longer than 60 s/u],
  ])('is reported as not done, and delays nothing, when it %s', async (_how, played, said) => {
    const kit = kitOf([played]);
    expect(await endOf(kit)).toBe('done unchecked');
    expect(checks(kit)).toEqual([expect.stringMatching(said)]);
    expect(checks(kit)[0]).toMatch(/^lint none /u);
  });

  it('costs nothing when the project declares none', async () => {
    const { '.flake8': _left, ...bare } = files;
    const kit = createAgentKit({ replies: [look, fix, done], sandbox: { files: bare } });
    expect(await endOf(kit)).toBe('done unchecked');
    expect(ofType(kit.journal.events, 'tool-started').map(({ tool }) => tool)).not.toContain('lint_changes');
    expect(kit.sandbox.commands).toEqual([]);
  });
});

describe('the lint of the project after a recipe', () => {
  const recipe = defineRecipe({
    id: 'r',
    label: 'R',
    fits: () => ({ score: 1, reason: 'it fits' }),
    run: async ({ world }) => {
      await world.read('calc.py');
      await world.apply([{ path: 'calc.py', text: files['calc.py'].replace('a - b', 'a + b') }]);
      return { type: 'done', text: 'It adds now.', confidence: 'high' };
    },
  });
  const endWith = async (lints: readonly Played[]) => {
    let asked = 0;
    const exec: MemoryExecHandler = ({ command }) => {
      if (!command.includes('flake8')) return { exitCode: 0 };
      asked += 1;
      return lints[asked - 1] ?? { exitCode: 0 };
    };
    const kit = createAgentKit({ model: { strategies: ['recipe'] }, recipes: [recipe], sandbox: { files, exec } });
    const { reason, text, confidence } = await kit.runner.send('Fix add().', turnOptions);
    await expectReplay(kit);
    return { reason, confidence, text, checks: checks(kit).length };
  };

  it('is reported with the end, and only for new findings', async () => {
    const worse = await endWith([{ exitCode: 1, stdout: added }, { exitCode: 0 }]);
    expect(worse).toMatchObject({ reason: 'done', confidence: 'high', checks: 1 });
    expect(worse.text).toMatch(/^It adds now\.\n\nThe project's own lint finds .*\n- calc\.py:4: F841/u);
    const same = await endWith([
      { exitCode: 1, stdout: old },
      { exitCode: 1, stdout: old },
    ]);
    expect(same).toEqual({ reason: 'done', confidence: 'high', text: 'It adds now.', checks: 0 });
  });
});

describe('the output of linters', () => {
  it.each([
    [
      'ruff, flake8',
      '/c/a.py:3:1: F401 `os` imported but unused\nFound 1 error.',
      'a.py:3 F401 `os` imported but unused',
    ],
    ['tsc', 'src/a.ts(4,7): error TS2322: No.\n', 'src/a.ts:4 error TS2322: No.'],
    [
      'eslint',
      '\n/c/src/a.js\n  1:5  error    No a  no-unused-vars\n  2:1  warning  Hm  semi\n\n✖ 2 problems\n',
      'src/a.js:1 No a no-unused-vars',
    ],
    [
      'oxlint',
      '\n  × eslint(no-debugger): Not here\n   ╭─[src/a.js:2:1]\n 1 │ x\n   ╰────\n',
      'src/a.js:2 eslint(no-debugger): Not here',
    ],
    ['biome', 'src/a.js:2:1 lint/suspicious/noDebugger  FIXABLE  ━━━━━━\n', 'src/a.js:2 lint/suspicious/noDebugger'],
  ])('is understood for %s', (_name, output, found) => {
    expect(parseLint(output, '/c').map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual([found]);
  });

  it('is new when it has more findings than before', () => {
    const one = { path: 'a.py', line: 3, text: 'E501 line too long (90 > 79)' };
    const moved = { ...one, line: 9, text: 'E501 line too long (95 > 79)' };
    expect(newFindings([one], [moved])).toEqual([]);
    expect(newFindings([one], [one, moved])).toEqual([moved]);
    expect(newFindings([one], [{ ...one, path: 'b.py' }])).toHaveLength(1);
  });
});
