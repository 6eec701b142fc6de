import type { ModelReview } from '@shared/events/approval-events.ts';
import { moneyText } from '@shared/money/money-text.ts';
import type { ProgramLanguage } from '@shared/tools/program-tool.ts';
import { writerLine, writerText, type ProgramWriter } from '@shared/tools/program-writer.ts';
import type { Tool } from '../define.ts';
import { estimateRows } from './call-estimate.ts';
import { announcementText, leavingIn, type Announcement } from './program-announcement.ts';
import type { KeptProgram, ProgramDoor } from './program-calls.ts';
import type { ProgramImport } from './program-frames.ts';
import { importFindings, reviewProgram } from './review-program.ts';
import type { ProgramEnd, ProgramInput } from './run-in-sandbox.ts';

/** A program that passed its check, as the person is asked about it. */
export interface CheckedProgram extends Pick<ProgramInput, 'modules'> {
  readonly plan: string;
  readonly program: string;
  readonly language: ProgramLanguage;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Set for a kept program: what wrote it. Absent: the model of this call writes it. */
  readonly kept?: { readonly writer: ProgramWriter | null };
  readonly imports: readonly ProgramImport[];
  /** The kept programs that it may import. */
  readonly importable: readonly KeptProgram[];
  readonly limitMs: number;
}

/** What wrote the program, and each kept one that it imports. */
function writerRows({ kept, modules, importable }: CheckedProgram, now: ProgramWriter): readonly string[] {
  const own = kept === undefined ? `Written by ${writerText(now)}, for this call.` : writerLine(kept.writer, now);
  const imported = importable.filter(({ name }) => Object.hasOwn(modules, name));
  return [own, ...imported.map(({ name, writer }) => `It imports ${name}. ${writerLine(writer, now)}`)];
}

/** Asks one question for all calls that leave the sandbox. Asks nothing if there are none. */
export async function approveProgram(
  asked: CheckedProgram,
  announcement: Announcement,
  door: Pick<ProgramDoor<Tool>, 'ask' | 'earlierCalls' | 'loadSyntax' | 'review' | 'writer'>,
): Promise<ProgramEnd | null> {
  const { plan, program, language, modules, imports, arguments: given } = asked;
  const leaving = leavingIn(announcement);
  if (leaving.length === 0) return null;
  const subject = `a program that calls ${leaving.map(({ tool, most }) => `${tool.name} (at most ${most})`).join(', ')}`;
  const syntax = await door.loadSyntax();
  const texts = [program, ...Object.values(modules)];
  const reviewed = texts.flatMap((text) => reviewProgram({ language, text, leaving }, syntax));
  const findings = [...new Set([...importFindings(imports), ...reviewed])];
  const text = [
    `Plan:\n${plan}`,
    `Calls:\n${announcementText(announcement, 'announced')}`,
    ...(Object.keys(given).length === 0 ? [] : [`Arguments:\n${JSON.stringify(given, null, 1)}`]),
    `${language === 'python' ? 'Program' : 'Program in JavaScript'}:\n${program}`,
    ...Object.entries(modules).map(([name, module]) => `Imported, kept before: ${name}\n${module}`),
  ].join('\n\n');
  const found = findings.length === 0 ? [] : ['A review by rules found:', ...findings];
  const model = findings.length === 0 ? null : await door.review([text, ...found].join('\n'));
  const answer = await door.ask({
    subject,
    reason: [
      'These calls leave the sandbox. A yes is for all of them; each passes the fences. Other calls are refused.',
      ...estimateRows(announcement.entries, await door.earlierCalls(), asked.limitMs),
      ...writerRows(asked, door.writer()),
      ...found,
      ...(model === null ? [] : [reviewedBy(model)]),
    ].join('\n'),
    text,
    ...(findings.length === 0 ? {} : { review: { findings, ...(model === null ? {} : { model }) } }),
  });
  if (answer === 'allow') return null;
  return { type: 'stopped', status: 'refused', reason: `Not allowed: ${subject}`, isUnanswered: answer === 'nobody' };
}

function reviewedBy({ label, text, why = '', costUsd }: ModelReview): string {
  if (text === null) return `${label} was to review it and did not: ${why}`;
  const cost = costUsd === null ? 'its cost is not known' : moneyText(costUsd);
  return `${label} reviewed it (${cost}). What it says is a model's word and approves nothing.`;
}
