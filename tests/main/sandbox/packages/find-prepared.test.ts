import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findPrepared, type PartState } from '../../../../src/main/sandbox/packages/find-prepared.ts';
import { dependencyRecords, type DependencyRecord } from '../../../../src/main/sandbox/packages/dependency-records.ts';
import { sessionEnvironmentFrom } from '../../../../src/main/sandbox/packages/session-environment.ts';
import { approvalOf } from '../../../../src/main/sandbox/docker/packages/prepare-dependencies.ts';
import { setupOf, variablesOf } from '../../../../src/main/sandbox/project-sandbox-settings.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';

const none = new AbortController().signal;
const volume = 'dewpoint-deps-0011-2233';
let home = '';
let project = '';

async function states(
  volumes: readonly string[] = [volume],
  asked: { readonly sessionId?: string; readonly anew?: boolean } = {},
): Promise<readonly PartState[]> {
  return findPrepared(
    {
      workspacePath: project,
      projectPath: project,
      imageId: 'sha256:1',
      own: {},
      sessionId: asked.sessionId ?? null,
      anew: asked.anew ?? false,
      records: dependencyRecords(home),
      hasVolume: async (name) => volumes.includes(name),
    },
    none,
  );
}

async function record(outcome: DependencyRecord['outcome']): Promise<void> {
  const [state] = await states();
  if (state === undefined) throw new Error('no part');
  const { key, part } = state;
  const fields = { version: 1, key, ecosystem: part.ecosystem, tool: part.tool, imageId: 'sha256:1' } as const;
  await dependencyRecords(home).write({ ...fields, projectPath: project, at: 1, outcome });
}

const ready = { type: 'ready', volume, sizeBytes: 1, packages: 2, seconds: 3, notes: [] } as const;
const surroundings = async () => sessionEnvironmentFrom(await states(), '/bin', project);

describe('the installed packages of a project', () => {
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'dewpoint-home-'));
    project = await mkdtemp(join(tmpdir(), 'dewpoint-project-'));
    await writeFile(join(project, 'requirements.txt'), 'six\n');
  });

  it('are missing at first, and the person is told the command', async () => {
    expect(await surroundings()).toEqual({
      mounts: [],
      environment: {},
      notes: [],
      absent: [
        'The Python packages of this project are not installed here. Commands have those of the image, and a network only where "network" names hosts.',
      ],
      warnings: [
        `The Python packages of this project (pip) are not installed. Install them with: dewpoint projects prepare ${project}`,
      ],
    });
  });

  it('are mounted read-only once they are there', async () => {
    await record(ready);
    expect(await surroundings()).toEqual({
      mounts: [{ type: 'volume', source: volume, target: '/deps/python', readOnly: true }],
      environment: { VIRTUAL_ENV: '/deps/python', PATH: '/deps/python/bin:/bin' },
      notes: ['Python packages of this project are installed (pip), to be read only.'],
      absent: [],
      warnings: [],
    });
  });

  it('are missing again when their volume was deleted or their record is damaged', async () => {
    await record(ready);
    expect((await states([])).map(({ state }) => state)).toEqual(['missing']);
    const [state] = await states();
    await writeFile(join(home, 'dependencies', `${state?.key ?? ''}.json`), '{"version": 1');
    expect((await states()).map(({ state: now }) => now)).toEqual(['missing']);
  });

  it('are used but called outdated when the project has changed its list', async () => {
    await record(ready);
    await writeFile(join(project, 'requirements.txt'), 'six\nmock\n');
    const { mounts, notes, warnings } = await surroundings();
    expect(mounts.map(({ source }) => source)).toEqual([volume]);
    expect(notes[0]).toContain('those of before requirements.txt changed');
    expect(warnings[0]).toContain('requirements.txt changed since');
  });

  it('come with the reason of a failed try, for the person and the model', async () => {
    await record({ type: 'failed', command: 'pip', reason: 'No matching distribution found for six' });
    const { mounts, absent, warnings } = await surroundings();
    expect([mounts, absent[0], warnings[0]]).toEqual([
      [],
      'Python packages of this project could not be installed: No matching distribution found for six',
      expect.stringContaining('No matching distribution found for six Try again: dewpoint projects prepare'),
    ]);
  });

  it('are not found through a link', async () => {
    const other = await mkdtemp(join(tmpdir(), 'dewpoint-project-'));
    await symlink(join(project, 'requirements.txt'), join(other, 'requirements.txt'));
    project = other;
    expect(await states()).toEqual([]);
  });

  it('include what commands changed, for the session or the project, until the files change', async () => {
    await record(ready);
    const [state] = await states();
    const changedVolume = 'dewpoint-deps-0011-4455';
    const write = async (key: string, isForProject: boolean): Promise<void> =>
      dependencyRecords(home).write({
        version: 1,
        key,
        ecosystem: 'python',
        tool: 'pip',
        imageId: 'sha256:1',
        projectPath: project,
        at: 2,
        changed: {
          sessionId: 'mine',
          isForProject,
          filesKey: state?.key ?? '',
          commands: [{ command: 'pip install evil', hosts: ['index.example.org'], at: 2 }],
        },
        outcome: { ...ready, volume: changedVolume },
      });
    const both = [volume, changedVolume];
    const used = async (asked: Parameters<typeof states>[1]): Promise<unknown> => {
      const [found] = await states(both, asked);
      return [found?.state, found?.record?.outcome.type === 'ready' ? found.record.outcome.volume : null];
    };
    await write('a'.repeat(32), false);
    expect(await used({ sessionId: 'mine' })).toEqual(['ready', changedVolume]);
    expect(await used({ sessionId: 'other' })).toEqual(['ready', volume]);
    await write('a'.repeat(32), true);
    expect(await used({ sessionId: 'other' })).toEqual(['ready', changedVolume]);
    expect(await used({ anew: true })).toEqual(['ready', volume]);
    const { notes, warnings } = sessionEnvironmentFrom(await states(both), '/bin', project);
    expect([notes.join(), warnings.join()]).toEqual([
      expect.not.stringContaining('evil'),
      expect.stringContaining(`"pip install evil". To install them again: dewpoint projects prepare ${project} --anew`),
    ]);
    await writeFile(join(project, 'requirements.txt'), 'six\nmock\n');
    expect(await used({ sessionId: 'mine' })).toEqual(['outdated', changedVolume]);
    // Another project with the same files gets nothing prepared for the first one.
    project = await mkdtemp(join(tmpdir(), 'dewpoint-project-'));
    await writeFile(join(project, 'requirements.txt'), 'six\n');
    expect(await used({ sessionId: 'mine' })).toEqual(['missing', null]);
  });

  it('are looked for below the top, but not in docs, examples or hidden folders', async () => {
    for (const folder of ['backend', 'docs', 'examples/one', '.hidden', 'a b', 'one/two/three']) {
      await mkdir(join(project, folder), { recursive: true });
      await writeFile(join(project, folder, 'uv.lock'), '');
    }
    expect((await states()).map(({ part }) => part.folder)).toEqual(['', 'backend']);
  });

  it('need a new approval for other commands, hosts, files or images', async () => {
    const before = await states();
    const approval = approvalOf(before, ['a.example.org'], 'sha256:1');
    expect(approvalOf(await states(), ['a.example.org'], 'sha256:1')).toBe(approval);
    expect(approvalOf(before, ['a.example.org', 'b.example.org'], 'sha256:1')).not.toBe(approval);
    expect(approvalOf(before, ['a.example.org'], 'sha256:2')).not.toBe(approval);
    await writeFile(join(project, 'requirements.txt'), 'evil\n');
    expect(approvalOf(await states(), ['a.example.org'], 'sha256:1')).not.toBe(approval);
  });
});

describe('the variables of a project', () => {
  it('come from the settings, and secret ones from the environment', () => {
    const { sandbox } = settingsSchema.parse({
      sandbox: { projects: { '/p': { env: { MODE: 'test' }, secretEnv: ['TOKEN', 'UNSET'] } } },
    });
    expect(variablesOf(setupOf(sandbox, '/p'), { TOKEN: 'abc', OTHER: 'x' })).toEqual({
      environment: { MODE: 'test', TOKEN: 'abc' },
      secrets: [{ kind: 'TOKEN', value: 'abc' }],
    });
    expect(variablesOf(setupOf(sandbox, '/other'), { TOKEN: 'abc' })).toEqual({ environment: {}, secrets: [] });
  });
});
