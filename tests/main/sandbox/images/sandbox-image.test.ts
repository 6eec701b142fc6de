import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEngine, type Engine } from '../../../../src/main/sandbox/docker/engine/container-engine.ts';
import { runnerVersion } from '../../../../src/main/sandbox/docker/runner/runner-frames.ts';
import { findImage, ourImageName } from '../../../../src/main/sandbox/images/sandbox-image.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

const none = new AbortController().signal;

/** An engine with scripted images and scripted answers to builds. */
interface FakeEngine {
  readonly images: Map<string, string>;
  build: readonly object[];
  labels: Readonly<Record<string, string>>;
  builtAs: string | null;
}

describe('the image of the sandbox', () => {
  let folder: string;
  let server: Server;
  let engine: Engine;
  let fake: FakeEngine;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dewpoint-image-'));
    await mkdir(join(folder, 'sandbox/runner'), { recursive: true });
    await writeFile(join(folder, 'sandbox/runner/runner.c'), 'int main;\n');
    await writeFile(join(folder, 'sandbox/Dockerfile'), 'FROM scratch\n');
    fake = { images: new Map(), build: [], labels: {}, builtAs: null };
    server = createServer((request, response) => {
      const { status, body } = answer(fake, request);
      request.resume();
      request.on('end', () => response.writeHead(status, { 'content-type': 'application/json' }).end(body));
    });
    await new Promise<void>((resolve) => server.listen(join(folder, 'engine.sock'), resolve));
    const found = await findEngine(
      {
        env: { DOCKER_HOST: `unix://${folder}/engine.sock` },
        homeDirectory: folder,
        platform: 'linux',
        waitMs: 60_000,
      },
      none,
    );
    if (!found.ok) throw new Error(found.error.message);
    engine = found.value;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  const progress: string[] = [];
  const find = (options: { wanted?: string; script?: string } = {}) =>
    findImage(
      engine,
      {
        wanted: options.wanted ?? null,
        resourcesPath: folder,
        script:
          options.script === undefined
            ? null
            : { node: process.execPath, path: options.script, programs: testPrograms() },
        onProgress: (text) => progress.push(text),
      },
      none,
    );

  async function writeScript(text: string): Promise<string> {
    const path = join(folder, 'image.mjs');
    await writeFile(path, text);
    return path;
  }

  it('is found by the content of the Dockerfile and of the runner', async () => {
    const name = await ourImageName(folder);
    fake.images.set(name, 'sha256:aaa');
    expect(await find()).toEqual({ ok: true, value: { name, id: 'sha256:aaa', runner: 'missing' } });
    await writeFile(join(folder, 'sandbox/Dockerfile'), 'FROM other\n');
    const other = await ourImageName(folder);
    await writeFile(join(folder, 'sandbox/runner/runner.c'), 'int main(void);\n');
    expect(new Set([name, other, await ourImageName(folder)]).size).toBe(3);
  });

  it.each([
    [String(runnerVersion), 'brought'],
    ['0', 'missing'],
    ['none', 'unwanted'],
  ])('with the label %s has its runner %s', async (label, runner) => {
    fake.images.set(await ourImageName(folder), 'sha256:aaa');
    fake.labels = { 'dewpoint.runner': label };
    expect(await find()).toMatchObject({ ok: true, value: { runner } });
  });

  it('from the settings is used as it is, never replaced by another', async () => {
    fake.images.set(await ourImageName(folder), 'sha256:aaa');
    expect(await find({ wanted: 'mine:1' })).toMatchObject({
      ok: false,
      error: { code: 'missing-sandbox', message: expect.stringContaining('mine:1') },
    });
    fake.images.set('mine:1', 'sha256:bbb');
    expect(await find({ wanted: 'mine:1' })).toEqual({
      ok: true,
      value: { name: 'mine:1', id: 'sha256:bbb', runner: 'missing' },
    });
  });

  it('is built with progress when it is missing', async () => {
    fake.build = [{ stream: 'Step 1/2 : FROM scratch' }, { stream: 'Successfully built' }];
    const name = await ourImageName(folder);
    expect(await find()).toEqual({ ok: true, value: { name, id: 'sha256:built', runner: 'missing' } });
    expect(progress).toContain('Step 1/2 : FROM scratch');
  });

  it('does not count as built when the stream holds an error and then ends well', async () => {
    fake.build = [{ stream: 'Step 1/2' }, { error: 'pull access denied' }, { stream: 'done' }];
    expect(await find()).toMatchObject({
      ok: false,
      error: {
        code: 'missing-sandbox',
        message: expect.stringContaining('pull access denied'),
        hint: expect.any(String),
      },
    });
  });

  it('does not count as built when only the details hold an error, or the stream ends early', async () => {
    fake.build = [{ stream: 'Step 1/2' }, { errorDetail: { message: 'no space left on device' }, error: null }];
    expect(await find()).toMatchObject({ ok: false, error: { message: expect.stringContaining('no space left') } });
    fake.images.clear();
    fake.build = [{ stream: 'Step 1/2' }, { error: undefined }];
    expect(await find()).toMatchObject({ ok: false, error: { message: expect.stringContaining('left no image') } });
  });

  it('comes from the build script where there is one, whose last line explains a failure', async () => {
    fake.images.set('dewpoint-sandbox:made', 'sha256:ccc');
    const good = await writeScript(
      `console.error('making it'); console.log(JSON.stringify({ image: 'dewpoint-sandbox:made', id: 'sha256:ccc' }));`,
    );
    expect(await find({ script: good })).toMatchObject({ ok: true, value: { id: 'sha256:ccc' } });
    expect(progress).toContain('making it');
    fake.images.clear();
    fake.build = [{ error: 'no registry' }];
    const bad = await writeScript(`console.error('first'); console.error('debootstrap is missing'); process.exit(5);`);
    expect(await find({ script: bad })).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/debootstrap is missing; no registry/) },
    });
  });
});

function answer(fake: FakeEngine, request: IncomingMessage): { status: number; body: string } {
  const url = new URL((request.url ?? '').replace(/^\/v[\d.]+/, ''), 'http://engine');
  const image = /^\/images\/(.+)\/(json|tag)$/.exec(decodeURIComponent(url.pathname));
  if (url.pathname === '/version') return { status: 200, body: JSON.stringify({ Version: '1', ApiVersion: '1.41' }) };
  if (url.pathname === '/info') return { status: 200, body: '{}' };
  if (url.pathname === '/build') {
    const name = url.searchParams.get('t') ?? '';
    if (fake.build.every((record) => !('error' in record))) fake.images.set(name, 'sha256:built');
    return { status: 200, body: fake.build.map((record) => `${JSON.stringify(record)}\n`).join('') };
  }
  const id = fake.images.get(image?.[1] ?? '');
  if (id === undefined) return { status: 404, body: JSON.stringify({ message: 'no such image' }) };
  if (image?.[2] === 'tag') fake.images.set(`${url.searchParams.get('repo')}:${url.searchParams.get('tag')}`, id);
  return {
    status: image?.[2] === 'tag' ? 201 : 200,
    body: image?.[2] === 'tag' ? '' : JSON.stringify({ Id: id, Config: { Labels: fake.labels } }),
  };
}
