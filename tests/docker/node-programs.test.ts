import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserAnswer } from '../../src/main/safety/approvals/approver.ts';
import type { KitOptions, Reply } from '../fakes/agent-kit.ts';
import { ofType, turnOptions } from '../fakes/agent-kit.ts';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { readAnnouncement } from '../../src/main/tools/programs/program-announcement.ts';
import { runInSandbox } from '../../src/main/tools/programs/run-in-sandbox.ts';
import type { DockerUnderTest } from './docker-kit.ts';
import { isWithoutEngine, startSandbox } from './docker-kit.ts';
import { endOf, innerOf, program, programScene, replays, type Scene } from './program-kit.ts';

let session: DockerUnderTest;
const loop = { ...turnOptions, mode: 'auto', strategy: 'loop' } as const;
const scene = (replies: readonly Reply[], answer: UserAnswer = 'allow', options: KitOptions = {}): Scene =>
  programScene(session, replies, answer, options);
const script = (text: string, calls: readonly object[] = [], more: object = {}): Reply =>
  program(text, calls, { language: 'javascript', ...more });

/** Runs one program and returns how it ended. */
async function ended(text: string, calls: readonly object[] = [], more: object = {}): Promise<string> {
  const one = scene([script(text, calls, more)]);
  await one.kit.runner.send('Look.', loop);
  await replays(one);
  return endOf(one.kit)?.output ?? '';
}

describe.skipIf(isWithoutEngine)('a program in JavaScript', () => {
  beforeAll(async () => {
    session = await startSandbox();
    for (const name of ['a', 'b', 'c']) await session.put(`${name}.txt`, `${name} one\n${name} two\n`);
    await session.put('helper.mjs', 'export const double = (n) => n * 2;\n');
  }, 120_000);

  afterAll(async () => {
    await session.close();
  });

  it('makes its calls side by side, in the same way as a model', async () => {
    const one = scene([
      script(
        `import { double } from './helper.mjs';
import { readFileSync } from 'node:fs';
const found = await tools.parallel(['a', 'b', 'c'].map((name) => ['read_file', { path: name + '.txt' }]));
await tools.write_file({ path: 'sum.txt', content: String(found.length) });
const prices = (await Promise.all([0, 1, 2].map((id) => tools.shop__look_up({ id })))).map((text) => text.json().price);
console.log('so far so good');
const said = await tools.run_command({ command: 'cat sum.txt; exit 3' });
const result = { lines: found.map((text) => text.split('\\n').length), prices, code: said.exit_code, own: readFileSync('sum.txt', 'utf8'), six: double(3) };`,
        [
          { tool: 'read_file', most: 5, paths: ['*.txt'] },
          { tool: 'write_file', most: 1 },
          { tool: 'shop__look_up', most: 3 },
          { tool: 'run_command', most: 1 },
        ],
      ),
    ]);
    await one.kit.runner.send('Count.', loop);
    const { output, status } = endOf(one.kit) ?? {};
    expect(output).toContain('The program ended well.\nCalls: read_file 3 of 5, write_file 1 of 1');
    expect(output).toContain('It printed:\nso far so good\n');
    expect(output).toContain('Result:\n{"lines":[2,2,2],"prices":[3,3,3],"code":3,"own":"3","six":6}');
    expect(status).toBe('ok');
    expect(one.asked).toEqual(['program']);
    expect(ofType(one.kit.journal.events, 'approval-requested')[0]?.text).toContain('Program in JavaScript:\nimport');
    expect(one.sent).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }]);
    expect(innerOf(one.kit.journal.events)).toHaveLength(8);
    await replays(one);
  });

  it('is not run when a check finds faults, and each fault is named with its line', async () => {
    const text = `import nothing from 'nosuchmodule';
await tools.read_file({ pth: 'a' });
await tools.no_tool();
await tools.shop__look_up({ id: 1 });
await tools.parallel([['search', { a: 1 }]]);
await tools.read_file('a.txt');
require('./none.cjs');
await tools.read_file({ ...{ path: 'a' } });
await tools.call('read_file', { path: 'a', [1 + 1]: 2 });`;
    expect(await ended('const x = 1;\nlet y = (', [])).toMatch(/^Not run, .*\nline 2: Unexpected end of input/u);
    expect((await ended(text, [{ tool: 'read_file', most: 1 }])).split('\n').slice(1)).toEqual([
      'line 1: there is no module nosuchmodule',
      'line 2: read_file has no argument pth; it has: path, from, to',
      'line 2: read_file needs the argument path',
      'line 3: there is no tool no_tool',
      'line 4: shop__look_up is not among the announced calls',
      'line 5: search is not among the announced calls',
      'line 6: read_file takes one object with its arguments',
      'line 7: there is no module ./none.cjs',
    ]);
  });

  it('names the project files that it imports in the question, and none of them replaces a module of Node', async () => {
    await session.put('node_modules/fs/index.js', 'throw new Error("this ran instead")');
    await session.put('node_modules/lodash/index.js', 'module.exports = { three: 3 };');
    await session.put('dynamic.mjs', 'export const four = 4;');
    const reasons: string[] = [];
    const approver = {
      ask: async ({ reason }: { readonly reason?: string }): Promise<UserAnswer> => {
        reasons.push(reason ?? '');
        return 'allow';
      },
    };
    const text = `import { readFileSync } from 'fs';
import lodash from 'lodash';
const { four } = await import('./dynamic.mjs');
const { double } = await import(\`./helper.mjs\`);
const { price } = (await tools.shop__look_up({ id: 1 })).json();
const result = [typeof readFileSync, lodash.three, four, double(2), price];`;
    const one = scene([script(text, [{ tool: 'shop__look_up', most: 1 }])], 'allow', { dependencies: { approver } });
    await one.kit.runner.send('Go.', loop);
    expect(endOf(one.kit)?.output).toContain('Result:\n["function",3,4,4,3]');
    const lines = reasons.join().split('\n');
    expect(lines.filter((line) => line.startsWith('Line '))).toEqual([
      expect.stringContaining('Line 2: it imports node_modules/lodash/index.js of the project. What that is'),
      expect.stringContaining('Line 3: it imports dynamic.mjs of the project.'),
      expect.stringContaining('Line 4: it imports helper.mjs of the project.'),
    ]);
  });

  it('loads no file of the project that the question did not name, whatever a package.json says', async () => {
    const files = {
      'package.json':
        '{ "name": "own", "imports": { "#x": { "import": "./maps/x.mjs", "require": "./maps/x.cjs" } }, "exports": { "./self": "./maps/self.mjs" } }',
      'maps/x.mjs': 'export { y as x } from "./y.mjs";',
      'maps/y.mjs':
        'import { createRequire } from "node:module"; export const y = createRequire(import.meta.url)("./y.json").y;',
      'maps/y.json': '{ "y": "esm" }',
      'maps/x.cjs': 'module.exports = { x: "cjs" };',
      'maps/self.mjs': 'export const self = "self";',
      'node_modules/dual/package.json': '{ "exports": { "import": "./i.mjs", "require": "./r.cjs" } }',
      'node_modules/dual/i.mjs': 'export default "i";',
      'node_modules/dual/r.cjs': 'module.exports = "r";',
      'elsewhere/linked.cjs': 'module.exports = "linked";',
      'data.json': '{ "data": "json" }',
      'hidden.cjs': 'throw new Error("this ran");',
      'program.js': 'throw new Error("this ran");',
    };
    for (const [path, text] of Object.entries(files)) await session.put(path, text);
    await symlink('../elsewhere', join(session.workspace, 'node_modules/linked'));
    const reasons: string[] = [];
    const approver = {
      ask: async ({ reason }: { readonly reason?: string }): Promise<UserAnswer> => {
        reasons.push(reason ?? '');
        return 'allow';
      },
    };
    const tries = [
      "require('./' + 'hidden.cjs')",
      "await import(['.', 'hidden.cjs'].join('/'))",
      "(await import('node:module')).createRequire('/workspace/program.js')('./hidden.cjs')",
      "process.getBuiltinModule('module')._load('/workspace/hidden.cjs')",
      "await import('file:///workspace/' + 'program.js')",
      "require('node_modules/../hidden'.slice(13))",
    ];
    const text = `import { x } from '#x';
import { self } from 'own/self';
import dual from 'dual';
import data from './data.json' with { type: 'json' };
const said = [x, self, dual, data.data, require('#x').x, require('dual'), require('linked/linked.cjs')];
${tries.map((one) => `try { ${one}; said.push('ran'); } catch (error) { said.push(/not named|Cannot find/.test(error.message) ? 'no' : error.message); }`).join('\n')}
const result = [said.join(), (await tools.shop__look_up({ id: 1 })).json().price];`;
    const one = scene([script(text, [{ tool: 'shop__look_up', most: 1 }])], 'allow', { dependencies: { approver } });
    await one.kit.runner.send('Go.', loop);
    expect(endOf(one.kit)?.output).toContain('Result:\n["esm,self,i,json,cjs,r,linked,no,no,no,no,no,no",3]');
    const [reason = ''] = reasons;
    const named = [
      'maps/x.mjs',
      'maps/self.mjs',
      'node_modules/dual/i.mjs',
      'data.json',
      'maps/x.cjs',
      'node_modules/dual/r.cjs',
      'elsewhere/linked.cjs',
    ];
    for (const path of named) expect(reason).toContain(`it imports ${path} of the project`);
    expect(reason).toContain('which module is imported here is known only when it runs');
    expect(reason).toContain('it can load what is named only when it runs');
    // Where nothing leaves, nobody is asked, and it may load what it likes.
    expect(await ended("const result = (await import('./maps/' + 'self.mjs')).self;")).toContain('Result:\nself');
    for (const path of Object.keys(files)) await rm(join(session.workspace, path));
  });

  it('says where it failed and what it had done', async () => {
    const output = await ended(
      `await tools.write_file({ path: 'half.txt', content: '1' });
function inner() {
  return {}.nothing.more;
}
inner();`,
      [{ tool: 'write_file', most: 1 }],
    );
    expect(output).toContain('The program failed in line 3: TypeError: Cannot read properties of undefined');
    expect(output).toContain('program.js, line 3, in inner\n    return {}.nothing.more;');
    expect(output).toContain('Made before that, and not taken back: write_file 1.');
  });

  it('waits for calls that it does not await, and says when one of them fails', async () => {
    const reads = [{ tool: 'read_file', most: 2 }];
    const forgotten = "tools.read_file({ path: 'a.txt' }).then((text) => { result = text.length; });";
    expect(await ended(forgotten, reads)).toContain('Calls: read_file 1 of 2');
    expect(await ended("tools.read_file({ path: 'none.txt' });", reads)).toContain(
      'The program failed: ToolError: read_file: error',
    );
  });

  it('runs its tests first and without tools, and leaves its state to the next program', async () => {
    const text = `import assert from 'node:assert';
export function total(numbers) {
  return numbers.reduce((sum, one) => sum + one, 0);
}
function test_total() {
  assert.equal(total([1, 2]), RIGHT);
}
async function test_tools() {
  await assert.rejects(tools.read_file({ path: 'a.txt' }), ToolError);
}
if (import.meta.main) {
  state.seen = (state.seen ?? 0) + total([1, 2]);
  result = state.seen;
}`;
    const reads = [{ tool: 'read_file', most: 1 }];
    const wrong = await ended(text.replace('RIGHT', '4'), reads);
    expect(wrong).toMatch(/^Not run, .*\nline 6: the test test_total failed: AssertionError/u);
    expect(await ended('process.exit(3);\nfunction test_a() {}')).toContain('line 1: a test ended the process (3)');
    const right = text.replace('RIGHT', '3');
    const one = scene([script(right, reads), script(right.replace('sum + one', 'one + sum'), reads)]);
    await one.kit.runner.send('Add.', loop);
    expect(endOf(one.kit)?.output).toContain('Result:\n3');
    expect(endOf(one.kit)?.data).toMatchObject({ program: { tests: 2, state: { seen: 3 }, language: 'javascript' } });
    expect(endOf(one.kit, 1)?.output).toContain('Result:\n6');
    await replays(one);
  });

  it.each([
    [
      'a frame that is none',
      "require('fs').writeSync(4, '{}\\n');\nwhile (true);",
      'it sent something that is no frame',
    ],
    [
      'a frame that would change what all objects have',
      'require(\'fs\').writeSync(4, \'{"type":"call","id":1,"tool":"__proto__","input":{"__proto__":{"path":"a.txt"}},"__proto__":{}}\\n\');\nwhile (true);',
      'it sent something that is no frame',
    ],
    [
      'a frame that is too long',
      "require('fs').writeSync(4, 'x'.repeat(2000000));\nwhile (true);",
      'a frame of more than 1 MB',
    ],
    ['a flood of print', "while (true) console.log('x'.repeat(1000));", 'it printed more than 1 MB'],
    [
      'calls without end',
      "for (;;) await tools.call('nothing' + '').catch(() => undefined);",
      'it made more than 500 calls',
    ],
    ['an end with a code', 'process.exit(3);', 'It ended itself with: 3'],
    [
      'an end by force',
      "process.kill(process.pid, 'SIGKILL');\nawait new Promise(() => undefined);",
      'It ended by itself with code',
    ],
    ['waiting for nothing', 'await new Promise(() => undefined);', 'It waits for something that never comes.'],
    ['too much memory', 'const all = [];\nfor (;;) all.push(Buffer.alloc(100000000));', 'allocation failed'],
    ['a value that is too long', "const result = 'x'.repeat(2000000);", 'cannot be given back'],
    ['a value that has no form', 'const result = {};\nresult.self = result;', 'cannot be given back'],
  ])('is ended with a clear reason: %s', async (_what, text, reason) => {
    const one = scene([script(text, [{ tool: 'read_file', most: 500 }])]);
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)).toMatchObject({ status: 'error' });
    expect(endOf(one.kit)?.output).toContain(reason);
    expect(Object.prototype).not.toHaveProperty('path');
    await replays(one);
  });

  it('gets only what it announced, even if it changes its client', async () => {
    const text = `Object.prototype.toJSON = function () { return this === globalThis ? 1 : { ...this, tool: 'write_file' }; };
try { await tools.call('read_' + 'file', { path: 'made.txt', content: 'x' }); } catch (error) { console.log(error.text); }
delete Object.prototype.toJSON;
Object.prototype.announced = ['write_file'];
tools.call = () => 'mine';
for (const name of ['write_file', '__proto__', 'constructor', 'run_program'])
  try { await tools.parallel([[name, { path: 'made.txt', content: 'x' }]]); } catch (error) { console.log(error.status, error.text); }
result = 'done';`;
    const one = scene([script(text, [{ tool: 'read_file', most: 2 }])]);
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)?.output).toContain('"constructor" is not among the announced calls');
    expect(innerOf(one.kit.journal.events)).toEqual([]);
    expect(await session.text('made.txt')).toBeNull();
    await replays(one);
  });

  it('is ended on time with everything it started', async () => {
    const one = scene([
      script(
        `const { spawn } = await import('node:child_process');
spawn('sh', ['-c', 'echo from a child; ls /proc/self/fd >&2; setsid sleep 4715 & sleep 4716'], { stdio: 'inherit' });
await new Promise((next) => setTimeout(next, 300));
while (true);`,
        [],
        { timeoutSeconds: 2 },
      ),
    ]);
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)).toMatchObject({ status: 'timed-out' });
    expect(endOf(one.kit)?.output).toContain('It printed:\nfrom a child\n0\n1\n2\n3');
    const command =
      'for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline 2>/dev/null | grep -E "^sleep 471"; done; true';
    const left = await session.sandbox.exec({ command, timeoutMs: 10_000 }, new AbortController().signal);
    expect(left.ok ? left.value.stdout : left.error.message).toBe('');
    await replays(one);
  });

  it('passes on nothing that a fence holds, even what it reads itself', async () => {
    const plans = 'The launch is on the ninth of May, and nobody outside may know of it before.\n';
    await session.put('plans.md', plans);
    const text = `const note = require('fs').readFileSync('plans.md').toString('base64');
result = String(await tools.shop__look_up({ id: 1, note }));`;
    const one = scene([script(text, [{ tool: 'shop__look_up', most: 1 }])], 'allow', {
      sandbox: { files: { 'plans.md': plans } },
      fences: { rules: [{ paths: ['plans.md'], verdict: 'local-only' }] },
    });
    await one.kit.runner.send('Look.', loop);
    const [question] = ofType(one.kit.journal.events, 'approval-requested');
    expect(question?.reason).toContain('A review by rules found:\nLine 1: it encodes or packs data.');
    expect(one.sent).toEqual([]);
    expect(endOf(one.kit)?.output).toContain('Not sent to shop: it would carry what is not to leave this machine');
  });

  it('reports that there is no Node', async () => {
    const announcement = readAnnouncement([], []);
    if ('problems' in announcement) throw new Error(announcement.problems[0]);
    const without: Pick<Sandbox, 'open'> = {
      open: (request, signal) =>
        session.sandbox.open({ ...request, command: `PATH=/none; ${request.command}` }, signal),
    };
    const call = async () => {
      throw new Error('It makes no call.');
    };
    const door = { tools: [], heldMs: () => 0, read: () => ({ problem: 'no' }), call } as const;
    const given = { arguments: {}, state: {}, modules: {}, timeoutMs: 5_000, language: 'javascript' } as const;
    const approve = async () => null;
    const { end } = await runInSandbox(
      { ...given, program: 'result = 1;', announcement, door, sandbox: without, onPrinted: () => undefined, approve },
      new AbortController().signal,
    );
    expect(end).toMatchObject({ reason: 'It was not run: there is no Node in the image of the sandbox.' });
  });
});
