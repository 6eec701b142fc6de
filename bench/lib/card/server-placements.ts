import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf, valueOf } from '@shared/errors.ts';
import { createOwnLlamaServer } from '../../../src/main/models/engine/llama-server/own-llama-server.ts';
import type { OwnLlamaServer } from '../../../src/main/models/engine/llama-server/own-llama-server.ts';
import type { Card } from '../../../src/main/models/memory/memory-plan.ts';
import { createHeaderReader } from '../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import type { ServerLoadPlan } from '../../../src/main/models/memory/plan-server-load.ts';
import { loadArguments, planServerLoad } from '../../../src/main/models/memory/plan-server-load.ts';
import { cacheDir, modelPath } from '../../../tests/engines/support.ts';
import { testPrograms } from '../../../tests/fakes/test-programs.ts';
import type { BenchRow } from '../rows.ts';
import type { ModelShape } from './shaped-model.ts';
import { writeShapedModel } from './shaped-model.ts';
import { makeSimulatedServer } from './simulated-server.ts';

export interface PlacementWish {
  readonly program: string;
  readonly path: string;
  /** Free memory of each card. */
  readonly cardBytes: readonly number[];
}

export interface Placed {
  readonly plan: ServerLoadPlan;
  /** By card: the planned bytes, and those that the server reports. */
  readonly cards: readonly { readonly planned: number; readonly real: number }[];
}

export function ownServer(): OwnLlamaServer {
  return createOwnLlamaServer({
    nodePath: process.execPath,
    guardPath: resolve('src/main/models/engine/server-guard.ts'),
    programs: testPrograms(),
    env: process.env,
    platform: process.platform,
  });
}

/** Loads a model as planned for the cards that a llama-server sees, and reads what it used of each. */
export async function measurePlacement(
  server: OwnLlamaServer,
  { program, path, cardBytes }: PlacementWish,
): Promise<Placed> {
  const signal = AbortSignal.timeout(120_000);
  const seen = valueOf(await server.ask(program, signal)).cards;
  const cards = seen.map((card, index): Card => ({ ...card, freeBytes: cardBytes[index] ?? 0 }));
  const { facts } = valueOf(await createHeaderReader()(path));
  const plan = planServerLoad({ facts, askedTokens: 4_096, cards, hostFreeBytes: 64 * 2 ** 30, draft: null });
  const load = { program, args: [...loadArguments(path, plan), '--threads', '1'], modelPath: path, idleMs: null };
  const used = await server.use(load, signal);
  if (!used.ok) throw new Error(used.message);
  used.server.leave();
  const real = used.server.sizes?.cards ?? new Map<string, number>();
  return {
    plan,
    cards: cards.map(({ name }, index) => ({ planned: plan.cardSizes[index] ?? 0, real: real.get(name) ?? 0 })),
  };
}

const mebi = 2 ** 20;
const small = { layers: 6, width: 512, heads: 8, kvHeads: 2, headWidth: 64, trainedTokens: 32_768 } as const;
/** Small models whose weights are large compared with their compute buffers, as with large models. */
export const placedShapes = {
  experts: { ...small, name: 'experts', architecture: 'qwen3moe', feedForward: 256, experts: { count: 128, used: 8 } },
  dense: { ...small, name: 'dense', architecture: 'qwen3', feedForward: 8_192 },
} as const satisfies Readonly<Record<string, ModelShape>>;

export async function writePlaced(shape: ModelShape, folder: string): Promise<string> {
  const path = join(folder, `${shape.name}.gguf`);
  const tokenizerOf = modelPath('smollm2-135m-instruct');
  await writeShapedModel(shape, { path, tokenizerOf, signal: AbortSignal.timeout(120_000) });
  return path;
}

/** Free memory of each card, in MiB: enough for all, for some, and for little. */
const rooms = {
  experts: [[1_024], [470], [420], [600, 600], [390, 400]],
  dense: [[1_024], [390], [390, 390]],
} as const;
/** The server rounds each buffer up, and also copies small inputs. */
const roundedBytes = 64 * 1024;

/**
 * Loads models whose experts or first layers are in main memory, and compares the plan for each card with its real use.
 */
export async function placementRows(): Promise<readonly BenchRow[]> {
  const figure = 'plans for a card beside main memory that count less than a llama-server takes';
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-placements-'));
  const server = ownServer();
  try {
    const program = await builtLlamaServer();
    if (program === null) throw new Error('No llama-server is built here: npm test -- engines');
    const servers = new Map<number, string>();
    for (const count of [1, 2]) {
      const own = join(folder, String(count));
      await mkdir(own);
      const cards = Array.from({ length: count }, () => 1_024 * mebi);
      servers.set(count, await makeSimulatedServer(own, { program, cards }));
    }
    const all: { readonly at: string; readonly placed: Placed }[] = [];
    for (const name of ['experts', 'dense'] as const) {
      const path = await writePlaced(placedShapes[name], folder);
      for (const room of rooms[name]) {
        const wish = { program: servers.get(room.length) ?? '', path, cardBytes: room.map((size) => size * mebi) };
        all.push({ at: `${name} ${room.join('+')} MiB`, placed: await measurePlacement(server, wish) });
      }
    }
    return [rowOf(figure, all)];
  } catch (error) {
    return [{ figure, value: null, unit: '', target: { atMost: 0 }, note: messageOf(error).split('\n')[0] ?? '' }];
  } finally {
    await server.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

function rowOf(figure: string, all: readonly { readonly at: string; readonly placed: Placed }[]): BenchRow {
  const said = all.map(({ at, placed: { plan, cards } }) => {
    const sizes = cards.map(({ planned, real }) => `${inMebi(planned)} planned, ${inMebi(real)} taken`);
    return `${at}: ${plan.placement ?? 'unplanned'}, ${sizes.join(' and ')}`;
  });
  const isUnder = ({ placed }: (typeof all)[number]): boolean =>
    placed.cards.some(({ planned, real }) => real > planned + roundedBytes);
  return { figure, value: all.filter(isUnder).length, unit: '', target: { atMost: 0 }, note: said.join('; ') };
}

function inMebi(bytes: number): string {
  return (bytes / mebi).toFixed(1);
}

/** The server that `scripts/setup/llama-server.mjs` left in the cache, null if there is none. */
async function builtLlamaServer(): Promise<string | null> {
  const folder = join(cacheDir(), 'llama-server');
  const builds = await readdir(folder).catch((): string[] => []);
  return builds.map((build) => join(folder, build, 'llama-server')).find((path) => existsSync(path)) ?? null;
}
