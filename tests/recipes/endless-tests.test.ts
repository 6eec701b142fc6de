import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { endlessTests } from '../../src/main/lib/endless/endless-tests.ts';
import { lateMark, watchedCommand } from '../../src/main/lib/endless/watch-script.ts';
import fixFailingTests from '../../src/main/recipes/fix-failing-tests.recipe.ts';
import { createJudge } from '../../src/main/recipes/fix/judge/judge-candidate.ts';
import { makeHarness } from '../main/recipes/fakes/recipe-context.ts';

// Each of these ran for as long as the whole command could, and said nothing.
vi.setConfig({ testTimeout: 120_000 });

const packages = resolve(import.meta.dirname, '../../node_modules');
const vitest = 'node node_modules/vitest/vitest.mjs run';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function watched(files: Readonly<Record<string, string>>, command: string, limitSeconds = 60) {
  const cwd = await mkdtemp(join(tmpdir(), 'endless-'));
  folders.push(cwd);
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  await symlink(packages, join(cwd, 'node_modules'));
  const script = watchedCommand(command, { patienceSeconds: 1, limitSeconds });
  // A test of Node inside one of Node would report to it.
  const own = /^(?:NODE_TEST_CONTEXT|NODE_OPTIONS|NODE_ENV|VITEST.*|TEST|FORCE_COLOR)$/u;
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name))),
    CI: '1',
    NO_COLOR: '1',
  };
  return new Promise<{ code: number; output: string; where: readonly string[] }>((resolve) => {
    const child = execFile('sh', ['-c', script], { cwd, env }, (error, stdout, stderr) => {
      const output = `${stdout}\n${stderr}`;
      const code = typeof error?.code === 'number' ? error.code : 0;
      resolve({ code, output, where: endlessTests(output).map(({ name, where }) => `${name}: ${where}`) });
    });
    child.stdin?.end();
  });
}

const loops = { 'spin.py': 'def spin(n):\n    while n != 0:\n        n = (n + 1) % 7 + 1\n' };

test('pytest goes on after tests that hang in a function, a fixture, a lock, a coroutine and a program', async () => {
  const text = `import asyncio, subprocess, sys, threading
import pytest
from spin import spin
def test_good(): pass
def test_spin(): spin(3)
@pytest.fixture
def slow():
    threading.Event().wait()
def test_fixture(slow): pass
def test_lock():
    lock = threading.Lock(); lock.acquire(); lock.acquire()
async def inner():
    await asyncio.Event().wait()
def test_async(): asyncio.run(inner())
def test_child(): subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE).wait()
def test_last(): assert 1 == 2
`;
  const { output, where, code } = await watched({ ...loops, 'test_all.py': text }, 'python3 -m pytest -q');
  expect(where.map((one) => one.replace(/line \d+/u, 'line N'))).toEqual([
    expect.stringMatching(/test_spin: It stands in spin\.py, line N, in spin\./),
    expect.stringMatching(/test_fixture: It stands in test_all\.py, line N, in slow\./),
    expect.stringMatching(/test_lock: It stands in test_all\.py, line N, in test_lock\./),
    expect.stringMatching(/test_async: It stands in test_all\.py, line N, in inner\./),
    expect.stringMatching(/test_child: It stands in test_all\.py, line N, in test_child\./),
  ]);
  expect(output).toMatch(/5 failed, 1 passed, 1 error/);
  expect(code).toBe(1);
});

// It ended with 190 where the question came just before its end.
test('Python that is asked where it stands while it ends keeps its exit code', async () => {
  const text = `import os
class Late:
    def __del__(self, kill=os.kill, pid=os.getpid()): kill(pid, 62)
late = Late()
`;
  const { code } = await watched({ 'late.py': text }, 'python3 late.py');
  expect(code).toBe(0);
});

test('unittest names an import that hangs, and a thread that keeps the program from its end', async () => {
  const files = {
    'test_import.py': 'import unittest\nx = 0\nwhile x < 1:\n    x = x * 2\n',
    'test_thread.py': `import threading, unittest
class Test(unittest.TestCase):
    def test_it(self):
        threading.Thread(target=lambda: threading.Event().wait()).start()
`,
  };
  const { where, code, output } = await watched(files, 'python3 -m unittest -v');
  expect(where[0]).toMatch(/^the import of test_import: It stands in test_import\.py, line [34], in <module>\./);
  expect(where[1]).toMatch(/^the program after its tests: A thread stands in test_thread\.py, line 4/);
  expect(output).toMatch(/Ran 2 tests/);
  expect(code).not.toBe(0);
});

test('child processes that a test forks end after the test, and run no other test', async () => {
  const text = `import os, time
def test_children():
    for _ in range(2):
        if os.fork() == 0:
            while True: time.sleep(100)
    os.wait()
def test_last():
    with open("ran", "a") as ran: ran.write("x")
`;
  const { where, output } = await watched({ 'test_all.py': text }, 'python3 -m pytest -q; cat ran; echo .');
  expect(where).toEqual([
    expect.stringMatching(/test_children: It stands in test_all\.py, line 6, in test_children\./),
  ]);
  expect(output).toMatch(/1 failed, 1 passed/);
  expect(output).toMatch(/^x\.$/m);
});

test('a loop that catches every error is ended, and its place is known', async () => {
  const text = 'def test_it():\n    while True:\n        try:\n            pass\n        except BaseException: pass\n';
  const { where } = await watched({ 'test_it.py': text }, 'python3 -m pytest -q');
  expect(where[0]).toMatch(/test_it\.py::test_it: It stands in test_it\.py, line \d, in test_it\./);
});

test('node names the test that spins and where, and the file that waits, and runs the others', async () => {
  const start = "const test = require('node:test');\n";
  const files = {
    'a.test.js': `${start}function spin(n) { while (n !== 0) n = ((n + 1) % 7) + 1; }\ntest('spins', () => spin(3));\ntest('spins again', () => spin(4));\ntest('after', () => {});\n`,
    'b.test.js': `${start}test('waits', async () => { setInterval(() => {}, 1000); await new Promise(() => {}); });\n`,
    'c.test.js': `${start}test('is good', () => {});\n`,
  };
  const { where, output } = await watched(files, 'node --test');
  // The second one stands in the same function as the first, and is broken off by itself.
  expect(where.toSorted()).toEqual([
    'a.test.js > spins again: It stands in a.test.js, line 2, in spin.',
    'a.test.js > spins: It stands in a.test.js, line 2, in spin.',
    'b.test.js: It waits for something that does not come.',
  ]);
  expect(output).toMatch(/pass 2/);
  expect(output).toMatch(/Error \[DoesNotEndError\]: it does not end\n\s+at spin/);
});

const fromVitest = "import { test, expect } from 'vitest';\n";

test.each(['forks', 'threads'])('vitest goes on after a loop, in %s', async (pool) => {
  const files = {
    'spin.ts':
      'export interface Any {\n  n: number;\n}\nexport function spin(n: number): number {\n  while (n !== 0) {\n    n = ((n + 1) % 7) + 1;\n  }\n  return n;\n}\n',
    'a.test.ts': `${fromVitest}import { spin } from './spin';\ntest('good', () => {});\ntest('spins', async () => { await 1; expect(spin(3)).toBe(0); });\ntest('last', () => expect(1).toBe(2));\n`,
    'b.test.ts': `${fromVitest}test('other', () => {});\n`,
  };
  const { where, output, code } = await watched(files, `${vitest} --pool=${pool}`);
  expect(where).toEqual([expect.stringMatching(/^a\.test\.ts > spins: It stands in spin\.ts, line [56], in spin\./)]);
  expect(output).toMatch(/DoesNotEndError.*: it does not end/);
  expect(output).toMatch(/2 failed.*2 passed/);
  expect(code).toBe(1);
});

test('vitest names an import that waits, and an endless loop', async () => {
  const files = {
    'a.test.ts': `${fromVitest}await new Promise(() => {});\ntest('never', () => {});\n`,
    'b.test.ts': `${fromVitest}test('empty', () => { for (;;) {} });\ntest('good', () => {});\n`,
  };
  const { where } = await watched(files, `${vitest} --pool=forks`, 90);
  expect(where.toSorted()).toEqual([
    expect.stringMatching(/^b\.test\.ts > empty: It stands in b\.test\.ts, line 2/),
    expect.stringMatching(/^the import of a\.test\.ts: It waits for something that does not come\./),
  ]);
});

test('a program that a test waits for is named, and ended with the test', async () => {
  const text = `const { execSync } = require('node:child_process');\nexecSync('sleep 971; true');\n`;
  const { where } = await watched({ 'a.test.js': text, 'b.test.js': '' }, 'node --test');
  expect(where[0]).toMatch(/^a\.test\.js: It waits for the program \/bin\/sh -c sleep 971; true\./);
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toMatch(/^sleep 971$/m);
});

test('pytest names code that is not Python', async () => {
  const text = 'import itertools\ndef test_good(): pass\ndef test_total():\n    sum(itertools.repeat(0))\n';
  const { where } = await watched({ 'test_all.py': text }, 'python3 -m pytest -q');
  expect(where[0]).toMatch(
    /test_all\.py::test_total: It stands in .*test_all\.py, line 4, in test_total, in code that/,
  );
});

test('a command that is no test runs to its limit, and its place is named', async () => {
  const files = { 'serve.py': 'import time\nwhile True:\n    time.sleep(60)\n' };
  const { where, code, output } = await watched(files, 'python3 serve.py', 3);
  expect(where).toEqual(['the command: It stands in serve.py, line 3, in <module>.']);
  expect(output).toContain(lateMark);
  expect(code).toBe(124);
});

test('a search for a repair tells a failing change from an endless one, and tries both quickly', async () => {
  const files = {
    ...loops,
    'add.py': 'def add(a, b):\n    return a - b\n',
    'test_both.py':
      'from add import add\nfrom spin import spin\ndef test_spin(): spin(3)\ndef test_add(): assert add(1, 2) == 3\ndef test_good(): pass\n',
  };
  const command = 'python3 -m pytest -q';
  const harness = await makeHarness({ files, task: 'Fix it.', command });
  try {
    const judge = await createJudge(harness.context, command);
    const { report, durationMs } = judge?.baseline() ?? { report: null, durationMs: Infinity };
    expect(report?.failures.map(({ errorName }) => errorName)).toEqual(['DoesNotEndError', 'AssertionError']);
    expect(report?.failures[0]?.frames.at(-1)?.path).toBe('spin.py');
    expect(durationMs).toBeLessThan(5_000);
    const change = { origin: 'mechanical' as const, label: 'a + b', span: null };
    const verdicts = await judge?.try(
      [{ ...change, files: [{ path: 'add.py', text: 'def add(a, b):\n    return a + b\n' }] }],
      { stopAfter: 1, totalSeconds: 30 },
    );
    expect(verdicts?.[0]).toMatchObject({ type: 'partial', gained: 1 });
  } finally {
    await harness.dispose();
  }
});

// Each of twenty tries took the whole limit.
test('a check that times out without naming a test is not repeated', async () => {
  const harness = await makeHarness({ files: { 'a.py': 'x = 1\n' }, task: 'Fix it.', command: 'exit 124' });
  try {
    const outcome = await fixFailingTests.run(harness.context);
    expect(outcome).toMatchObject({ type: 'gave-up', reason: expect.stringMatching(/^The check does not end/) });
  } finally {
    await harness.dispose();
  }
});
