import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { endlessTests } from '../../src/main/lib/endless/endless-tests.ts';
import { lateMark, watchedCommand } from '../../src/main/lib/endless/watch-script.ts';
import { createJudge } from '../../src/main/recipes/fix/judge/judge-candidate.ts';
import { makeHarness } from '../main/recipes/fakes/recipe-context.ts';

// Each of these ran for as long as the whole command could, and said nothing.
vi.setConfig({ testTimeout: 120_000 });

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function watched(files: Readonly<Record<string, string>>, command: string, limitSeconds = 60) {
  const cwd = await mkdtemp(join(tmpdir(), 'endless-'));
  folders.push(cwd);
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  const script = watchedCommand(command, { patienceSeconds: 1, limitSeconds });
  // A test of Node inside one of Node would report to it.
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...env } = process.env;
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

test('a loop that catches every error is ended, and its place is known', async () => {
  const text = 'def test_it():\n    while True:\n        try:\n            pass\n        except BaseException: pass\n';
  const { where } = await watched({ 'test_it.py': text }, 'python3 -m pytest -q');
  expect(where[0]).toMatch(/test_it\.py::test_it: It stands in test_it\.py, line \d, in test_it\./);
});

test('node names the file that spins and where, and the file that waits, and runs the others', async () => {
  const start = "const test = require('node:test');\n";
  const files = {
    'a.test.js': `${start}function spin(n) { while (n !== 0) n = ((n + 1) % 7) + 1; }\ntest('spins', () => spin(3));\n`,
    'b.test.js': `${start}test('waits', async () => { setInterval(() => {}, 1000); await new Promise(() => {}); });\n`,
    'c.test.js': `${start}test('is good', () => {});\n`,
  };
  const { where, output } = await watched(files, 'node --test');
  expect(where[0]).toMatch(/^a\.test\.js: It stands in .*a\.test\.js, line 2, in spin\./);
  expect(where[1]).toMatch(/^b\.test\.js:/);
  expect(output).toMatch(/pass 1/);
});

test('a command that is no test runs to its limit, and its place is named', async () => {
  const files = { 'serve.py': 'import time\nwhile True:\n    time.sleep(60)\n' };
  const { where, code, output } = await watched(files, 'python3 serve.py', 3);
  expect(where).toEqual(['the command: It stands in serve.py, line 3, in <module>.']);
  expect(output).toContain(lateMark);
  expect(code).toBe(124);
});

test('a search for a repair tells apart what fails and what does not end, and tries a change in the time of the others', async () => {
  const files = {
    ...loops,
    'add.py': 'def add(a, b):\n    return a - b\n',
    'test_both.py':
      'from add import add\nfrom spin import spin\ndef test_spin(): spin(3)\ndef test_add(): assert add(1, 2) == 3\ndef test_good(): pass\n',
  };
  const command = 'python3 -m pytest -q';
  const harness = await makeHarness({ files, task: 'Fix it.', command });
  try {
    const judge = await createJudge({ ...harness.context, conduct: 7 }, command);
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
