import { messageOf } from '@shared/errors.ts';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import type { CardPlan } from '../src/main/models/engine/card-plan.ts';
import { planCards } from '../src/main/models/engine/card-plan.ts';
import { engineVersion } from '../src/main/models/engine/engine-packages.ts';
import { enginesDir } from '../src/main/models/engine/engine-variants.ts';
import { readCardFacts } from '../src/main/models/machine/card-facts.ts';
import { createMachineProbe, readHardware } from '../src/main/models/machine/hardware.ts';
import { readGguf } from '../src/main/models/memory/gguf/read-gguf.ts';
import { testPrograms } from '../tests/fakes/test-programs.ts';
import type { CardFile } from './lib/card/card-bed.ts';
import type { CardReport } from './lib/card/card-report.ts';
import { cardMarkdown, cardRows, planForReport } from './lib/card/card-report.ts';
import type { CardStep } from './lib/card/card-steps.ts';
import { runCardSteps } from './lib/card/card-steps.ts';
import { createEngineBed } from './lib/card/engine-bed.ts';
import { bytesOfShape, largeShapes, writeShapedModel } from './lib/card/shaped-model.ts';
import { simulatedCards, simulatedFiles } from './lib/card/simulated-cards.ts';
import { askLlamaBench, buildLlamaBench } from './lib/card/llama-bench.ts';
import { createSimulatedBed } from './lib/card/simulated-bed.ts';
import type { Setting } from './lib/machine.ts';
import type { BenchRow } from './lib/rows.ts';
import { UsageError } from './lib/usage-error.ts';

const usage =
  'It takes --report NAME (for NAME.json and NAME.md), --made no (no large made files) or --made 7B,35B-A3B (these), --tokenizer FILE (a GGUF, its header is enough, for made files), --llama-bench FILE (a built one), and --simulated yes.';
const programs = testPrograms();

/**
 * Runs every check of a graphics card, with a report. Uses the engine library of this machine; without a card it says
 * so. `--simulated yes` runs the procedure on simulated cards, to test the procedure itself.
 */
export async function run(args: readonly string[], setting: Setting): Promise<readonly BenchRow[]> {
  const options = parse(args);
  if (options.simulated === 'yes') return simulatedRows();
  const signal = AbortSignal.timeout(60_000);
  const probe = createMachineProbe(programs);
  const hardware = await readHardware([], signal, probe);
  const facts = await readCardFacts(probe, { devices: hardware.devices, arch: process.arch, env: process.env }, signal);
  const plan = planCards(facts);
  const head = {
    setting,
    engine: engineVersion,
    hardware,
    facts,
    plan: planForReport(plan),
    tool: await toolSays(signal),
  };
  const { cache } = findDataFolders(process.env, process.platform);
  const workerPath = resolve('out/main/llama-worker.cjs');
  const nothing = async (note: string): Promise<readonly BenchRow[]> => {
    await writeReport(options.report, { ...head, files: [], steps: [] });
    return [{ figure: 'cards that were tested', value: 0, unit: '', target: null, note }];
  };
  if (plan.use === null) return nothing(`no card that can be used: ${plan.reason ?? 'none was found'}`);
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-card-'));
  const bed = createEngineBed({
    folder,
    workerPath,
    nodePath: process.execPath,
    enginesDir: enginesDir(cache),
    programs,
  });
  try {
    const room = hardware.devices.reduce((sum, { freeBytes }) => sum + freeBytes, 0);
    const files = await filesFor(cache, { ...options, roomBytes: room });
    if (files.length === 0) return await nothing('there is a card, and no model: npm start -- models pull NAME');
    const named = files.map(({ path: _path, ...file }) => file);
    const steps = await runCardSteps({
      bed,
      files,
      bare: await bareSpeed(options['llama-bench'], plan.use, { cache, folder }),
      onStep: async (step, steps) => {
        say(step);
        await writeReport(options.report, { ...head, files: named, steps });
      },
      settle: () => setTimeout(1_500),
    });
    console.error(`The report is in ${options.report}.json and ${options.report}.md.`);
    return cardRows(steps);
  } finally {
    await bed.release();
    await rm(folder, { recursive: true, force: true });
  }
}

const defaults = { report: 'bench/results/card', made: 'yes', simulated: 'no', tokenizer: '', 'llama-bench': '' };
type Options = typeof defaults;

function parse(args: readonly string[]): Options {
  const values = { ...defaults };
  for (let index = 0; index < args.length; index += 2) {
    const [name = '', value = ''] = [args[index]?.replace(/^--/u, ''), args[index + 1]];
    if (value === '' || !isOption(name)) throw new UsageError(usage);
    values[name] = value;
  }
  return values;
}

function isOption(name: string): name is keyof Options {
  return Object.hasOwn(defaults, name);
}

/**
 * Measures with the given `llama-bench`, or one built beside the library of this card. Null, with a message, where that
 * fails.
 */
async function bareSpeed(
  given: string,
  use: CardPlan['use'],
  { cache, folder }: { readonly cache: string; readonly folder: string },
): Promise<Parameters<typeof runCardSteps>[0]['bare']> {
  if (given !== '') return (file, ask) => askLlamaBench(given, file.path, ask);
  try {
    if (use === null || use === 'metal') throw new Error('it is built on Linux, with a library for cards');
    const [first] = use.packages;
    const name = first?.name ?? '';
    const own = join(folder, 'llama-bench');
    await mkdir(own);
    const program = await buildLlamaBench(own, join(enginesDir(cache), name, 'bins', name));
    return (file, ask) => askLlamaBench(program, file.path, ask);
  } catch (error) {
    console.error(`llama-bench is left out: ${messageOf(error)}`);
    return null;
  }
}

function say({ step, model, isOk, why }: CardStep): void {
  console.error(`${isOk ? 'ok' : 'WRONG'}  ${step}, ${model}${why === null ? '' : `: ${why}`}`);
}

async function writeReport(name: string, report: CardReport): Promise<void> {
  const base = resolve(name);
  await mkdir(resolve(base, '..'), { recursive: true });
  await writeFile(`${base}.json`, `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(`${base}.md`, `${cardMarkdown(report)}\n`);
}

/** What the maker's tool says of the card, without serial numbers and names of processes. */
async function toolSays(signal: AbortSignal): Promise<string | null> {
  const asked =
    'name,driver_version,compute_cap,memory.total,memory.used,pcie.link.gen.max,pcie.link.width.max,power.limit,clocks.max.mem';
  const { code, stdout } = await programs.run(['nvidia-smi'], [`--query-gpu=${asked}`, '--format=csv'], {
    needs: ['card'],
    signal,
  });
  return code === 0 ? stdout.trim() : null;
}

const real = ['smollm2-135m-instruct', 'qwen2.5-coder-0.5b-instruct', 'qwen2.5-coder-1.5b-instruct'];

/** The real models on this machine, and made ones up to the memory of the card. Made ones are kept in the cache. */
async function filesFor(
  cache: string,
  { roomBytes, tokenizer, made }: Options & { readonly roomBytes: number },
): Promise<readonly CardFile[]> {
  const paths = real
    .map((name) => ({ name, path: join(cache, 'models', `${name}.gguf`) }))
    .filter(({ path }) => existsSync(path));
  const found: CardFile[] = [];
  for (const { name, path } of paths) {
    const header = await readGguf(path);
    const { size } = await stat(path);
    found.push({
      name,
      path,
      bytes: size,
      activeBytes: size,
      trainedTokens: header.ok ? (header.value.contextTokens ?? 4_096) : 4_096,
    });
  }
  const tokenizerOf = tokenizer === '' ? paths.find(({ name }) => name.startsWith('qwen'))?.path : tokenizer;
  if (tokenizerOf === undefined) return found;
  const folder = join(cache, 'bench', 'made-models');
  const asked = made.split(',');
  for (const shape of largeShapes.filter(({ name }) => made === 'yes' || asked.includes(name))) {
    const path = join(folder, `${shape.name.replaceAll(' ', '-')}.gguf`);
    const { all } = bytesOfShape(shape, 151_936);
    if (all > roomBytes) continue;
    await mkdir(folder, { recursive: true });
    const { bavail, bsize } = await statfs(folder);
    if (!existsSync(path) && bavail * bsize < all * 1.1) {
      console.error(`no room on the disk for ${shape.name}: it is left out`);
      continue;
    }
    if (!existsSync(path)) {
      console.error(`making ${shape.name}, ${Math.round(all / 1e9)} GB of random weights …`);
      await writeShapedModel(shape, { path, tokenizerOf, signal: AbortSignal.timeout(3_600_000) });
    }
    const sizes = bytesOfShape(shape, 151_936);
    const active = shape.experts === undefined ? (await stat(path)).size : sizes.active;
    found.push({
      name: `made ${shape.name}`,
      path,
      bytes: (await stat(path)).size,
      activeBytes: active,
      trainedTokens: shape.trainedTokens,
    });
  }
  return found;
}

async function simulatedRows(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, card] of Object.entries(simulatedCards)) {
    const steps = await runCardSteps({
      bed: createSimulatedBed(card),
      files: simulatedFiles(card),
      bare: null,
      onStep: async () => undefined,
      settle: async () => undefined,
    });
    rows.push(...cardRows(steps).map((row) => ({ ...row, figure: `${name}: ${row.figure}` })));
  }
  return rows;
}
