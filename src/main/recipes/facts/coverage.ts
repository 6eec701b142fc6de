import pytestTracer from '../../../../resources/programs/recipes/trace-pytest.py?raw';
import pythonTracer from '../../../../resources/programs/recipes/trace.py?raw';
import v8Lines from '../../../../resources/programs/recipes/v8-lines.mjs?raw';
import { z } from 'zod';
import { jsonIn } from '@shared/text/json-in.ts';
import type { RecipeContext } from '../define.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import type { TestReport } from '../../lib/test-output/test-report.ts';

/** How suspicious executed lines are, from 0 to 1, by Ochiai: ef / sqrt((ef + nf) (ef + ep)). */
export interface Coverage {
  /** Path to line to score; a line that no failing test executed is absent. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

export interface CoverageRequest {
  readonly command: string;
  readonly trial: string;
  readonly workFolder: string;
  readonly report: TestReport;
  readonly timeoutMs: number;
}

/** Runs the tests once more under a tracer; null if that gave no result. */
export async function measureCoverage(context: RecipeContext, request: CoverageRequest): Promise<Coverage | null> {
  const runner = context.facts.test?.runner ?? 'other';
  const isPython = runner === 'pytest' || runner === 'unittest' || /\b(pytest|unittest)\b/.test(request.command);
  return isPython ? pythonCoverage(context, request) : nodeCoverage(context, request);
}

async function pythonCoverage(context: RecipeContext, request: CoverageRequest): Promise<Coverage | null> {
  const { trial, workFolder } = request;
  const script = [
    `mkdir -p ${workFolder}/tracer ${workFolder}/trace && rm -f ${workFolder}/trace/*`,
    `cat > ${workFolder}/tracer/sitecustomize.py << 'DEWPOINT_END'\n${pythonTracer}\nDEWPOINT_END`,
    `cat > ${workFolder}/tracer/dewpoint_trace.py << 'DEWPOINT_END'\n${pytestTracer}\nDEWPOINT_END`,
    `cd ${trial}`,
    `export DEWPOINT_ROOT=${trial} DEWPOINT_OUT=${workFolder}/trace PYTHONDONTWRITEBYTECODE=1`,
    `export PYTHONPATH=${workFolder}/tracer\${PYTHONPATH:+:$PYTHONPATH}`,
    `export PYTEST_ADDOPTS='-p dewpoint_trace -p no:cacheprovider'`,
    `timeout -k 1 ${Math.ceil(request.timeoutMs / 1000)} bash -c ${shellQuote(request.command)} > /dev/null 2>&1 < /dev/null`,
    `for file in ${workFolder}/trace/*.json; do [ -e "$file" ] && printf '@@coverage ' && cat "$file" && echo; done`,
  ].join('\n');
  const stdout = await runScript(context, script, request.timeoutMs);
  const parsed = pythonTraceSchema.safeParse(jsonAfterMark(stdout)[0]);
  if (!parsed.success || parsed.data.failing === 0) return null;
  const { failing, files } = parsed.data;
  const lines = new Map<string, ReadonlyMap<number, number>>();
  for (const [path, hits] of Object.entries(files)) {
    lines.set(
      path,
      scored(
        Object.entries(hits).map(([line, [ef, ep]]) => [Number(line), ef, ep]),
        failing,
      ),
    );
  }
  return { lines };
}

const pythonTraceSchema = z.object({
  failing: z.number(),
  files: z.record(z.string(), z.record(z.string(), z.tuple([z.number(), z.number()]))),
});

function scored(hits: readonly (readonly [number, number, number])[], failing: number): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  for (const [line, ef, ep] of hits) if (ef > 0) scores.set(line, ef / Math.sqrt(failing * (ef + ep)));
  return scores;
}

async function nodeCoverage(context: RecipeContext, request: CoverageRequest): Promise<Coverage | null> {
  const { trial, workFolder, report } = request;
  const files = [...new Set(report.failures.map((failure) => failure.path).filter((path) => path !== null))];
  const names = report.failures.map((failure) => lastName(failure.id));
  if (files.length === 0) return null;
  const seconds = Math.ceil(request.timeoutMs / 1000);
  const run = (folder: string, patterns: readonly string[]) => [
    `rm -rf ${workFolder}/${folder} && mkdir -p ${workFolder}/${folder}`,
    `NODE_V8_COVERAGE=${workFolder}/${folder} timeout -k 1 ${seconds} node --test ${patterns.join(' ')} ${files.map(shellQuote).join(' ')} > /dev/null 2>&1 < /dev/null`,
    `node ${workFolder}/v8-lines.mjs ${trial} ${workFolder}/${folder}`,
  ];
  const only = names.map((name) => `--test-name-pattern=${shellQuote(`^${escapePattern(name)}$`)}`);
  const passing = [...report.passed]
    .slice(0, 30)
    .map((id) => `--test-name-pattern=${shellQuote(`^${escapePattern(lastName(id))}$`)}`);
  const script = [
    `cat > ${workFolder}/v8-lines.mjs << 'DEWPOINT_END'\n${v8Lines}\nDEWPOINT_END`,
    `cd ${trial}`,
    ...run('v8-failing', only),
    ...(passing.length === 0 ? [] : run('v8-passing', passing)),
  ].join('\n');
  const [failed, passed] = jsonAfterMark(await runScript(context, script, request.timeoutMs * 2)).map(
    (value) => v8Schema.safeParse(value).data ?? {},
  );
  if (failed === undefined || Object.keys(failed).length === 0) return null;
  const lines = new Map<string, ReadonlyMap<number, number>>();
  for (const [path, hit] of Object.entries(failed)) {
    if (context.facts.testFiles.includes(path)) continue;
    const also = new Set(passed?.[path] ?? []);
    lines.set(
      path,
      scored(
        hit.map((line) => [line, 1, also.has(line) ? 1 : 0]),
        1,
      ),
    );
  }
  return { lines };
}

const v8Schema = z.record(z.string(), z.array(z.number()));
const lastName = (id: string): string => id.split(' > ').pop() ?? id;
const escapePattern = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

async function runScript(context: RecipeContext, script: string, timeoutMs: number): Promise<string> {
  const result = await context.world.run({
    command: 'bash -s',
    label: 'find the lines that failing tests run',
    stdin: `${script}\n`,
    timeoutMs: timeoutMs + 15_000,
    keepBytes: 2 * 1024 * 1024,
  });
  return result.stdout;
}

function jsonAfterMark(stdout: string): readonly unknown[] {
  // A line that was cut off is ignored.
  return [...stdout.matchAll(/^@@coverage (.*)$/gm)].map((match) => jsonIn(match[1] ?? ''));
}
