import type { ClientCore } from '../../fakes/core-client.ts';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import type { EventOf, SessionEvent } from '../../../src/shared/events/events.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { eventsOf, openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

const plan = 'The merger with Northwind closes on the ninth of March.\nBudget code QX-88213-B.\n';
const calling = (name: string, input: unknown) => ({ toolCalls: [{ name, input }] });
const done = calling('task_complete', { summary: 'ok' });
const price = { input: 1, output: 2, source: 'test', date: '2026-11-21' };

describe('the rules in the whole core', () => {
  let home: string;
  let project: string;
  let core: ClientCore;
  let masks: (readonly string[])[];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'dewpoint-rules-core-'));
    project = join(home, 'project');
    await mkdir(join(project, '.dewpoint'), { recursive: true });
    masks = [];
    core = await openClientCore({
      home,
      cache: join(home, 'cache'),
      version: '0.0.0-test',
      onNotice: () => undefined,
      startSandbox: async (request) => {
        masks.push(request.masks ?? []);
        return success(createMemorySandbox({ files: { 'plans/merger.md': plan, 'a.py': 'x = 1\n' } }));
      },
    });
  });
  afterEach(async () => {
    await core.dispose();
    await rm(home, { recursive: true, force: true });
  });
  const rules = (text: string): Promise<void> => writeFile(join(home, 'dewpoint.rules'), text);
  const turn = async (sessionId: string, text: string, replies: readonly unknown[]): Promise<EventOf<'turn-ended'>> => {
    await core.client.settings.set({
      key: 'providers.sky',
      value: { kind: 'scripted', where: 'cloud', price, replies },
    });
    const options = { policy: 'cloud', cloud: 'sky/script', strategy: 'loop', approve: 'allow', interactive: false };
    await core.client.sessions.send({ sessionId, text, options: runOptionsSchema.parse(options) });
    await core.client.sessions.result({ sessionId });
    events = await eventsOf(core.client, sessionId);
    const end = events.findLast((event) => event.type === 'turn-ended');
    if (end?.type !== 'turn-ended') throw new Error('The turn has no end.');
    return end;
  };
  let events: readonly SessionEvent[];
  const session = (): Promise<string> => {
    events = [];
    return core.client.sessions.create({ projectPath: project, workspace: 'scratch' }).then((made) => made.sessionId);
  };
  const ofType = <T extends SessionEvent['type']>(type: T): readonly EventOf<T>[] =>
    events.filter((event): event is EventOf<T> => event.type === type);

  it('keep a fenced file on this machine from the next call on, without a restart', async () => {
    const id = await session();
    expect((await turn(id, 'Say ok.', [done])).reason).not.toBe('fenced');
    await rules('local-only path plans/**');
    const end = await turn(id, 'What is planned?', [calling('read_file', { path: 'plans/merger.md' }), done]);
    expect(end.reason).toBe('fenced');
    const [fenced] = ofType('call-fenced');
    expect(fenced).toMatchObject({ outcome: 'refused', hits: [{ rule: 'plans/** (line 1 of your rules)' }] });
    const manifest = await core.client.sessions.manifest({ sessionId: id, step: fenced?.step ?? 0 });
    expect(manifest?.parts.flatMap(({ hits }) => hits.map(({ path }) => path))).toContain('plans/merger.md');
  });

  it('mark fenced files in the list of files to mention', async () => {
    await mkdir(join(project, 'plans'));
    await writeFile(join(project, 'plans/merger.md'), plan);
    await rules('local-only path plans/**');
    const found = await core.client.attachments.find({
      place: { projectPath: project },
      text: 'merger',
      limit: 1,
    });
    expect(found).toEqual([{ path: 'plans/merger.md', staysHere: 'local-only' }]);
  });

  it('remove what they redact, and ask where they say so', async () => {
    await rules(String.raw`redact text ZED-\d+` + '\nask path plans/**');
    const id = await session();
    const read = calling('read_file', { path: 'plans/merger.md' });
    expect((await turn(id, 'Mend ZED-1.', [done])).reason).not.toBe('fenced');
    expect(ofType('call-fenced')).toMatchObject([{ outcome: 'redacted' }]);
    // Nobody is there to approve, and `--approve allow` does not count for fences.
    expect((await turn(id, 'What is planned?', [read, done])).reason).toBe('fenced');
    expect(ofType('call-fenced').at(-1)).toMatchObject({ outcome: 'asked' });
  });

  it('let nothing out while the rule file was never valid, and name the wrong line', async () => {
    await rules('local-only paths plans/**');
    const id = await session();
    expect((await turn(id, 'Say ok.', [done])).reason).toBe('fenced');
    expect(ofType('notice-added').map(({ text }) => text)).toEqual([expect.stringContaining('Line 1 of')]);
    const findings = await core.client.doctor();
    expect(findings.filter(({ area }) => area === 'rules').map(({ status }) => status)).toEqual(['missing', 'missing']);
  });

  it('say what they would do with a file, and restart the sandbox when masks change', async () => {
    await rules('mask path plans\nlocal task auth');
    const question = {
      projectPath: project,
      path: 'plans/merger.md',
      task: 'Repair the auth',
      purpose: 'act',
    } as const;
    expect(await core.client.rules.test(question)).toEqual({
      place: { where: 'local', text: 'A rule says so: local task auth (line 2 of your rules).' },
      fence: { verdict: 'local-only', text: 'plans (line 1 of your rules)' },
      mask: 'plans',
    });
    const draft = { owner: 'own', text: 'allow path plans' } as const;
    expect(await core.client.rules.test({ ...question, draft })).toEqual({ place: null, fence: null, mask: null });
    const id = await session();
    await turn(id, 'Say ok.', [done]);
    await turn(id, 'Say ok.', [done]);
    await rules('local purpose plan');
    await turn(id, 'Say ok.', [done]);
    expect(masks).toEqual([['plans'], []]);
  });

  it('of a project apply in full once they are approved', async () => {
    await writeFile(join(project, '.dewpoint', 'dewpoint.rules'), 'cloud always');
    const [, theirs] = (await core.client.rules.show({ projectPath: project })).files;
    expect(theirs).toMatchObject({ holds: 'stricter', hash: expect.any(String) });
    await expect(core.client.rules.approve({ projectPath: project, hash: '0'.repeat(64) })).rejects.toMatchObject({
      data: { code: 'conflict' },
    });
    const report = await core.client.rules.approve({ projectPath: project, hash: theirs?.hash ?? '' });
    expect(report.files[1]).toMatchObject({ holds: 'as-written', problems: [] });
  });
});
