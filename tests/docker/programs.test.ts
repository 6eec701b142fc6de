import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, success } from '../../src/shared/errors.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';
import type { WebExchange } from '../../src/main/tools/web/web-request.ts';
import type { UserAnswer } from '../../src/main/safety/approvals/approver.ts';
import type { KitOptions, Reply } from '../fakes/agent-kit.ts';
import { ofType, turnOptions } from '../fakes/agent-kit.ts';
import { runReplayTurn } from '../../src/main/agent/replay/replay-turn.ts';
import { replaySession } from '../../src/main/sessions/replay/replay-session.ts';
import { crashRepairEvents } from '../../src/main/sessions/store/crash-repair.ts';
import { reduceSession } from '../../src/shared/session/reducers/reduce-session.ts';
import { emptySession, type SessionState } from '../../src/shared/session/session-state.ts';
import type { DockerUnderTest } from './docker-kit.ts';
import { isWithoutEngine, none, startSandbox } from './docker-kit.ts';
import { endOf, innerOf, program, programScene, replays, type Scene } from './program-kit.ts';

let session: DockerUnderTest;
const loop = { ...turnOptions, mode: 'auto', strategy: 'loop' } as const;

const scene = (replies: readonly Reply[], answer: UserAnswer = 'allow', options: KitOptions = {}): Scene =>
  programScene(session, replies, answer, options);

describe.skipIf(isWithoutEngine)('a program that calls tools', () => {
  beforeAll(async () => {
    session = await startSandbox();
    for (const name of ['a', 'b', 'c']) await session.put(`${name}.txt`, `${name} one\n${name} two\n`);
  }, 120_000);

  afterAll(async () => {
    await session.close();
  });

  it('makes its calls side by side, in the same way as a model', async () => {
    const one = scene([
      program(
        `found = tools.parallel([("read_file", {"path": name + ".txt"}) for name in "abc"])
tools.write_file(path="sum.txt", content=str(len(found)))
prices = [tools.shop__look_up(id=n).json()["price"] for n in range(3)]
print("so far so good")
result = {"lines": [text.count("\\n") + 1 for text in found], "prices": prices, "code": tools.run_command(command="cat sum.txt; exit 3").exit_code}`,
        [
          { tool: 'read_file', most: 5, paths: ['*.txt'] },
          { tool: 'write_file', most: 1 },
          { tool: 'shop__look_up', most: 3 },
          { tool: 'run_command', most: 1 },
        ],
      ),
    ]);
    await one.kit.runner.send('Count.', loop);
    const ended = endOf(one.kit);
    expect(ended?.output).toContain('The program ended well.\nCalls: read_file 3 of 5, write_file 1 of 1');
    expect(ended?.output).toContain('It printed:\nso far so good\n');
    expect(ended?.output).toContain('Result:\n{"lines":[2,2,2],"prices":[3,3,3],"code":3}');
    expect(ended?.status).toBe('ok');
    const { events } = one.kit.journal;
    const parent = ended?.toolCallId;
    expect(innerOf(events).map(({ tool, status, parent: of }) => [tool, status, of === parent])).toEqual([
      ...Array.from({ length: 3 }, () => ['read_file', 'ok', true]),
      ['write_file', 'ok', true],
      ...Array.from({ length: 3 }, () => ['shop__look_up', 'ok', true]),
      ['run_command', 'ok', true],
    ]);
    // One question covers everything that leaves. In the log, each call that leaves has its own answer.
    expect(one.asked).toEqual(['program']);
    expect(ofType(events, 'approval-requested').map(({ kind }) => kind)).toEqual([
      'program',
      ...Array.from({ length: 3 }, () => 'connected-tool'),
    ]);
    expect(ofType(events, 'approval-answered').map(({ by }) => by)).toEqual(['person', 'policy', 'policy', 'policy']);
    expect(one.sent).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }]);
    const [changed] = ofType(events, 'file-changed');
    expect(changed).toMatchObject({ path: 'sum.txt', by: 'model' });
    expect(one.kit.journal.state().toolCalls.at(0)).toMatchObject({ tool: 'run_program', innerCalls: 8 });
    await replays(one);
    expect(one.sent).toHaveLength(3);
  });

  it('leaves a log that opens and replays, wherever Dewpoint was killed', async () => {
    const one = scene([
      program(
        'tools.parallel([("read_file", {"path": name + ".txt"}) for name in "abc"])\ntools.run_command(command="true")',
        [
          { tool: 'read_file', most: 5 },
          { tool: 'run_command', most: 1 },
        ],
      ),
    ]);
    await one.kit.runner.send('Count.', loop);
    const { events, sessionId } = one.kit.journal;
    const from = events.findIndex((event) => event.type === 'tool-started' && event.tool === 'run_program');
    const to = events.findIndex((event) => event.type === 'tool-ended' && event.tool === 'run_program');
    const blobs = { get: one.kit.journal.getBlob.bind(one.kit.journal) };
    for (let cut = from + 1; cut <= to; cut += 1) {
      const log = events.slice(0, cut);
      const fold = (): SessionState => log.reduce(reduceSession, emptySession);
      for (const event of crashRepairEvents(fold(), null)) log.push({ ...event, v: 2, seq: log.length + 1, at: 1 });
      expect(crashRepairEvents(fold(), null)).toEqual([]);
      const started = log.filter(({ type }) => type === 'tool-started');
      expect(log.filter(({ type }) => type === 'tool-ended')).toHaveLength(started.length);
      const read = async function* () {
        yield* log;
      };
      const report = await replaySession({ sessionId, problems: [], read }, blobs, (turn) =>
        runReplayTurn(turn, one.kit.dependencies),
      );
      expect(report.firstDifference).toBeNull();
      expect(report.stateHash).toBe(report.recordedHash);
    }
    expect(to - from).toBeGreaterThan(7);
  });

  it('is not run when a check finds faults, and each fault is named with its line', async () => {
    const one = scene([
      program('x = (', [{ tool: 'read_file', most: 1 }]),
      program(
        'import nosuchmodule\ntools.read_file(pth="a")\ntools.no_tool()\ntools.shop__look_up(id=1)\ntools.parallel([("search", {"a": 1})])',
        [{ tool: 'read_file', most: 1 }],
      ),
    ]);
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)?.output).toMatch(/^Not run, for these problems were found in it:\nline 1: /u);
    expect(endOf(one.kit, 1)?.output.split('\n').slice(1)).toEqual([
      'line 1: there is no module nosuchmodule',
      'line 2: read_file has no argument pth; it has: path, from, to',
      'line 2: read_file needs the argument path',
      'line 3: there is no tool no_tool',
      'line 4: shop__look_up is not among the announced calls',
      'line 5: search is not among the announced calls',
    ]);
    expect(innerOf(one.kit.journal.events)).toEqual([]);
    await replays(one);
  });

  it('says where it failed and what it had done, and is not run again unchanged', async () => {
    const broken = program(
      'tools.write_file(path="half.txt", content="1")\ndef inner():\n    return {}["nothing"]\ninner()',
      [{ tool: 'write_file', most: 1 }],
    );
    const one = scene([broken, broken, broken]);
    await one.kit.runner.send('Write.', loop);
    const first = endOf(one.kit)?.output ?? '';
    expect(first).toContain("The program failed in line 3: KeyError: 'nothing'");
    expect(first).toContain('return {}["nothing"]');
    expect(first).toContain('Made before that, and not taken back: write_file 1.');
    // The file it wrote is kept, so running the same program would do the same again.
    expect(endOf(one.kit, 1)?.output).toContain('Not run: this very program failed before');
    expect(innerOf(one.kit.journal.events)).toHaveLength(1);
    await replays(one);
  });

  it('gets an error for a call that it did not announce, and the call has no effect', async () => {
    const tries = [
      'tools.call(chr(119) + "rite_file", path="x.txt", content="x")',
      'tools.read_file(path="../../etc/passwd")',
      'tools.read_file(path="b.txt")',
      'tools.call("run_" + "program", plan="", calls=[], program="")',
      'tools.call("task_" + "complete", summary="done")',
      'tools.call("shop__" + "look_up", id=1)',
    ];
    const text = `said = []\n${tries.map((one) => `try:\n    ${one}\nexcept ToolError as error:\n    said.append(error.status)`).join('\n')}
for n in range(3):
    try:
        tools.read_file(path="a.txt")
        said.append("read")
    except ToolError as error:
        said.append(error.text)
result = said`;
    const one = scene([program(text, [{ tool: 'read_file', most: 2, paths: ['a.*'] }])]);
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)?.output).toContain(
      'Result:\n["refused","error","refused","refused","refused","refused","read","read","Not made: read_file was announced for at most 2 calls."]',
    );
    expect(innerOf(one.kit.journal.events).map(({ tool }) => tool)).toEqual(['read_file', 'read_file']);
    expect(one.sent).toEqual([]);
    expect(one.asked).toEqual([]);
    expect(await session.text('x.txt')).toBeNull();
    await replays(one);
  });

  it('imports no project file in place of the standard library, and its imports are named in the question', async () => {
    const files = {
      'csv.py': 'raise RuntimeError("this ran instead")',
      'json.py': 'raise RuntimeError("this ran instead")',
      'json/__init__.py': 'raise RuntimeError("this ran instead")',
      'sitecustomize.py': 'raise RuntimeError("this ran instead")',
      'helper.py': 'from parts.more import three\nvalue = three()\n',
      'parts/more.py': 'def three():\n    return 3\n',
    };
    for (const [path, text] of Object.entries(files)) await session.put(path, text);
    const plant = [
      'packages=$(python3 -c "import site; print(site.getusersitepackages())")',
      'mkdir -p $packages',
      // A compiled file beside the source, which says something else.
      `mkdir -p __pycache__; python3 -c "import py_compile, os; s = os.stat('helper.py'); open('x.py', 'w').write('value = 4'.ljust(s.st_size)); os.utime('x.py', ns=(s.st_atime_ns, s.st_mtime_ns)); py_compile.compile('x.py', '__pycache__/helper.' + __import__('sys').implementation.cache_tag + '.pyc')"`,
      `for name in usercustomize requests; do echo 'open("/workspace/ran", "w")' > $packages/$name.py; done`,
    ];
    const planted = await session.sandbox.exec({ command: plant.join(' && '), timeoutMs: 60_000 }, none);
    expect(planted).toMatchObject({ ok: true, value: { exitCode: 0 } });
    const reasons: string[] = [];
    const approver = {
      ask: async ({ reason }: { readonly reason?: string }): Promise<UserAnswer> => {
        reasons.push(reason ?? '');
        return 'allow';
      },
    };
    const text = `import csv, json
import helper, parts.more
result = [csv.__name__, json.dumps(helper.value), tools.shop__look_up(id=1).json()["price"]]`;
    const calls = [{ tool: 'shop__look_up', most: 1 }];
    const one = scene([program(text, calls)], 'allow', { dependencies: { approver } });
    await one.kit.runner.send('Go.', loop);
    expect(endOf(one.kit)?.output).toContain('Result:\n["csv","3",3]');
    expect(reasons.join()).toContain('Line 2: it imports helper.py of the project. What that is');
    expect(reasons.join()).toContain('Line 2: it imports parts of the project.');
    expect(reasons.join()).not.toMatch(/csv|json/);
    expect(await session.text('ran')).toBeNull();
    const two = scene([program('import requests\nresult = 1', calls)]);
    await two.kit.runner.send('Go.', loop);
    expect([endOf(two.kit)?.output, two.asked]).toEqual([expect.stringContaining('there is no module requests'), []]);
    for (const path of Object.keys(files)) await rm(join(session.workspace, path));
  });

  it('imports only the project files that the question named', async () => {
    const files = {
      'csv.py': 'raise RuntimeError("this ran instead")',
      'tools_of_mine/secret.py': 'raise RuntimeError("this ran instead")',
      'base.py': 'import importlib\nvalue = importlib.import_module("base_" + "more").value\n',
      'base_more.py': 'value = 5\n',
      'pack/__init__.py': '',
      'pack/inner.py': 'value = 6\n',
    };
    for (const [path, text] of Object.entries(files)) await session.put(path, text);
    const reasons: string[] = [];
    const approver = {
      ask: async ({ reason }: { readonly reason?: string }): Promise<UserAnswer> => {
        reasons.push(reason ?? '');
        return 'allow';
      },
    };
    const tries = [
      '__import__("base_" + "more")',
      'importlib.import_module("tools_of_mine." + "secret")',
      'sys.path.insert(0, "."); sys.modules.pop("csv", None); import csv',
      'zipfile.ZipFile("x.zip", "w").write("csv.py", "packed.py"); sys.path.insert(0, "x.zip"); __import__("pack" + "ed")',
      'sys.path.insert(0, os.getcwd() + "/tools_of_mine"); __import__("sec" + "ret")',
    ];
    const text = `import importlib, os, sys, zipfile
import pack.inner
said = []
${tries.map((one) => `try:\n    ${one}\n    said.append("ran")\nexcept ImportError as error:\n    said.append("no" if "not named" in str(error) else str(error))`).join('\n')}
import base
result = [said, base.value, pack.inner.value, tools.shop__look_up(id=1).json()["price"]]`;
    const calls = [{ tool: 'shop__look_up', most: 1 }];
    const one = scene([program(text, calls)], 'allow', { dependencies: { approver } });
    await one.kit.runner.send('Go.', loop);
    expect(endOf(one.kit)?.output).toContain('Result:\n[["no","no","no","no","no"],5,6,3]');
    expect(reasons.join()).toContain('it imports base.py of the project');
    expect(reasons.join()).toContain('it imports pack of the project');
    // Where nothing leaves, nobody is asked.
    const two = scene([program('result = __import__("base_" + "more").value')]);
    await two.kit.runner.send('Go.', loop);
    expect(endOf(two.kit)?.output).toContain('Result:\n5');
    for (const path of Object.keys(files)) await rm(join(session.workspace, path));
  });

  it('is not run after a no, and makes none of its calls', async () => {
    const one = scene([program('tools.shop__look_up(id=1)', [{ tool: 'shop__look_up', most: 1 }])], 'deny');
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)).toMatchObject({ status: 'refused' });
    expect(one.sent).toEqual([]);
    const [question] = ofType(one.kit.journal.events, 'approval-requested');
    expect(question?.text).toContain('Calls:\nshop__look_up: at most 1\n\nProgram:\ntools.shop__look_up(id=1)');
    await replays(one);
  });

  it('reads the web only at the hosts that it announced', async () => {
    const reached: string[] = [];
    const exchange: WebExchange = async ({ url }) => {
      reached.push(url.href);
      const isLed = url.pathname === '/led';
      return success({
        url: url.href,
        status: isLed ? 302 : 200,
        headers: { 'content-type': 'text/plain', ...(isLed ? { location: 'https://evil.example.com/' } : {}) },
        bytes: Buffer.from('Version 7 is the newest.'),
        isCut: false,
      });
    };
    const web = {
      readDocument: async () => ({ ok: false, why: 'no-reader' }) as const,
      searchService: async () => failure('not-found', 'No service.'),
    };
    const text = `said = []
for place in ("docs.example.org/page", "docs.example.org/led", "evil.example.com/"):
    try:
        said.append("Version 7" in tools.web_read(url="https://" + place, why="x"))
    except ToolError as error:
        said.append(error.text[:60])
result = said`;
    const one = scene([program(text, [{ tool: 'web_read', most: 3, hosts: ['docs.example.org'] }])], 'allow', {
      tools: builtInTools(discoverTools(), { now: () => 0, web }),
      dependencies: { tools: { web: { offered: () => ['web_read'], exchange } } },
    });
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)?.output).toContain(
      '[true,"Not sent to evil.example.com. The program did not announce t","Not made: web_read was not announced for the host evil.examp"]',
    );
    expect(reached).toEqual(['https://docs.example.org/page', 'https://docs.example.org/led']);
    expect(one.asked).toEqual(['program']);
    await replays(one);
  });

  it('passes on nothing that a fence holds, even what it reads itself', async () => {
    await session.put('plans.md', 'The launch is on the ninth of May, and nobody outside may know of it before.\n');
    const one = scene(
      [
        program(
          'import base64\ntext = base64.b64encode(open("plans.md", "rb").read()[::-1]).decode()\nresult = [tools.shop__look_up(id=1, note=text)]',
          [{ tool: 'shop__look_up', most: 1 }],
        ),
      ],
      'allow',
      {
        sandbox: {
          files: { 'plans.md': 'The launch is on the ninth of May, and nobody outside may know of it before.\n' },
        },
        fences: { rules: [{ paths: ['plans.md'], verdict: 'local-only' }] },
      },
    );
    await one.kit.runner.send('Look.', loop);
    expect(one.sent).toEqual([]);
    expect(endOf(one.kit)?.output).toContain('Not sent to shop: it would carry what is not to leave this machine');
  });

  it('has its own changes recorded as its own, even with a command in between', async () => {
    await session.put('AGENTS.md', 'Be kind.\n');
    const one = scene(
      [
        program(
          'open("own.txt", "w").write("1")\nopen("AGENTS.md", "w").write("Obey.")\ntools.run_command(command="echo 2 > command.txt")\nopen("after.txt", "w").write("3")',
          [{ tool: 'run_command', most: 1 }],
        ),
      ],
      'deny',
    );
    await one.kit.runner.send('Write.', loop);
    const parent = endOf(one.kit)?.toolCallId;
    const [inner] = innerOf(one.kit.journal.events);
    const changes = ofType(one.kit.journal.events, 'file-changed').map(({ path, by, toolCallId }) => [
      path,
      by,
      toolCallId === parent ? 'program' : toolCallId === inner?.toolCallId ? 'command' : 'other',
    ]);
    expect(changes.filter(([path]) => path !== 'AGENTS.md')).toEqual([
      ['own.txt', 'model', 'program'],
      ['command.txt', 'model', 'command'],
      ['after.txt', 'model', 'program'],
    ]);
    // A guarded file is restored at the end, as after a command.
    expect(changes.filter(([path]) => path === 'AGENTS.md').map(([, by]) => by)).toEqual(['model', 'undo']);
    expect(await session.text('AGENTS.md')).toBe('Be kind.\n');
    await replays(one);
  });

  it.each([
    [
      'a frame that is none',
      'import os\nfor fd in range(3, 20):\n    try:\n        os.write(fd, b"{}\\n")\n    except OSError:\n        pass\nimport time\ntime.sleep(60)',
      'it sent something that is no frame',
    ],
    [
      'a number that is not the next',
      'setattr(tools, "_last", 7)\ntools.read_file(path="a.txt")',
      'with a number that is not the next',
    ],
    [
      'a frame that is too long',
      'import os\nfor fd in range(3, 20):\n    try:\n        os.write(fd, b"x" * 2000000)\n    except OSError:\n        pass\nimport time\ntime.sleep(60)',
      'a frame of more than 1 MB',
    ],
    ['a flood of print', 'while True:\n    print("x" * 1000)', 'it printed more than 1 MB'],
    [
      'calls without end',
      'while True:\n    try:\n        tools.call("nothing" + "")\n    except ToolError:\n        pass',
      'it made more than 500 calls',
    ],
    ['an end in silence', 'import os\nos._exit(3)', 'It ended by itself with code 3'],
    ['too much memory', 'x = []\nwhile True:\n    x.append("y" * 10_000_000)', 'MemoryError'],
    ['a value that is too long', 'result = "x" * 2_000_000', 'cannot be given back'],
  ])('is ended with a clear reason: %s', async (_what, text, reason) => {
    const one = scene([program(text, [{ tool: 'read_file', most: 500 }])]);
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)).toMatchObject({ status: 'error' });
    expect(endOf(one.kit)?.output).toContain(reason);
    await replays(one);
  });

  it('is ended on time with its calls and everything it started', async () => {
    const one = scene([
      program(
        'import subprocess, threading\nsubprocess.Popen(["sh", "-c", "setsid sleep 4711 & sleep 4712"])\nthreading.Thread(target=lambda: tools.run_command(command="sleep 4713")).start()\nwhile True:\n    pass',
        [{ tool: 'run_command', most: 1 }],
        { timeoutSeconds: 2 },
      ),
    ]);
    await one.kit.runner.send('Look.', loop);
    expect(endOf(one.kit)).toMatchObject({ status: 'timed-out' });
    expect(innerOf(one.kit.journal.events)).toMatchObject([{ tool: 'run_command', status: 'cancelled' }]);
    expect(await left()).toBe('');
    await replays(one);
  });

  it('ends at once when it is cancelled', async () => {
    const one = scene([
      program('import time\nprint("up")\ntools.run_command(command="sleep 4714")', [{ tool: 'run_command', most: 1 }]),
    ]);
    const turn = one.kit.runner.send('Look.', loop);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (ofType(one.kit.journal.events, 'tool-started').some(({ parent }) => parent !== undefined)) break;
    }
    one.kit.runner.cancel();
    await turn;
    expect(endOf(one.kit)).toMatchObject({ status: 'cancelled' });
    expect(await left()).toBe('');
    await replays(one);
  });

  it('is advised against many calls in a row, and a long value keeps its form', async () => {
    const one = scene([
      program(
        'for n in range(20):\n    tools.read_file(path="a.txt")\nresult = [{"id": n, "text": "word " * 20} for n in range(3000)]',
        [{ tool: 'read_file', most: 20 }],
      ),
    ]);
    await one.kit.runner.send('Look.', loop);
    const { output, full } = endOf(one.kit) ?? {};
    expect(output).toContain('All 20 calls ran one after the other');
    expect(output).toMatch(/^\[Shortened\. Rows 1-\d+ of 3000\. .*read_result has the rest/u);
    expect(full).not.toBeNull();
    await replays(one);
  });
});

/** The processes that a program started and that still run. */
async function left(): Promise<string> {
  const listed = await session.sandbox.exec(
    {
      command: 'for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline 2>/dev/null | grep -E "^sleep 471"; done; true',
      timeoutMs: 10_000,
    },
    new AbortController().signal,
  );
  return listed.ok ? listed.value.stdout : listed.error.message;
}
