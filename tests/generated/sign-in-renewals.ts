import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMissing, writeFileAtomic } from '../../src/main/lib/files/json-file.ts';
import type { LongSecrets } from '../../src/main/safety/keys/long-secrets.ts';
import { SignInNeeded } from '../../src/main/tools/sign-in/refresh-sign-in.ts';
import type { OauthWorld, TokenFault } from '../fakes/oauth-server.ts';
import { createOauthWorld } from '../fakes/oauth-server.ts';
import { browse, realSignIns, signInDefinition } from '../fakes/sign-in-kit.ts';
import { seeded } from '../../bench/lib/seeded.ts';

const variable = 'DEWPOINT_TEST_SIGN_INS';
const server = 'tracker';

/** What a process did until it was stopped. */
interface Tally {
  /** How often it asked for a token. */
  readonly wanted: number;
  /** How often it got no token, including lost ones. */
  readonly failed: number;
  /** How often it was asked to sign in again. Each time is a lost token. */
  readonly lost: number;
}

export interface Renewals extends Tally {
  readonly renewals: number;
  /** How often one process sent a token that the other had used. */
  readonly reuses: number;
  readonly faults: number;
  /** The refresh token that is stored at the end still works. */
  readonly holds: boolean;
}

/** In a process of `renewByTwo`: asks for tokens until it is stopped or one is lost. Null in all other processes. */
export function renewalsChild(): Promise<never> | null {
  const text = process.env[variable];
  if (text === undefined) return null;
  const { home, mcpUrl, seed }: { home: string; mcpUrl: string; seed: number } = JSON.parse(text);
  let isOver = false;
  process.on('message', () => (isOver = true));
  process.on('disconnect', () => process.exit(0));
  return wantUntil(() => isOver, { home, mcpUrl, seed }).then((tally) => {
    process.send?.(tally);
    return new Promise(() => undefined);
  });
}

async function wantUntil(
  isOver: () => boolean,
  { home, mcpUrl, seed }: { readonly home: string; readonly mcpUrl: string; readonly seed: number },
): Promise<Tally> {
  const signIns = realSignIns(home, fileSecrets(join(home, 'keys.json'), seeded(seed)));
  const auth = signIns.forServer(server, signInDefinition(mcpUrl));
  const tally = { wanted: 0, failed: 0, lost: 0 };
  while (!isOver() && tally.lost === 0) {
    tally.wanted += 1;
    try {
      // The service's tokens last a second, so each request is a renewal, or gets the token that the other process just
      // renewed.
      await auth?.provider.token();
    } catch (error) {
      tally.failed += 1;
      if (error instanceof SignInNeeded) tally.lost += 1;
    }
  }
  await signIns.dispose();
  return tally;
}

const faults: readonly TokenFault[] = ['500', '503', '429', 'cut', 'lost', 'garbage', 'slow', 'away'];
const faultShare = 0.25;

/** Two processes renew one sign-in `count` times in all. The service and the key store fail again and again. */
export async function renewByTwo(
  count: number,
  start: (env: Readonly<Record<string, string>>) => ChildProcess,
): Promise<Renewals> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-renewals-'));
  const world = await createOauthWorld();
  world.expiresInS = 1;
  try {
    await signInOnce(home, world);
    const random = seeded(23);
    let faulty = 0;
    world.tokenFault = () => {
      if (random() > faultShare) return 'none';
      faulty += 1;
      return faults[Math.floor(random() * faults.length)] ?? 'none';
    };
    const children = [1, 2].map((seed) => start({ [variable]: JSON.stringify({ home, mcpUrl: world.mcpUrl, seed }) }));
    const told = children.map(tallyOf);
    let isOver = false;
    for (const one of told) void one.finally(() => (isOver = true)).catch(() => undefined);
    while (world.refreshes() < count && !isOver) await new Promise((wait) => setTimeout(wait, 20));
    for (const child of children) if (child.connected) child.send('stop');
    const tallies = await Promise.all(told);
    for (const child of children) if (child.connected) child.disconnect();
    const kept = await readFile(join(home, 'keys.json'), 'utf8');
    const sum = (of: keyof Tally): number => tallies.reduce((all, tally) => all + tally[of], 0);
    return {
      wanted: sum('wanted'),
      failed: sum('failed'),
      lost: sum('lost'),
      renewals: world.refreshes(),
      reuses: world.reuses(),
      faults: faulty,
      holds: world.holds(/refresh-[\w-]+/u.exec(kept)?.[0] ?? ''),
    };
  } finally {
    await world.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function signInOnce(home: string, world: OauthWorld): Promise<void> {
  const signIns = realSignIns(
    home,
    fileSecrets(join(home, 'keys.json'), () => 1),
  );
  let browsing: Promise<unknown> = Promise.resolve();
  await signIns.start(server, signInDefinition(world.mcpUrl), {
    signal: new AbortController().signal,
    onOpen: ({ url }) => {
      browsing = browse(url);
    },
  });
  await browsing;
}

/** Rejects if the process ends without a message. */
function tallyOf(child: ChildProcess): Promise<Tally> {
  return new Promise((resolve, reject) => {
    // The other process is `renewalsChild`, which sends a tally.
    child.once('message', (tally) => resolve(tally as Tally));
    child.once('exit', (code, signal) => reject(new Error(`a process ended by itself (${signal ?? code})`)));
  });
}

/** The share of accesses in which the key store is locked. */
const lockedShare = 0.03;

/** A key store in a file that all processes share. It is locked now and then. */
function fileSecrets(path: string, random: () => number): LongSecrets {
  const open = (): void => {
    if (random() < lockedShare) throw new Error('The key store is locked.');
  };
  const load = async (): Promise<Record<string, string>> => {
    try {
      return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
    } catch (error) {
      if (isMissing(error)) return {};
      throw error;
    }
  };
  const change = async (edit: (all: Record<string, string>) => void): Promise<void> => {
    open();
    const all = await load();
    edit(all);
    await writeFileAtomic(path, JSON.stringify(all), { sync: false });
  };
  return {
    check: async () => open(),
    read: async (name) => {
      open();
      return (await load())[name] ?? null;
    },
    write: (name, value) => change((all) => (all[name] = value)),
    remove: (name) => change((all) => delete all[name]),
  };
}
