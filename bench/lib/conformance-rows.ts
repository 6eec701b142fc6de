import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchRow } from './rows.ts';

/** The suite has 52 MB, so it is no package of ours: download it by hand, once. */
const suite = { name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' } as const;
const revisions = ['2026-07-28', '2025-11-25'] as const;
const scenarioMs = 60_000;

/**
 * Runs the client scenarios of the protocol's own conformance suite against Dewpoint's client: those that the revision
 * requires, as frozen with it. They run one by one, so that a slow machine fails none of them by time.
 */
export async function conformanceRows(folder: string): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const revision of revisions) rows.push(await conformanceRow(folder, revision));
  return rows;
}

async function conformanceRow(folder: string, revision: string): Promise<BenchRow> {
  const figure = `MCP conformance, client scenarios of ${revision}`;
  const target = { atLeast: 100 };
  const installed = join(folder, 'node_modules', suite.name);
  if (!existsSync(installed)) {
    const note = `no suite in ${folder}: npm install --prefix that folder ${suite.name}@${suite.version}`;
    return { figure, value: null, unit: '%', target, note };
  }
  const scenarios = requiredIn(readFileSync(join(installed, 'requirements', `${revision}.yaml`), 'utf8'));
  const missed: string[] = [];
  for (const scenario of scenarios) if (!(await passes(installed, scenario, revision))) missed.push(scenario);
  const passed = scenarios.length - missed.length;
  return {
    figure,
    value: (100 * passed) / scenarios.length,
    unit: '%',
    target,
    note: `${passed} of ${scenarios.length}, ${suite.version}${missed.length === 0 ? '' : `; missed: ${missed.join(', ')}`}`,
  };
}

/** The list under `client:`, a plain list of names. */
function requiredIn(text: string): readonly string[] {
  const lines = text.split('\n');
  const from = lines.indexOf('client:') + 1;
  const rest = lines.slice(from);
  const end = rest.findIndex((line) => /^\S/u.test(line));
  return rest.slice(0, end === -1 ? rest.length : end).flatMap((line) => /^ {2}- (\S+)$/u.exec(line)?.[1] ?? []);
}

async function passes(installed: string, scenario: string, revision: string): Promise<boolean> {
  const client = join(dirname(fileURLToPath(import.meta.url)), 'conformance-client.mjs');
  const results = mkdtempSync(join(tmpdir(), 'dewpoint-conformance-'));
  try {
    const words = ['client', '--command', `${process.execPath} ${client}`, '--scenario', scenario];
    const more = ['--spec-version', revision, '--timeout', String(scenarioMs), '--output-dir', results];
    const child = spawn(process.execPath, [join(installed, 'dist', 'index.js'), ...words, ...more], {
      stdio: 'ignore',
    });
    return await new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false));
      child.once('exit', (code) => resolve(code === 0));
    });
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}
