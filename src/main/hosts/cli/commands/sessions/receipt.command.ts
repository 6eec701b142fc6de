import { resolve } from 'node:path';
import type { KeptHere, Receipt, ReceiptRow } from '@shared/safety/receipt.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { CoreClient } from '../../../../server/local-socket.ts';
import { keyOfWord } from '../projects/named-project.ts';
import type { Command } from '../../../text/command-context.ts';
import { writeOutputFile } from '../../terminal/output-file.ts';
import { usageError } from '../../../text/report-failure.ts';
import type { Terminal } from '../../../text/terminal.ts';
import { dateAndTime, jsonLine, oneLine, table } from '../../../text/terminal.ts';

export interface ReceiptArguments {
  readonly session?: string;
  readonly project?: string;
  readonly month?: string;
  /** Also what moved inside of this machine. */
  readonly here?: boolean;
  readonly json?: boolean;
  readonly file?: string;
}

type Asked = Parameters<CoreClient['receipts']['show']>[0];

/** What left this machine, and what could have left and did not. */
export const receipt: Command<[ReceiptArguments]> = async ({ core, terminal }, args) => {
  const client = await core();
  const about = await subjectOf(client, args);
  if (args.file !== undefined) return saveSigned(client, terminal, { about, file: resolve(args.file) });
  const made = await client.receipts.show(about);
  if (args.json === true) terminal.out(jsonLine(made));
  else showReceipt(made, terminal, args.here === true);
  return 0;
};

async function subjectOf(
  client: CoreClient,
  { session, project, month, json, file }: ReceiptArguments,
): Promise<Asked> {
  if (json === true && file !== undefined) throw usageError('Use --json or --file, not both.');
  if ([session, project, month].filter((one) => one !== undefined).length > 1)
    throw usageError('Use one of --session, --project and --month.');
  if (session !== undefined) return { type: 'session', sessionId: await idOf(client, session) };
  if (project !== undefined) return { type: 'project', project: await keyOfWord(async () => client, project) };
  const wanted = month ?? dateAndTime(Date.now()).slice(0, 7);
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/u.test(wanted))
    throw usageError(`--month takes a month like 2026-11, not "${wanted}".`);
  return { type: 'month', month: wanted };
}

/** A whole id is taken as it is, because the record outlives its session. */
async function idOf(client: CoreClient, text: string): Promise<string> {
  if (/^\d{8}-\d{6}-[0-9a-z]{8}$/u.test(text)) return text;
  return (await client.sessions.find({ id: text })).sessionId;
}

async function saveSigned(
  client: CoreClient,
  terminal: Terminal,
  { about, file }: { readonly about: Asked; readonly file: string },
): Promise<number> {
  const { text, fingerprint } = await client.receipts.sign(about);
  await writeOutputFile(file, text);
  terminal.out(`Saved ${seenName(file)}\nKey: ${fingerprint}\n`);
  return 0;
}

function showReceipt(made: Receipt, terminal: Terminal, withHere: boolean): void {
  const { rows, shared, kept, uncounted, here } = made;
  terminal.out(`${terminal.colors.bold(verdictText(made))}\n`);
  for (const note of notesOf(made)) terminal.out(`${note}\n`);
  showRows(terminal, 'What left', rows);
  showRows(terminal, 'Sent by tool servers for all sessions meanwhile', shared);
  if (kept.length > 0) {
    terminal.out('\nCould have left and did not\n');
    for (const line of table(kept.map(keptCells))) terminal.out(`  ${line}\n`);
  }
  if (uncounted.length > 0) {
    terminal.out('\nStarted with a network of their own; nobody counts what they send\n');
    for (const { name, count } of uncounted) terminal.out(`  ${oneLine(seenName(name), 60)}, ${count}×\n`);
  }
  if (withHere)
    terminal.out(`\nInside of this machine: ${sizeText(here.out)} to local servers, ${sizeText(here.in)} back\n`);
}

function verdictText({ verdict, out, in: into }: Receipt): string {
  if (verdict === 'nothing') return 'Nothing left this machine.';
  const moved = `${sizeText(out)} left this machine, and ${sizeText(into)} came in.`;
  return verdict === 'counted' ? moved : `${moved} That may not be all:`;
}

function notesOf({ record }: Receipt): readonly string[] {
  const { isPartial, since: from, unreadable, unreadLogs, unreadRequests } = record;
  const since = from === null ? null : new Date(from).toLocaleString();
  return [
    ...(isPartial
      ? [since === null ? 'Nothing was recorded yet.' : `Recorded since ${since}. What was before is unknown.`]
      : []),
    ...(unreadable > 0 ? [`Parts of the record that could not be read: ${unreadable}.`] : []),
    ...(unreadLogs > 0
      ? [
          `Logs of sessions that could not be read as a whole: ${unreadLogs}. Reasons, files, and what stayed may be missing.`,
        ]
      : []),
    ...(unreadRequests > 0
      ? [`Requests that could not be read: ${unreadRequests}. Which files were in them is unknown.`]
      : []),
  ];
}

function showRows(terminal: Terminal, title: string, rows: readonly ReceiptRow[]): void {
  if (rows.length === 0) return;
  terminal.out(`\n${title}\n`);
  for (const row of rows) {
    const at = row.port === null ? row.host : `${row.host}:${row.port}`;
    const name = row.by.name === '' ? 'Dewpoint' : row.by.name;
    terminal.out(
      `  ${oneLine(seenName(at), 60)}  ${sizeText(row.out)} out, ${sizeText(row.in)} in  ${oneLine(seenName(name), 40)}\n`,
    );
    if (row.perhapsMore !== 0) terminal.out(terminal.colors.yellow(`    ${moreText(row.perhapsMore)}\n`));
    for (const why of row.why) terminal.out(terminal.colors.dim(`    ${oneLine(seenWords(why), 120)}\n`));
    if (row.files !== null && row.files.length > 0)
      terminal.out(terminal.colors.dim(`    files: ${oneLine(row.files.map(seenName).join(', '), 200)}\n`));
  }
}

function moreText(bytes: number | null): string {
  const most = bytes === null ? 'it is not known how much' : `at most ${sizeText(bytes)}`;
  return `Dewpoint ended in the middle; more may have gone: ${most}.`;
}

function keptCells({ kind, count, bytes, what }: KeptHere): readonly string[] {
  return [kind, `${count}×`, bytes === null ? '' : sizeText(bytes), oneLine(seenWords(what), 100)];
}
