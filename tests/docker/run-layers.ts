import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
// oxlint-disable-next-line import/default -- `?raw` gives the text of the file, which runs in the container
import driver from './layers-driver.mjs?raw';

const image = process.env['DEWPOINT_SANDBOX_IMAGE'] ?? 'dewpoint-sandbox:dev';
const execute = promisify(execFile);

/** The time limit for all runs together. They take about a minute, or several on a busy machine. */
export const layersLimitMs = 480_000;

/** For one command. A busy machine takes half a minute where an idle one takes a second, so only what hangs reaches it. */
const commandLimitMs = 180_000;

export type LayersPlan = {
  /** A folder below the root. */
  readonly id: string;
  /**
   * Each step copies the folders `layers` of `id` over one another into an empty workspace, and runs a command there.
   */
  readonly steps: readonly { readonly name: string; readonly layers: readonly string[]; readonly command: string }[];
};

const resultsSchema = z.array(
  z.object({ id: z.string(), step: z.string(), exitCode: z.number().nullable(), output: z.string() }),
);
export type LayersResult = z.infer<typeof resultsSchema>[number];

/** Runs every step of the plans in one container of the sandbox image, without a network, and removes the container. */
export async function runLayers(root: string, plans: readonly LayersPlan[]): Promise<readonly LayersResult[]> {
  const container = `dewpoint-layers-${randomUUID()}`;
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-layers-'));
  try {
    await writeFile(join(folder, 'plan.json'), JSON.stringify(plans));
    await writeFile(join(folder, 'driver.mjs'), driver);
    await docker('run', '--detach', '--rm', '--init', '--network', 'none', '--name', container, image, 'sleep', '600');
    await docker('cp', resolve(root), `${container}:/scratch/tasks`);
    await docker('cp', join(folder, 'plan.json'), `${container}:/scratch/plan.json`);
    await docker('cp', join(folder, 'driver.mjs'), `${container}:/scratch/driver.mjs`);
    const output = await docker(
      'exec',
      container,
      'node',
      '/scratch/driver.mjs',
      '/scratch/plan.json',
      String(commandLimitMs),
    );
    return resultsSchema.parse(JSON.parse(output));
  } finally {
    await docker('rm', '--force', container).catch(() => '');
    await rm(folder, { recursive: true, force: true });
  }
}

async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('docker', [...args], { maxBuffer: 64 * 1024 * 1024, timeout: layersLimitMs });
  return stdout;
}
