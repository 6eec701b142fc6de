// Runs inside a sandbox container. Copies the folders of each plan over one another and runs its commands, two at a
// time. Reads [{id, steps: [{name, layers, command}]}] from the file in its argument, and writes [{id, step, exitCode,
// output}] to standard output. A command that outlives the limit of the second argument is ended and named.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const TASKS = '/scratch/tasks';
const [, , plan, limitMs] = process.argv;

const jobs = JSON.parse(readFileSync(plan, 'utf8')).flatMap(({ id, steps }) => steps.map((step) => ({ id, ...step })));

function run(command, cwd) {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const { pid } = child;
    const stop = () => {
      output += `\nIt was stopped after ${limitMs} ms.`;
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    };
    const timer = setTimeout(stop, Number(limitMs));
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, output: output.slice(-4_000) });
    });
  });
}

const results = [];

async function work() {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    const workspace = mkdtempSync('/scratch/work-');
    for (const layer of job.layers) {
      const folder = join(TASKS, job.id, layer);
      if (!existsSync(folder)) throw new Error(`${job.id} has no ${layer}/`);
      cpSync(folder, workspace, { recursive: true });
    }
    results.push({ id: job.id, step: job.name, ...(await run(job.command, workspace)) });
    rmSync(workspace, { recursive: true });
  }
}

await Promise.all([work(), work()]);
process.stdout.write(JSON.stringify(results));
