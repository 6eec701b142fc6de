/** The form in which a runner reports for programs; `none`: it has none. */
export type ReportFormat = 'go' | 'junit' | 'rspec' | 'trx' | 'none';

/**
 * The start of the lines before and after a report. It begins with the record separator, which no text for people has.
 */
export const reportSign = '\u001edewpoint-report';

export interface MachineReport {
  readonly format: ReportFormat;
  readonly text: string;
  /** The folder in which the tests ran, relative to that of the command. Empty: the same. */
  readonly folder: string;
}

interface Printed {
  /** What people and models read. */
  readonly text: string;
  readonly reports: readonly MachineReport[];
}

const starts = new RegExp(`^${reportSign} (go|junit|rspec|trx|none)(?: (.+))?$`, 'gmu');
const ends = new RegExp(`^${reportSign} end$`, 'gmu');

/**
 * Takes apart what a command of `withReport` printed. What follows a report is for people again: the other stream of
 * the output.
 */
export function splitReports(output: string): Printed {
  const begins = [...output.matchAll(starts)];
  if (begins.length === 0) return { text: output, reports: [] };
  const stops = [...output.matchAll(ends)];
  const texts: string[] = [];
  const reports: MachineReport[] = [];
  let at = 0;
  let passed = 0;
  for (const begin of begins) {
    const format = formatOf(begin[1]);
    if (begin.index < at || format === null) continue;
    texts.push(output.slice(at, begin.index).trimEnd());
    const from = begin.index + begin[0].length + 1;
    // Both are in order, so none is looked at twice.
    while (passed < stops.length && (stops[passed]?.index ?? from) < from) passed += 1;
    const stop = stops[passed];
    reports.push({ format, folder: begin[2] ?? '', text: output.slice(from, stop?.index ?? output.length) });
    at = stop === undefined ? output.length : stop.index + stop[0].length;
  }
  texts.push(output.slice(at).trim());
  return { text: texts.filter((text) => text !== '').join('\n'), reports };
}

/** What a command of `withReport` printed, without the report. */
export function withoutReport<T extends { readonly stdout: string; readonly stdoutBytes: number }>(result: T): T {
  const { text, reports } = splitReports(result.stdout);
  if (reports.length === 0) return result;
  return { ...result, stdout: text, stdoutBytes: Buffer.byteLength(text) };
}

/** Shows the chunks of a running command, on each stream up to its report. */
export function untilReport(show: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void) {
  const ended = new Set<string>();
  return ({ stream, bytes }: { readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }): void => {
    if (ended.has(stream)) return;
    const at = bytes.indexOf(0x1e);
    if (at >= 0) ended.add(stream);
    if (at !== 0) show(stream, at < 0 ? bytes : bytes.subarray(0, at));
  };
}

/** Enough for the reports that a command prints, which have 1.5 MB at most. */
export const reportKeepBytes = 4 * 1024 * 1024;

function formatOf(word: string | undefined): ReportFormat | null {
  return (['go', 'junit', 'rspec', 'trx', 'none'] as const).find((format) => format === word) ?? null;
}
