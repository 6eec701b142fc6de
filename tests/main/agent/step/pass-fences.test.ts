import { describe, expect, it } from 'vitest';
import { createHiddenValues } from '../../../../src/main/safety/hidden-values.ts';
import type { ApprovalQuestion } from '../../../../src/main/safety/approvals/approver.ts';
import { readManifest } from '../../../../src/main/sessions/history/read-manifest.ts';
import { compileFences, fencesSchema } from '../../../../src/shared/safety/fences.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { ModelRequest } from '../../../../src/main/models/providers/define.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const plan = 'The merger with Northwind closes on the ninth of March.\nBudget code QX-88213-B.\n';
const files = { 'a.py': 'x = 1\n', 'plans/merger.md': plan, 'notes.md': 'Nothing of interest.\n' };
const price = { input: 1, output: 2, source: 'test', date: '2026-11-21' };
const options = { ...turnOptions, policy: 'cloud', cloud: 'sky/model', strategy: 'loop' } as const;
const done = call('task_complete', { summary: 'ok' });
const localOnly = { rules: [{ paths: ['plans/**'], verdict: 'local-only' }] };

function kitOf(kit: KitOptions): AgentKit {
  return createAgentKit({ cloud: { price }, sandbox: { files }, fences: localOnly, ...kit });
}

function sent(requests: readonly ModelRequest[]): string {
  return JSON.stringify(requests);
}

describe('the fences before a call', () => {
  it('let no call go to a cloud model once a fenced file was read, and say why', async () => {
    const kit = kitOf({ replies: [call('read_file', { path: './plans/merger.md' }), done] });
    const end = await kit.runner.send('What is planned?', options);
    expect(end).toMatchObject({ reason: 'fenced', text: expect.stringContaining('plans/merger.md') });
    expect(kit.requests).toHaveLength(1);
    const [fenced] = ofType(kit.journal.events, 'call-fenced');
    expect(fenced).toMatchObject({ outcome: 'refused', model: 'sky/model', step: 2 });
    const blobs = { get: kit.journal.getBlob.bind(kit.journal) };
    const settings = fencesSchema.parse(localOnly);
    const fences = compileFences({ settings, projectPath: null, isSecretFile: () => false });
    const manifest = await readManifest(kit.journal.read(), 2, { blobs, fences });
    expect(manifest?.parts.find(({ origin }) => origin === 'read_file ./plans/merger.md')?.hits).toEqual([
      { rule: 'plans/**', verdict: 'local-only', path: 'plans/merger.md', how: 'content' },
    ]);
    const before = await readManifest(kit.journal.read(), 1, { blobs, fences });
    expect(before?.parts.map(({ role, kind }) => `${role} ${kind}`)).toEqual([
      'system text',
      'user text',
      'system tools',
    ]);
    expect(await readManifest(kit.journal.read(), 9, { blobs, fences })).toBeNull();
    await expectReplay(kit);
  });

  it('show which parts of a local step are fenced, and what it was built from', async () => {
    const kit = kitOf({
      replies: [call('read_file', { path: 'plans/merger.md' }), call('read_file', { path: 'a.py' }), done],
    });
    await kit.runner.send('What is planned?', { ...options, policy: 'local' });
    const settings = fencesSchema.parse(localOnly);
    const fences = compileFences({ settings, projectPath: null, isSecretFile: () => false });
    const blobs = { get: kit.journal.getBlob.bind(kit.journal) };
    const [first, , third] = [1, 2, 3].map((step) => readManifest(kit.journal.read(), step, { blobs, fences }));
    expect((await first)?.builtFrom).toEqual([]);
    const manifest = await third;
    expect(manifest?.builtFrom.map(({ path }) => path)).toEqual(['plans/merger.md']);
    expect(manifest?.parts.filter(({ hits }) => hits.length > 0).map(({ origin }) => origin)).toEqual([
      'read_file plans/merger.md',
    ]);
  });

  it('leave the local model alone with the same file, and go on with it after a refusal', async () => {
    const kit = kitOf({
      cloud: { price, strategies: ['loop'] },
      model: { strategies: ['loop'] },
      replies: [
        call('read_file', { path: 'plans/merger.md' }),
        call('write_file', { path: 'plans/later.md', content: 'Later.' }),
        call('task_complete', { summary: 'by the local one' }),
      ],
    });
    const end = await kit.runner.send('Change the plan.', { ...options, atCap: 'local' });
    expect(end).toMatchObject({ reason: 'done', text: 'by the local one' });
    expect(ofType(kit.journal.events, 'model-call-started').map(({ stage }) => stage.where)).toEqual([
      'cloud',
      'local',
      'local',
    ]);
    await expectReplay(kit);
  });

  it('hold for files that a model wrote from fenced text, in later turns and in programs', async () => {
    const kit = kitOf({
      replies: [
        call('read_file', { path: 'plans/merger.md' }),
        call('write_file', { path: 'summary.md', content: 'Two firms become one in spring.' }),
        done,
      ],
    });
    await kit.runner.send('Sum it up.', { ...options, policy: 'local' });
    const end = await kit.runner.send('Go on.', options);
    expect(end.reason).toBe('fenced');
    const [fenced] = ofType(kit.journal.events, 'call-fenced');
    expect(fenced?.hits.map(({ path, how }) => [path, how])).toContainEqual(['plans/merger.md', 'content']);
  });

  it('hold for a summary of what was read, and for what a search found', async () => {
    const local = { ...options, policy: 'local' } as const;
    const summed = kitOf({
      replies: [call('read_file', { path: 'plans/merger.md' }), done, { text: 'Two firms become one.' }, done],
    });
    await summed.runner.send('Sum it up.', local);
    await summed.runner.send('Go on.', { ...local, compact: true });
    expect(ofType(summed.journal.events, 'context-compacted')).toHaveLength(1);
    expect(sent(summed.requests.slice(-1))).not.toContain('Northwind');
    const asked = summed.requests.length;
    expect((await summed.runner.send('And now?', options)).reason).toBe('fenced');
    expect(summed.requests).toHaveLength(asked);
    const found = kitOf({ replies: [call('search', { pattern: 'ninth of' }), done] });
    expect((await found.runner.send('When is it?', options)).reason).toBe('fenced');
    expect(found.requests).toHaveLength(1);
  });

  it('let a conversation go on unless its changes are fenced', async () => {
    const write = (path: string) => call('write_file', { path, content: 'y = 2\n' });
    const open = kitOf({ replies: [write('b.py'), done, done] });
    await open.runner.send('Add b.', options);
    expect((await open.runner.send('Go on.', options)).reason).not.toBe('fenced');
    const fenced = kitOf({ replies: [write('plans/new.md'), done, done] });
    await fenced.runner.send('Add a plan.', options);
    expect((await fenced.runner.send('Go on.', options)).reason).toBe('fenced');
  });

  it('count every output of a command as fenced when it can read a fenced file', async () => {
    const kit = kitOf({
      replies: [call('run_command', { command: 'make' }), done],
      sandbox: { files, exec: () => ({ stdout: 'everything is fine' }) },
    });
    expect((await kit.runner.send('Build it.', options)).reason).toBe('fenced');
    expect(kit.requests).toHaveLength(1);
  });

  it('leave commands alone when nothing is fenced, and files that an exception names', async () => {
    const rules = [{ paths: ['plans/merger.md'], verdict: 'allow' }, ...localOnly.rules];
    const kit = kitOf({
      fences: { rules },
      replies: [call('run_command', { command: 'make' }), call('read_file', { path: 'plans/merger.md' }), done],
      sandbox: { files, exec: () => ({ stdout: 'everything is fine' }) },
    });
    expect((await kit.runner.send('Build it.', options)).reason).toBe('answered');
    expect(sent(kit.requests)).toContain('Northwind');
  });

  it.each([
    ['as it is', plan],
    ['as JSON', JSON.stringify({ text: plan })],
    ['in base64', Buffer.from(`notes: ${plan}`).toString('base64')],
    ['in hexadecimal', Buffer.from(plan).toString('hex')],
    ['in an address', `https://x.test/?q=${encodeURIComponent(plan)}`],
    ['a piece of it', 'somebody wrote: merger with Northwind closes on the ninth of March (?)'],
    ['a word of it', 'What is QX-88213-B?'],
  ])('recognize a copy of a fenced file in a task, %s', async (_how, text) => {
    const kit = kitOf({ replies: [done] });
    expect((await kit.runner.send(`Explain: ${text}`, options)).reason).toBe('fenced');
    expect(kit.requests).toEqual([]);
  });

  it('redact what a rule names, wherever it stands, and send the rest', async () => {
    const rules = [
      { paths: ['plans/**'], verdict: 'redact' },
      { pattern: String.raw`ACME-\d+`, verdict: 'redact' },
    ];
    const kit = kitOf({
      fences: { rules },
      sandbox: { files: { ...files, 'b64.txt': Buffer.from(plan).toString('base64') } },
      replies: [call('read_file', { path: 'plans/merger.md' }), call('read_file', { path: 'b64.txt' }), done],
    });
    const end = await kit.runner.send('Look at ACME-4711 and the plan.', options);
    expect(end.reason).toBe('answered');
    expect(kit.requests).toHaveLength(3);
    expect(sent(kit.requests)).not.toMatch(/Northwind|QX-88213|ACME-\d|Tm9ydGh3aW5k|VGhlIG1lcmdlci/);
    expect(sent(kit.requests)).toContain('[fenced: plans/merger.md]');
    const outcomes = ofType(kit.journal.events, 'call-fenced').map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['redacted', 'redacted', 'redacted']);
    await expectReplay(kit);
  });

  it('redact secrets without any rule', async () => {
    const kit = kitOf({ fences: {}, replies: [done] });
    const task = 'Why does DB_PASSWORD="hunter2-long-enough" at postgres://app:s3cr3t-pw@db/x not work?';
    await kit.runner.send(task, options);
    expect(sent(kit.requests)).not.toMatch(/hunter2|s3cr3t/);
    expect(kit.journal.events.find(({ type }) => type === 'call-fenced')).toMatchObject({ outcome: 'redacted' });
  });

  it('ask a person once for each file with what would be sent, and respect a no', async () => {
    const asked: ApprovalQuestion[] = [];
    const fences = { rules: [{ paths: ['plans/**'], verdict: 'ask' }] };
    const replies = [call('read_file', { path: 'plans/merger.md' }), call('read_file', { path: 'a.py' }), done];
    const ask = async (question: ApprovalQuestion): Promise<'allow'> => {
      asked.push(question);
      return 'allow';
    };
    const kit = kitOf({ fences, replies, dependencies: { approver: { ask } } });
    expect((await kit.runner.send('What is planned?', options)).reason).toBe('answered');
    expect(asked.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['fence', expect.stringMatching(/^\d+ parts, [\d.]+ k?B to sky\/model; fenced: plans\/merger\.md/)],
    ]);
    await expectReplay(kit);
    const alone = kitOf({ fences, replies });
    expect((await alone.runner.send('What is planned?', { ...options, approve: 'allow' })).reason).toBe('fenced');
    expect(alone.requests).toHaveLength(1);
    await expectReplay(alone);
  });

  it('ask a person only when the work needs the cloud, not for a gain', async () => {
    const asked: string[] = [];
    const ask = async ({ kind }: ApprovalQuestion): Promise<'allow'> => {
      asked.push(kind);
      return 'allow';
    };
    const wrong = (old: string) => call('edit_file', { path: 'a.py', old, new: '' });
    const kit = kitOf({
      fences: { rules: [{ paths: ['plans/**'], verdict: 'ask' }] },
      cloud: { price, strategies: ['loop'] },
      model: { strategies: ['loop'] },
      replies: [call('read_file', { path: 'plans/merger.md' }), done, wrong('no'), wrong('nor this'), done],
      dependencies: { approver: { ask } },
    });
    await kit.runner.send('What is planned?', { ...options, policy: 'local' });
    const routing = routingOf('balanced', { valueUsd: 1000, advice: false, consecutiveFailures: 2 });
    await kit.runner.send('Change x in a.py.', { ...options, policy: 'hybrid', routing });
    const routes = ofType(kit.journal.events, 'route-decided').slice(2);
    expect(routes.map(({ chosen, reasonCode }) => [chosen.where, reasonCode])).toEqual([
      ['local', 'fence'],
      ['local', 'fence'],
      ['cloud', 'bad-signals'],
      ['cloud', 'hold'],
    ]);
    expect(routes[0]?.reason).toBe(
      'The conversation contains plans/merger.md (plans/**), which needs your approval before it leaves this machine.',
    );
    expect(ofType(kit.journal.events, 'call-fenced').map(({ outcome }) => outcome)).toEqual(['refused', 'asked']);
    expect(asked).toEqual(['fence']);
    await expectReplay(kit);
  });

  it('look once at what a call carries, even when another model goes on with it', async () => {
    const wrong = (old: string) => call('edit_file', { path: 'a.py', old, new: '' });
    const looked: string[] = [];
    const kit = kitOf({
      cloud: { price, strategies: ['loop'] },
      model: { strategies: ['loop'] },
      replies: [wrong('no'), wrong('nor this'), done],
      dependencies: {
        fences: {
          hidden: createHiddenValues(),
          check: async ({ info, request }) => {
            looked.push(`${info.where} ${request.messages.length}`);
            return { type: 'free' };
          },
        },
      },
    });
    const routing = routingOf('balanced', { valueUsd: 0, advice: false, consecutiveFailures: 2, reviews: 0 });
    await kit.runner.send('See to a.py.', { ...options, policy: 'hybrid', routing });
    const where = ofType(kit.journal.events, 'model-call-started').map(({ stage }) => stage.where);
    expect(where).toEqual(['local', 'local', 'cloud']);
    expect(looked).toEqual(where.map((place, at) => `${place} ${kit.requests[at]?.messages.length}`));
    expect(sent(kit.requests.slice(2))).toContain('you go on from here');
    await expectReplay(kit);
  });

  it('count a server in the same house as elsewhere', async () => {
    const kit = kitOf({
      model: { isElsewhere: true },
      replies: [call('read_file', { path: 'plans/merger.md' }), done],
    });
    expect((await kit.runner.send('What is planned?', { ...options, policy: 'local' })).reason).toBe('fenced');
  });
});
