import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsSchema, type Settings } from '../../src/shared/settings/settings.ts';
import { createProjectImages } from '../../src/main/sandbox/images/project-images.ts';
import { isWithoutEngine, none, output, requireEngine, startSandbox } from './docker-kit.ts';
import { openImageRegistry } from '../fakes/image-registry.ts';
import { smallImageCommand } from '../fakes/private-engine.ts';

describe.skipIf(isWithoutEngine)('an image from elsewhere', () => {
  let folder: string;
  let projects: Settings['sandbox']['projects'] = {};
  const made = new Set<string>();
  const images = () =>
    createProjectImages({
      homePath: join(folder, 'home'),
      env: process.env,
      settings: () => ({ ...settingsSchema.parse({}).sandbox, projects }),
      saveProjects: async (saved) => {
        projects = saved;
      },
    });
  const quiet = (): void => undefined;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-images-')));
    await mkdir(join(folder, 'project'));
    const maker = await startSandbox();
    await output(maker.sandbox, `${smallImageCommand.replace('usr/local/lib/dewpoint/runner', '')}; gzip -k small.tar`);
    await writeFile(join(folder, 'root.tar.gz'), await readFile(join(maker.workspace, 'small.tar.gz')));
    await maker.close();
  });
  afterAll(async () => {
    for (const name of [...made].reverse()) await requireEngine().docker.getImage(name).remove({ force: true });
    await rm(folder, { recursive: true });
  });

  it('is loaded from a file, gets the runner, and runs commands like any other', async () => {
    const image = await images().bring({ type: 'import', file: join(folder, 'root.tar.gz') }, quiet, none);
    made.add(image.name);
    expect(image.name).toMatch(/^dewpoint-import:[0-9a-f]{12}$/);
    const under = await startSandbox({ settings: { image: image.name } });
    try {
      expect(under.sandbox.description.warnings.join(' ')).not.toContain('without the runner');
      expect(await output(under.sandbox, 'echo x > a; cat a; ls /proc/1/exe 2>&1 | grep -c denied')).toBe('x\n1\n');
      const [id = ''] = (await under.leftovers()).containers;
      const { Mounts } = await requireEngine().docker.getContainer(id).inspect();
      expect(Mounts.filter(({ Destination }) => Destination === '/run/dewpoint-runner')).toMatchObject([{ RW: false }]);
    } finally {
      await under.close();
    }
    // The same again, from the output of `docker save`.
    const saved = join(folder, 'saved.tar');
    const chunks: Buffer[] = [];
    for await (const chunk of await requireEngine().docker.getImage(image.name).get()) chunks.push(Buffer.from(chunk));
    await writeFile(saved, Buffer.concat(chunks));
    expect(await images().bring({ type: 'import', file: saved }, quiet, none)).toMatchObject({ id: image.id });
  });

  it('is built for a project after approval byte by byte, and not when a step fails', async () => {
    const project = join(folder, 'project');
    const [base = ''] = made;
    const own = async (text: string) => {
      await writeFile(join(project, 'Dockerfile'), text);
      return images().ofProject(project);
    };
    const bring = (approval: string) =>
      images().bring({ type: 'project', projectPath: project, approval }, quiet, none);
    const first = await own(`FROM ${base}\nENV BROUGHT=yes\n`);
    const second = await own(`FROM ${base}\nENV BROUGHT=changed\n`);
    await expect(bring(first?.approval ?? '')).rejects.toMatchObject({ code: 'conflict' });
    expect(projects).toEqual({});
    const image = await bring(second?.approval ?? '');
    made.add(image.name);
    expect(projects[project]?.image).toEqual({ name: image.name, approval: second?.approval });
    expect((await images().ofProject(project))?.isUsed).toBe(true);
    const failing = await own(`FROM ${base}\nCOPY secret /\n`);
    expect(failing?.isUsed).toBe(false);
    await expect(bring(failing?.approval ?? '')).rejects.toMatchObject({
      code: 'missing-sandbox',
      message: expect.stringContaining('gets only the Dockerfile'),
    });
    expect(projects[project]?.image?.name).toBe(image.name);
  });

  it('is fetched by its digest, and refused when something else arrives', async () => {
    await using registry = await openImageRegistry();
    const { name, digest, id } = registry;
    const said: string[] = [];
    const wanted = `${name}@${digest}`;
    const image = await images().bring({ type: 'pull', name: wanted }, (text) => void said.push(text), none);
    expect(image).toMatchObject({ name: wanted, id });
    expect(said.join()).toContain(`Fetching ${wanted}.`);
    await requireEngine().docker.getImage(wanted).remove({ force: true });

    await using other = await openImageRegistry(true);
    const forged = `${other.name}@${other.digest}`;
    const refused = images().bring({ type: 'pull', name: forged }, quiet, none);
    await expect(refused).rejects.toMatchObject({
      code: 'missing-sandbox',
      message: expect.stringContaining('No image was made: '),
    });
    await expect(requireEngine().docker.getImage(forged).inspect()).rejects.toMatchObject({ statusCode: 404 });
    const absent = images().bring({ type: 'pull', name: `${name}:absent` }, quiet, none);
    await expect(absent).rejects.toMatchObject({ code: 'missing-sandbox' });
    const nowhere = images().bring({ type: 'pull', name: '127.0.0.1:1/none:1' }, quiet, none);
    await expect(nowhere).rejects.toMatchObject({
      message: expect.stringMatching(/because its registry cannot be reached/),
      hint: expect.stringContaining('sandbox image import'),
    });
  });

  it('is refused when it is no image', async () => {
    await writeFile(join(folder, 'no.tar'), 'this is no archive at all');
    for (const file of ['no.tar', 'not-there.tar'])
      await expect(images().bring({ type: 'import', file: join(folder, file) }, quiet, none)).rejects.toThrow(/no/i);
    await expect(images().bring({ type: 'pull', name: '--x y' }, quiet, none)).rejects.toMatchObject({
      code: 'bad-input',
    });
  });
});
