import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrationInputSchema, type CalibrationView } from '../../src/shared/calibration/calibration.ts';
import { homeIdOf } from '../../src/main/sandbox/docker/user/container-identity.ts';
import { itemsOf, openClientCore, type ClientCore } from '../fakes/core-client.ts';
import { isWithoutGit } from '../fakes/git-here.ts';
import { realRepository, type RealRepository } from '../fakes/real-repository.ts';
import { isWithoutEngine, requireEngine } from './docker-kit.ts';

let folder: string;
let home: string;
let repository: RealRepository;
let core: ClientCore;

const cart = `"""Carts."""


def total_of(prices):
    total = 0
    for price in prices:
        total = total + price
    return total


def is_free_of_postage(prices, least):
    if least == 0:
        return False
    return total_of(prices) >= least


def share_of(prices, people):
    if people < 2:
        return total_of(prices)
    return total_of(prices) / people
`;
const tests = `from cart import is_free_of_postage, share_of, total_of


def test_total():
    assert total_of([1, 2]) == 3


def test_postage():
    assert is_free_of_postage([5, 5], 10)
    assert not is_free_of_postage([5], 10)
    assert not is_free_of_postage([5], 0)


def test_share():
    assert share_of([4, 6], 2) == 5
    assert share_of([4], 1) == 4
`;
const added = `

def largest_of(prices):
    return max(prices) if prices else None
`;
const addedTests = `

def test_largest():
    from cart import largest_of
    assert largest_of([1, 3, 2]) == 3
    assert largest_of([]) is None
`;

/** Every file with its content and its times, as a hash. */
const stateOfFolder = (): string =>
  execFileSync('sh', ['-c', 'find . -type f -exec sha256sum {} + | sort; find . -printf "%p %m %T@\\n" | sort'], {
    cwd: repository.folder,
    encoding: 'utf8',
  });

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-calibrate-docker-')));
  home = join(folder, 'home');
  await mkdir(home);
  await mkdir(join(folder, 'project'));
  repository = realRepository(join(folder, 'project'));
  repository.write('cart.py', cart);
  repository.write('tests/test_cart.py', tests);
  repository.write('conftest.py', '');
  repository.commit('The cart');
  repository.write('cart.py', cart + added);
  repository.write('tests/test_cart.py', tests + addedTests);
  repository.commit('feat: say which price of a cart is the largest, and nothing for an empty one');
  core = await openClientCore({ home, cache: join(folder, 'cache'), version: '0.0.0-test', onNotice: () => undefined });
});

afterAll(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

const containers = async (): Promise<number> => {
  const filters = { label: [`dewpoint.home=${homeIdOf(home)}`] };
  return (await requireEngine().docker.listContainers({ all: true, filters })).length;
};

async function workThrough(more: object): Promise<CalibrationView> {
  const input = calibrationInputSchema.parse({ projectPath: repository.folder, onlyTasks: true, tasks: 8, ...more });
  const { id } = await core.client.calibrations.create(input);
  await core.client.calibrations.start({ id });
  await itemsOf(core.client.calibrations.watch({ id }));
  return core.client.calibrations.show({ id });
}

/** Catches: a task that cannot be solved, or that is solved from the start, and a project that is touched. */
describe.skipIf(isWithoutEngine || isWithoutGit)('the tasks of a calibration in a real sandbox', () => {
  it('come from a past commit, planted faults and questions, and all are verified twice', async () => {
    const before = stateOfFolder();
    const done = await workThrough({});
    expect(done.why).toBeNull();
    const kinds = new Set(done.tasks.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['commit', 'fault', 'question']);
    expect(done.tasks.every(({ verified }) => verified.failedBefore === 2 && verified.passedAfter === 2)).toBe(true);
    const commit = done.tasks.find(({ kind }) => kind === 'commit');
    expect(commit?.request).toMatch(/^Say which price of a cart is the largest/u);
    const fault = done.tasks.find(({ kind }) => kind === 'fault');
    expect(fault?.request).toContain('test_cart.py::test_');
    expect(stateOfFolder()).toBe(before);
    expect(await containers()).toBe(0);
    expect(await readdir(join(home, 'workspaces'))).toEqual([]);
  }, 180_000);

  it('leave nothing running when they are cancelled, and go on from there', async () => {
    const input = calibrationInputSchema.parse({ projectPath: repository.folder, onlyTasks: true, tasks: 8, seed: 2 });
    const { id } = await core.client.calibrations.create(input);
    await core.client.calibrations.start({ id });
    for await (const { tasks } of await core.client.calibrations.watch({ id })) if (tasks.length > 0) break;
    await core.client.calibrations.cancel({ id });
    const stopped = await core.client.calibrations.show({ id });
    expect([stopped.state, stopped.why]).toEqual(['stopped', 'It was stopped.']);
    expect(await containers()).toBe(0);
    await core.client.calibrations.start({ id });
    await itemsOf(core.client.calibrations.watch({ id }));
    const done = await core.client.calibrations.show({ id });
    expect(done.state).toBe('ended');
    expect(done.tasks.slice(0, stopped.tasks.length)).toEqual(stopped.tasks);
  }, 180_000);

  it('are only questions where there are no tests, which the report says', async () => {
    const bare = await realpath(await mkdtemp(join(folder, 'bare-')));
    const plain = realRepository(bare);
    plain.write('cart.py', cart);
    const done = await workThrough({ projectPath: bare });
    expect(new Set(done.tasks.map(({ kind }) => kind))).toEqual(new Set(['question']));
    expect(done.project?.notes[0]).toContain('No tests were found.');
  }, 180_000);
});
