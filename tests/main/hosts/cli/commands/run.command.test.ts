import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '@shared/errors.ts';
import { createGitCommands } from '../../../../../src/main/git/commands.ts';
import {
  nameBackground,
  openSession,
  run,
  type RunArguments,
} from '../../../../../src/main/hosts/cli/commands/run.command.ts';
import { parseRunOptions } from '../../../../../src/main/hosts/cli/turn/parse-run-options.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { isWithoutGit } from '../../../../fakes/git-here.ts';
import { gitHosting, hostingToken } from '../../../../fakes/git-hosting.ts';
import { createMemoryJournal } from '../../../../fakes/memory-journal.ts';
import { realRepository, workedSessions } from '../../../../fakes/real-repository.ts';
import { createScriptedCore } from '../../../../fakes/scripted-core.ts';

// Catches: a server of the user's that is gone after a run, and nothing says which.
it('the end of a session names only the background processes that end with it', async () => {
  const core = createScriptedCore();
  const sessionId = core.createSession({ projectPath: null });
  const { context, said } = commandContext(core);
  await nameBackground(context, sessionId);
  expect(said.err).toBe('');
  core.append(sessionId, { type: 'sandbox-started', tier: 'container', image: null, description: '', limits: {} });
  const service = { type: 'service-changed', exitCode: null } as const;
  core.append(sessionId, { ...service, serviceId: 's1', command: 'npm run dev', status: 'running' });
  core.append(sessionId, { ...service, serviceId: 's2', command: 'make', status: 'running' });
  core.append(sessionId, { ...service, serviceId: 's2', command: 'make', status: 'stopped' });
  await nameBackground(context, sessionId);
  expect(said.err).toBe('background process s1 ends with the session: npm run dev\n');
});

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const model = {
  id: 'a/b',
  label: 'b',
  where: 'local',
  state: 'ready',
  sizeBytes: null,
  license: null,
  info: null,
  note: null,
} as const;

const settings = {
  isThere: true,
  own: {},
  usual: { policy: 'local', local: model.id, cloud: null, image: null },
  variables: {},
  secrets: [],
  folders: [],
  testCommand: null,
  image: null,
} as const;

/** A project with two remotes. Only the host of `upstream` has issue 12. The run ends when its message is sent. */
async function projectWithIssue() {
  const [fork, upstream] = [await gitHosting(), await gitHosting()];
  open.push(fork, upstream);
  upstream.issues.push({ number: 12, title: 'Wrong date', author: 'mia', text: 'In March.' });
  const repo = realRepository();
  repo.git('remote', 'add', 'mine', `${fork.origin}/ada/app.git`);
  repo.git('remote', 'add', 'upstream', `${upstream.origin}/ada/app.git`);
  const git = createGitCommands(workedSessions(createMemoryJournal()));
  const kept = { host: upstream.host, value: hostingToken };
  await git.setToken({ input: kept, signal: new AbortController().signal });
  const core = createScriptedCore();
  const sent: { text: string; title: string | undefined }[] = [];
  let title: string | undefined;
  core.replace({
    git: { issue: git.issue },
    models: { show: () => model },
    projects: { settings: () => settings, records: () => [] },
    sessions: {
      create: ({ input }) => {
        ({ title } = input);
        return { sessionId: core.createSession({ projectPath: repo.folder }) };
      },
      send: ({ input }) => {
        sent.push({ text: input.text, title });
        throw new AppError('refused', 'The test ends here.');
      },
    },
  });
  const { context, said } = commandContext(core);
  const args = { project: repo.folder, sandbox: 'read-only', policy: 'local', local: model.id };
  const start = (more: RunArguments, words = '') => run(context, words, { ...args, ...more });
  return { sent, said, upstream, start };
}

describe.skipIf(isWithoutGit)('a run that begins from an issue', () => {
  it('names the remotes when there are several, and asks no host', async () => {
    const { sent, start, upstream } = await projectWithIssue();
    const seen = start({ issue: '12' });
    await expect(seen).rejects.toThrow('There are several remotes: mine, upstream.');
    expect(upstream.seen).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('takes the issue of the remote that is named, after the words of its own', async () => {
    const { sent, start, said } = await projectWithIssue();
    await expect(start({ issue: '12', remote: 'upstream' }, 'Keep it short.')).rejects.toThrow('The test ends here.');
    expect(sent).toMatchObject([{ title: 'Issue #12: Wrong date' }]);
    expect(sent[0]?.text).toMatch(/^Keep it short\.\n\nSolve issue 12 of [^]*> In March\./u);
    expect(said.err).toContain('A commit of this session goes to the branch dewpoint/issue-12-wrong-date.');
  });

  it('asks for an issue when only a remote is named', async () => {
    const { start } = await projectWithIssue();
    await expect(start({ remote: 'upstream' }, 'x')).rejects.toThrow('only named for an issue');
  });
});

// Catches: a question in the folder of a project with knowledge, answered without it and without a word.
it.each([
  [1, "This folder's project has knowledge: add --project . to use it.\n"],
  [0, ''],
])('a talk without a project names the knowledge of the folder it starts in, with %s files', async (count, hint) => {
  const core = createScriptedCore();
  const asked: string[] = [];
  const from = { type: 'file', path: '/shelf/handbook.pdf' } as const;
  const file = {
    name: 'handbook.pdf',
    sizeBytes: 1,
    kind: 'pdf',
    pages: 1,
    tokens: 1,
    from,
    addedAt: 0,
    isWhole: false,
  } as const;
  core.replace({
    knowledge: {
      list: ({ input: { projectPath } }) => {
        asked.push(projectPath);
        return { name: 'knowledge', folder: '/home/knowledge', files: Array.from({ length: count }, () => file) };
      },
    },
  });
  const { context, said } = commandContext(core);
  await openSession(context, parseRunOptions({}, false));
  expect(said.err).toBe(hint);
  expect(asked).toEqual([process.cwd()]);
  await openSession(context, parseRunOptions({ project: '/project' }, false));
  expect(asked).toHaveLength(1);
});
