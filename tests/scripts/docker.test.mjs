import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDocker, startDocker } from '../../scripts/setup/docker.mjs';

// A fake client that answers while the file `up` exists, and a fake engine that creates it. No real engine is started
// or stopped.
let folder = '';
const before = { ...process.env };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docker-'));
  program('docker', `[ -e ${folder}/up ] && echo 20.10.24`);
  process.env.PATH = `${folder}:/usr/bin:/bin`;
  process.env.DEWPOINT_CACHE = join(folder, 'cache');
});
afterEach(() => {
  process.env.PATH = before.PATH;
  if (before.DEWPOINT_CACHE === undefined) delete process.env.DEWPOINT_CACHE;
  else process.env.DEWPOINT_CACHE = before.DEWPOINT_CACHE;
  rmSync(folder, { recursive: true, force: true });
});

const program = (name, body) => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
};
const start = (isRoot = true) => startDocker({ pidFile: join(folder, 'docker.pid'), isRoot });

describe.runIf(process.platform === 'linux')('the Docker engine of the tests', () => {
  it('is one that already runs, which is left running', async () => {
    writeFileSync(join(folder, 'up'), '');
    expect(await start()).toEqual({ ok: true });
  });

  it('is started when none runs, and stopped at the end', async () => {
    program(
      'dockerd',
      `trap 'rm ${folder}/up; exit 0' TERM; echo $$ > ${folder}/started; touch ${folder}/up; while :; do sleep 0.05; done`,
    );
    const started = await start();
    expect(findDocker()).toEqual({ ok: true });
    await started.stop();
    expect(existsSync(join(folder, 'up'))).toBe(false);
    expect(() => process.kill(Number(readFileSync(join(folder, 'started'), 'utf8')), 0)).toThrow();
  });

  it('keeps its images in the given folder', async () => {
    program(
      'dockerd',
      `echo "$@" > ${folder}/args; trap 'rm ${folder}/up; exit 0' TERM; touch ${folder}/up; while :; do sleep 0.05; done`,
    );
    process.env.DEWPOINT_TEST_DOCKER_DATA = join(folder, 'data');
    const started = await start();
    delete process.env.DEWPOINT_TEST_DOCKER_DATA;
    await started.stop();
    expect(readFileSync(join(folder, 'args'), 'utf8').trim()).toBe(`--data-root ${join(folder, 'data')}`);
  });

  it('keeps the process alive until it has ended', () => {
    program(
      'dockerd',
      `trap 'sleep 0.3; rm ${folder}/up; exit 0' TERM; touch ${folder}/up; while :; do sleep 0.05; done`,
    );
    const module = JSON.stringify(new URL('../../scripts/setup/docker.mjs', import.meta.url).href);
    const options = JSON.stringify({ pidFile: join(folder, 'docker.pid'), isRoot: true });
    const script = `const { startDocker } = await import(${module}); const it = await startDocker(${options}); await it.stop();`;
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect({ status: ended.status, stderr: ended.stderr }).toMatchObject({ status: 0 });
    expect(existsSync(join(folder, 'up'))).toBe(false);
  });

  it('says why it ended', async () => {
    program('dockerd', 'echo "no permission" >&2; exit 1');
    expect(await start()).toMatchObject({ ok: false, message: expect.stringContaining('no permission') });
  });

  it('is not started without root', async () => {
    program('dockerd', `touch ${folder}/up`);
    expect(await start(false)).toMatchObject({ ok: false, message: expect.stringContaining('does not answer') });
    expect(existsSync(join(folder, 'up'))).toBe(false);
  });
});
