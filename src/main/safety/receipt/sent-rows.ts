import type { ReceiptRow, UncountedProgram } from '@shared/safety/receipt.ts';
import type { SentLine } from '../../lib/net/sent-line.ts';

/** A line with its file, so that connections of two processes are not mistaken for one. */
export interface RecordedLine {
  readonly line: SentLine;
  readonly file: string;
  /** Whether the process that writes the file still runs. */
  readonly isLive: boolean;
}

interface Connection {
  readonly key: string;
  readonly isClosed: boolean;
  readonly isLive: boolean;
  readonly announced: number | null;
  readonly sinceAnnounced: number;
}

interface Row {
  readonly host: string;
  readonly port: number | null;
  readonly why: SentLine['why'];
  out: number;
  in: number;
  firstAt: number;
  lastAt: number;
  readonly connections: Set<string>;
  readonly steps: Set<number>;
  readonly toolCalls: Set<string>;
}

/** A row without what only the log of a session knows. */
export interface SentRow extends Omit<ReceiptRow, 'why' | 'files'> {
  readonly steps: readonly number[];
  readonly toolCalls: readonly string[];
  readonly command: string | null;
}

/** Adds up lines of the record. */
export function createSentFold() {
  const rows = new Map<string, Row>();
  const connections = new Map<string, Connection>();
  const uncounted = new Map<string, number>();
  const here = { out: 0, in: 0 };
  return {
    add({ line, file, isLive }: RecordedLine): void {
      if (line.state === 'unseen') {
        uncounted.set(line.host, (uncounted.get(line.host) ?? 0) + 1);
        return;
      }
      if (line.isHere) {
        here.out += line.out;
        here.in += line.in;
        return;
      }
      const key = keyOf(line);
      const row = rows.get(key) ?? newRow(line);
      rows.set(key, row);
      row.out += line.out;
      row.in += line.in;
      row.firstAt = Math.min(row.firstAt, line.at);
      row.lastAt = Math.max(row.lastAt, line.at);
      const connection = `${file} ${line.id}`;
      row.connections.add(connection);
      if (line.why.step !== undefined) row.steps.add(line.why.step);
      if (line.why.toolCallId !== undefined) row.toolCalls.add(line.why.toolCallId);
      follow(connections, connection, { line, key, isLive });
    },
    rows: (): readonly SentRow[] =>
      [...rows].map(([key, row]) => finished(key, row, connections)).sort((left, right) => right.out - left.out),
    uncounted: (): readonly UncountedProgram[] => [...uncounted].map(([name, count]) => ({ name, count })),
    here: () => ({ ...here }),
  };
}

function follow(
  connections: Map<string, Connection>,
  id: string,
  { line, key, isLive }: { readonly line: SentLine; readonly key: string; readonly isLive: boolean },
): void {
  const before = connections.get(id);
  const isAnnounced = line.state === 'request';
  connections.set(id, {
    key,
    isLive,
    isClosed: line.state === 'closed',
    announced: isAnnounced ? (line.announced ?? null) : (before?.announced ?? null),
    sinceAnnounced: isAnnounced ? 0 : (before?.sinceAnnounced ?? 0) + line.out,
  });
}

function newRow({ host, port, why, at }: SentLine): Row {
  return {
    host,
    port,
    why,
    out: 0,
    in: 0,
    firstAt: at,
    lastAt: at,
    connections: new Set(),
    steps: new Set(),
    toolCalls: new Set(),
  };
}

const keyOf = ({ host, port, why }: SentLine): string =>
  JSON.stringify([
    host,
    port,
    why.sessionId,
    why.model,
    why.tool,
    why.server,
    by(why).kind === 'command' && why.command,
  ]);

function by({ model, tool, server, command }: SentLine['why']): ReceiptRow['by'] {
  if (model !== undefined) return { kind: 'model', name: model };
  if (server !== undefined) return { kind: 'server', name: server };
  if (tool !== undefined) return { kind: 'tool', name: tool };
  return command === undefined ? { kind: 'unknown', name: '' } : { kind: 'command', name: command };
}

function finished(key: string, row: Row, connections: ReadonlyMap<string, Connection>): SentRow {
  const cut = [...row.connections].flatMap((id) => {
    const one = connections.get(id);
    return one === undefined || one.key !== key || one.isClosed || one.isLive ? [] : [one];
  });
  const left = cut.map(({ announced, sinceAnnounced }) =>
    announced === null ? null : Math.max(0, announced - sinceAnnounced),
  );
  const { why, steps, toolCalls, connections: used, ...sums } = row;
  return {
    ...sums,
    connections: used.size,
    perhapsMore: left.includes(null) ? null : left.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0),
    sessionId: why.sessionId ?? null,
    by: by(why),
    steps: [...steps],
    toolCalls: [...toolCalls],
    command: why.command ?? null,
  };
}
