import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { messageOf } from '@shared/errors.ts';
import { findingsOfReview, type Finding } from './findings-of-review.ts';
import type { BenchRow } from './rows.ts';

const run = promisify(execFile);

/** The needed part of Vitest's JSON report. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

type Report = z.infer<typeof reportSchema>;

/** A finding of the review is closed if each of its tests exists, ran and passed. */
export async function judgeFindings(): Promise<readonly BenchRow[]> {
  const files = [...new Set(findingsOfReview.flatMap(({ tests }) => tests.map(({ file }) => file)))];
  const report = await runTests(files);
  const open = findingsOfReview.flatMap((finding) => {
    const lacking = lackingIn(finding, report);
    return lacking.length === 0 ? [] : [`${finding.number} (${finding.what}): ${lacking.join('; ')}`];
  });
  for (const text of open) console.error(`open: ${text}`);
  return [
    {
      figure: 'findings of the review closed, by test',
      value: findingsOfReview.length - open.length,
      unit: '',
      target: { atLeast: findingsOfReview.length },
      note: open.length === 0 ? `${files.length} files of tests were run` : `open: ${open.join(' · ').slice(0, 200)}`,
    },
  ];
}

function lackingIn({ tests }: Finding, report: Report): readonly string[] {
  return tests.flatMap(({ file, name }) => {
    const results = report.testResults.filter((one) => one.name.replaceAll('\\', '/').endsWith(`/${file}`));
    const named = results
      .flatMap(({ assertionResults }) => assertionResults)
      .filter((one) => one.fullName.includes(name));
    if (named.length === 0) return [`"${name}" of ${file} did not run`];
    const failed = named.filter(({ status }) => status !== 'passed');
    return failed.map(({ status }) => `"${name}" of ${file}: ${status}`);
  });
}

const minutes = 20;

async function runTests(files: readonly string[]): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-findings-'));
  const output = join(folder, 'report.json');
  const vitest = resolve('node_modules/vitest/vitest.mjs');
  try {
    // A failing test makes Vitest exit with 1. The report is written all the same.
    await run(process.execPath, [vitest, 'run', '--reporter=json', `--outputFile=${output}`, ...files], {
      timeout: minutes * 60_000,
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: unknown) => console.error(messageOf(error).split('\n')[0]));
    return reportSchema.parse(JSON.parse(await readFile(output, 'utf8')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
