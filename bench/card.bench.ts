import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
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
import { createSimulatedBed } from './lib/card/simulated-bed.ts';
import type { Setting } from './lib/machine.ts';
import type { BenchRow } from './lib/rows.ts';
import { UsageError } from './lib/usage-error.ts';

const usage =
  'It takes --report NAME (for NAME.json and NAME.md), --made no (no large made files), and --simulated yes.';
const programs = testPrograms();

/**
 * Everything that a card can be asked, with a report. Uses the engine library that is here; without a card it says so.
 * `--simulated yes` runs the procedure on cards by numbers, to test the procedure.
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
    const files = await filesFor(cache, options.made === 'no' ? 0 : room);
    if (files.length === 0) return await nothing('there is a card, and no model: npm start -- models pull NAME');
    const steps = await runCardSteps({ bed, files, onStep: say, settle: () => setTimeout(1_500) });
    await writeReport(options.report, { ...head, files: files.map(({ path: _path, ...file }) => file), steps });
    return cardRows(steps);
  } finally {
    await bed.release();
    await rm(folder, { recursive: true, force: true });
  }
}

function parse(args: readonly string[]): {
  readonly report: string;
  readonly made: string;
  readonly simulated: string;
} {
  const values = { report: 'bench/results/card', made: 'yes', simulated: 'no' };
  for (let index = 0; index < args.length; index += 2) {
    const [name = '', value = ''] = [args[index]?.replace(/^--/u, ''), args[index + 1]];
    if (value === '' || (name !== 'report' && name !== 'made' && name !== 'simulated')) throw new UsageError(usage);
    values[name] = value;
  }
  return values;
}

function say({ step, model, isOk, why }: CardStep): void {
  console.error(`${isOk ? 'ok' : 'WRONG'}  ${step}, ${model}${why === null ? '' : `: ${why}`}`);
}

async function writeReport(name: string, report: CardReport): Promise<void> {
  const base = resolve(name);
  await mkdir(resolve(base, '..'), { recursive: true });
  await writeFile(`${base}.json`, `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(`${base}.md`, `${cardMarkdown(report)}\n`);
  console.error(`The report is in ${name}.json and ${name}.md.`);
}

/** No serial numbers and no names of processes. */
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

/** The real models that are here, and made ones up to the memory of the card: they lie in the cache, and are made once. */
async function filesFor(cache: string, roomBytes: number): Promise<readonly CardFile[]> {
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
  const tokenizerOf = paths.find(({ name }) => name.startsWith('qwen'))?.path;
  if (tokenizerOf === undefined) return found;
  const folder = join(cache, 'bench', 'made-models');
  for (const shape of largeShapes) {
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
      onStep: () => undefined,
      settle: async () => undefined,
    });
    rows.push(...cardRows(steps).map((row) => ({ ...row, figure: `${name}: ${row.figure}` })));
  }
  return rows;
}
