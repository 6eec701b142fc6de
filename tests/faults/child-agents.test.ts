import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { sampled } from '../fakes/sampled.ts';
import { checkCrashed } from './check-crashed.ts';
import { command, complete, createProgram, ofType, type Answer, type Program, tool } from './program.ts';

const kills = sampled(200, 2);
/** Each part has its own home, because the count of agents in a tree reads all sessions of a home. */
const parts = Array.from({ length: Math.ceil(kills / 50) }, (_, at) => {
  const count = Math.min(50, kills - at * 50);
  return { from: at * 50 + 1, to: at * 50 + count, count, seed: 11 + at };
});

const spawnTwo = (more: object = {}): Answer => ({
  toolCalls: ['one', 'two'].map((name) => ({
    name: 'spawn_agent',
    input: { task: `Write ${name}.txt and look at it.`, access: 'own-copy', model: `${name}/script`, ...more },
  })),
});

const price = { input: 1, output: 1, source: 'test', date: '2026-11-21' } as const;

const worker = (name: string, line = 'true'): object => ({
  kind: 'scripted',
  where: 'cloud',
  price,
  repeat: true,
  replies: [
    tool('write_file', { path: `${name}.txt`, content: `${name}\n` }),
    command(`cat ${name}.txt; ${line}`),
    complete(`${name}.txt is there.`),
  ],
});

const settings = (lead: readonly Answer[], line?: string): Readonly<Record<string, unknown>> => ({
  policy: 'cloud',
  cloud: 'lead/script',
  // Otherwise the program would download the starter model.
  local: 'lead/script',
  providers: {
    lead: { kind: 'scripted', where: 'cloud', price, replies: lead, repeat: true },
    one: worker('one', line),
    two: worker('two', line),
  },
});

/** A drawing, and a program with a call that it announced. */
const drawn = tool('canvas_render', { kind: 'table', content: 'file,lines\nnotes.txt,1\n', title: 'Before' });
const counted = tool('run_program', {
  plan: 'Read the notes, then say how long they are.',
  calls: [{ tool: 'read_file', most: 1 }],
  program: "import time\ntext = tools.read_file(path='notes.txt')\ntime.sleep(0.3)\nprint(len(text))\n",
});

const take = (name: string): Answer => tool('agent_manage', { action: 'take', agent: name });

async function childrenOf(program: Program, parent: string): Promise<readonly string[]> {
  const started = ofType(await program.log(parent), 'child-session-started');
  return [...new Set(started.map(({ sessionId }) => sessionId))];
}

/** Finds the session of the home that is not a child. */
async function parentOf(program: Program): Promise<string> {
  for (const id of await program.sessionIds()) {
    const [created] = ofType(await program.log(id), 'session-created');
    if (created !== undefined && created.tree === undefined) return id;
  }
  throw new Error('There is no session.');
}

describe.skipIf(isWithoutEngine)('agents in containers of their own', () => {
  it('work side by side on copies, and return their changes with their cost', async () => {
    await using program = await createProgram({ 'notes.txt': 'one\n' });
    await program.settings(settings([spawnTwo(), take('agent-1'), take('agent-2'), complete()]));
    const { code, events, stderr } = await program.startTask('Make the two files.', ['--strategy', 'loop']).ended;
    expect(code, stderr).toBe(0);
    expect([await program.text('one.txt'), await program.text('two.txt')]).toEqual(['one\n', 'two\n']);
    const ends = ofType(events, 'child-session-ended');
    expect(ends.map(({ reason, changedFiles }) => [reason, changedFiles])).toEqual([
      ['done', 1],
      ['done', 1],
    ]);
    const parent = await parentOf(program);
    // Both children began before the first one ended.
    const order = events.filter(({ type }) => type.startsWith('child-session-')).map(({ type }) => type);
    expect(order.slice(0, 2)).toEqual(['child-session-started', 'child-session-started']);
    for (const child of await childrenOf(program, parent)) {
      const calls = ofType(await program.log(child), 'model-call-ended');
      const cost = calls.reduce((sum, one) => sum + (one.costUsd ?? 0), 0);
      expect(ends.find(({ sessionId }) => sessionId === child)?.costUsd).toBeCloseTo(cost, 12);
      expect(cost).toBeGreaterThan(0);
      const replayed = await program.run(['replay', child]);
      expect(replayed.code, replayed.stderr).toBe(0);
    }
    const replayed = await program.run(['replay', parent]);
    expect(replayed.code, replayed.stderr).toBe(0);
    const { stdout } = await program.run(['sessions', 'list']);
    expect(stdout).toMatch(/agent-1/);
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
  });

  it('end with their parent when it is cancelled, and with all their commands', async () => {
    await using program = await createProgram({ 'notes.txt': 'one\n' });
    await program.settings(settings([spawnTwo(), complete()], 'sleep 300'));
    const running = program.startTask('Make the two files.', ['--strategy', 'loop']);
    const begun: string[] = [];
    await running.until('child-session-started', ({ sessionId }) => begun.push(sessionId) === 2);
    await inCommand(program, begun);
    running.child.kill('SIGINT');
    const { events } = await running.ended;
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'cancelled' });
    expect(ofType(events, 'child-session-ended').map(({ reason }) => reason)).toEqual(['cancelled', 'cancelled']);
    for (const child of begun) {
      expect((await program.log(child)).at(-1)).toMatchObject({ type: 'turn-ended', reason: 'cancelled' });
    }
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
  });

  it.each(parts)(
    'lose nothing acknowledged when Dewpoint is killed at moments $from to $to',
    async ({ count, seed }) => {
      await using program = await createProgram({ 'notes.txt': 'one\n' });
      const lead = [drawn, counted, spawnTwo(), take('agent-1'), take('agent-2'), complete()];
      await program.settings({ ...settings(lead, 'sleep 0.2'), programs: 'on' });
      const task = 'Make the two files, then draw a table of them.';
      const whole = await program.startTask(task, ['--strategy', 'loop']).ended;
      const used = ofType(whole.events, 'tool-ended').filter(({ status }) => status === 'ok');
      expect(used.map(({ tool: name }) => name).join(' ')).toMatch(
        /^gather_facts canvas_render read_file run_program spawn_agent /u,
      );
      const milliseconds = (whole.events.at(-1)?.at ?? 0) - (whole.events[0]?.at ?? 0);
      expect((await program.run(['replay', await parentOf(program)])).code).toBe(0);
      const random = seeded(seed);
      const cut = { child: 0, program: 0 };
      const known = new Set<string>(await program.sessionIds());
      for (let round = 0; round < count; round += 1) {
        const running = program.startTask(task, ['--strategy', 'loop']);
        // The first kill is certain to hit the parent's program, the second one that of the children.
        if (round === 0) await running.until('tool-ended', ({ parent }) => parent !== undefined);
        else if (round === 1) await running.until('child-session-started');
        else await running.until('tool-started');
        const timer = setTimeout(() => running.child.kill('SIGKILL'), round < 2 ? 0 : random() * milliseconds);
        const { events } = await running.ended;
        clearTimeout(timer);
        const fresh = (await program.sessionIds()).filter((id) => !known.has(id));
        for (const id of fresh) known.add(id);
        const [parent] = await roots(program, fresh);
        if (parent === undefined) throw new Error('The parent has no log.');
        const left = await program.log(parent);
        if (ofType(left, 'child-session-started').length > ofType(left, 'child-session-ended').length) cut.child += 1;
        const isProgram = ({ tool: name }: { readonly tool: string }): boolean => name === 'run_program';
        const [begun, over] = [ofType(left, 'tool-started'), ofType(left, 'tool-ended')].map((all) =>
          all.filter(isProgram),
        );
        if ((begun?.length ?? 0) > (over?.length ?? 0)) cut.program += 1;
        const shown = await program.run(['sessions', 'show', parent]);
        expect(shown.code, shown.stderr).toBe(0);
        // The next message opens the session. Children that were cut off are ended first.
        const again = await program.run(['run', '--session', parent, '--json', '--strategy', 'loop', '--', 'Go on.']);
        // The task's result depends on the script: files of the first run may be in the way.
        expect(again.events.at(-1), again.stderr).toMatchObject({ type: 'turn-ended' });
        const opened = await program.log(parent);
        const upTo = opened.findIndex(({ type, seq }) => type === 'user-message-added' && seq > left.length);
        checkCrashed({ acknowledged: events, left, opened: opened.slice(0, upTo) });
        const started = ofType(opened, 'child-session-started');
        const ended = ofType(opened, 'child-session-ended');
        expect(ended.map(({ sessionId }) => sessionId).toSorted()).toEqual(
          started.map(({ sessionId }) => sessionId).toSorted(),
        );
        expect((await program.run(['replay', parent])).code).toBe(0);
      }
      expect(Math.min(cut.child, cut.program)).toBeGreaterThan(0);
      expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
    },
    7_200_000,
  );
});

async function roots(program: Program, ids: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of ids) {
    const [created] = ofType(await program.log(id), 'session-created');
    if (created !== undefined && created.tree === undefined) found.push(id);
  }
  return found;
}

/** Waits until each of them runs its command. */
async function inCommand(program: Program, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    for (;;) {
      const started = ofType(await program.log(id), 'tool-started');
      if (started.some(({ tool: name }) => name === 'run_command')) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  expect((await readdir(join(program.home, 'sessions'))).length).toBe(ids.length + 1);
}
