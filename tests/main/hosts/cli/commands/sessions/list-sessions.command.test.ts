import { expect, it } from 'vitest';
import { listSessions } from '../../../../../../src/main/hosts/cli/commands/sessions/list-sessions.command.ts';
import { organize } from '../../../../../../src/main/hosts/cli/commands/sessions/organize-sessions.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createPageCore } from '../../../../../fakes/page-core.ts';

/** Catches: an archived session that is listed, one that is left out without notice, and one tag that counts as two. */
it('the list of sessions filters as asked, and says what it leaves out', async () => {
  const core = createPageCore();
  const ids = ['One', 'Two', 'Three'].map((title) => core.createSession({ projectPath: '/p', title }));
  const [one = '', two = '', three = ''] = ids;
  const run = async (work: (context: ReturnType<typeof commandContext>['context']) => Promise<number>) => {
    const { context, said } = commandContext(core);
    return { code: await work(context), ...said };
  };
  expect((await run((context) => organize(context, 'tag', [one], ['#Billing', 'two words']))).err).toBe(
    '1 session tagged.\n',
  );
  await run((context) => organize(context, 'pin', [one, two], []));
  const archived = await run((context) => organize(context, 'archive', [three], []));
  expect(archived).toMatchObject({ code: 0, err: expect.stringContaining('sessions list --archived') });
  const all = await run((context) => listSessions(context, {}));
  expect(all.out.trim().split('\n')).toEqual([
    expect.stringMatching(/ One {2}in p pinned #billing #two words$/u),
    expect.stringMatching(/ Two {2}in p pinned$/u),
  ]);
  expect(all.err).toBe('1 archived session not shown. Add --archived to see them.\n');
  const tagged = await run((context) => listSessions(context, { tag: '#billing', project: '/p' }));
  expect(tagged).toMatchObject({ out: expect.stringContaining('One'), err: '' });
  expect((await run((context) => listSessions(context, { archived: true }))).out).toContain('Three');
  expect(await run((context) => listSessions(context, { model: 'no-such' }))).toMatchObject({
    out: '',
    err: 'No sessions match.\n',
  });
  for (const args of [{ place: 'moon' }, { since: 'monday' }, { minCost: 'much' }, { tag: '-x' }]) {
    await expect(run((context) => listSessions(context, args))).rejects.toMatchObject({ code: 'usage' });
  }
});

/** Catches: twenty runs of a comparison above the sessions that a person looks for. */
it('the list of sessions shows the own ones before the runs of a comparison', async () => {
  const core = createPageCore();
  for (const title of ['Older', 'Newer', 'Run']) core.createSession({ projectPath: null, title });
  const listed = await core.client.sessions.list();
  const run = listed.find(({ title }) => title === 'Run');
  if (run === undefined) throw new Error('The run is missing.');
  const others = listed.filter(({ title }) => title !== 'Run');
  core.replace({ sessions: { list: () => [{ ...run, status: 'running', comparison: 'c1' }, ...others] } });
  const { context, said } = commandContext(core);
  expect(await listSessions(context, {})).toBe(0);
  const lines = said.out.trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toContain('Run');
});

/** Catches: sessions of several projects that cannot be told apart, and a project without a folder that stays unnamed. */
it('the list of sessions names the project of each as the user does', async () => {
  const core = createPageCore();
  const { id } = await core.client.projects.create({ name: 'Tax papers' });
  await core.client.projects.change({ project: '/work/shop', change: { type: 'name', name: 'Web shop' } });
  const talk = core.createSession({ projectPath: null, title: 'One' });
  await core.client.sessions.move({ sessionIds: [talk], project: `project:${id}` });
  core.createSession({ projectPath: '/work/shop', title: 'Two' });
  core.createSession({ projectPath: '/work/plain', title: 'Three' });
  core.createSession({ projectPath: null, title: 'Four' });
  const { context, said } = commandContext(core);
  expect(await listSessions(context, {})).toBe(0);
  const ends = said.out
    .trim()
    .split('\n')
    .map((line) => / (?:One|Two|Three|Four)\b.*/u.exec(line)?.[0]);
  expect(new Set(ends)).toEqual(new Set([' Four', ' One  in Tax papers', ' Three  in plain', ' Two  in Web shop']));
});
