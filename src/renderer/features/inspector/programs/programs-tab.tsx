import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ProgramReview } from '@shared/events/approval-events.ts';
import type { ProgramReport } from '@shared/session/program-reports.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { seenLines, seenName, seenPieces, seenWords } from '@shared/text/seen-text.ts';
import { writerText } from '@shared/tools/program-writer.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { money, seconds, tokens } from '../../../lib/text/format.ts';
import { t } from '../../../lib/text/translate.ts';
import { CodeBlock } from '../../../ui/content/code-block.tsx';
import { SeenText } from '../../../ui/content/seen-text.tsx';
import { DiffView } from '../../../ui/content/diff-view.tsx';
import { Empty, Facts } from '../../../ui/layout/facts.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { KeepProgram } from './keep-program.tsx';

interface ProgramsTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** The programs of a session, newest first: the plan, the calls and the cost of each. */
export default function ProgramsTab({ sessionId, state }: ProgramsTabProps) {
  const client = useClient();
  const last = state.toolCalls.at(-1);
  const version = [state.totals.toolCalls, last?.status, last?.innerCalls].join(' ');
  const { data, error, refetch } = useQuery({
    queryKey: ['programs', sessionId, version],
    queryFn: ({ signal }) => client.sessions.programs({ sessionId }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (error !== null) return <Problem text={`${t('programs.failed')} ${failureText(error)}`} onRetry={refetch} />;
  if (data === undefined) return null;
  if (data.programs.length === 0) return <Empty action="message">{t('programs.none')}</Empty>;
  const newest = data.programs.toReversed();
  return (
    <ul className="flex flex-col gap-4">
      {newest.map((one, at) => (
        <li key={one.toolCallId}>
          <OneProgram
            sessionId={sessionId}
            program={one}
            isOpen={at === 0}
            canKeep={data.projectPath !== null && one.end === 'done' && one.text !== null}
          />
        </li>
      ))}
    </ul>
  );
}

interface OneProgramProps {
  readonly sessionId: string;
  readonly program: ProgramReport;
  readonly isOpen: boolean;
  readonly canKeep: boolean;
}

function OneProgram({ sessionId, program, isOpen, canKeep }: OneProgramProps) {
  const { number, plan, end, ms, tests, refused, problems, wrote, diff, text, sha256, calls } = program;
  const outcome = t(`programs.end.${end ?? 'running'}`);
  const cost =
    wrote === null
      ? null
      : t('programs.wroteText', {
          input: tokens(wrote.input),
          output: tokens(wrote.output),
          cost: money(wrote.costUsd),
        });
  return (
    <Fold
      isOpen={isOpen}
      label={
        <span className="min-w-0 wrap-anywhere">
          {t('programs.one', { number, plan: seenWords(plan) })}{' '}
          <span className={end === 'done' ? 'text-soft' : 'text-warn'}>{outcome}</span>
        </span>
      }
    >
      <div className="flex flex-col gap-3 pt-2">
        <Facts
          facts={[
            [t('programs.time'), ms === null ? null : seconds(ms)],
            [t('programs.wrote'), cost],
            [t('programs.writer'), writerText(program.writer)],
            [t('programs.tests'), tests === 0 ? null : tests],
            [t('programs.refused'), refused === 0 ? null : refused],
          ]}
        />
        {calls.length > 0 && <CallsTable calls={calls} />}
        {problems.length > 0 && (
          <div className="flex flex-col gap-1 text-sm">
            <p className="text-soft">{t('programs.problems')}</p>
            {problems.map((problem) => (
              <p key={problem} className="text-warn whitespace-pre-line wrap-anywhere">
                {seenLines(problem)}
              </p>
            ))}
          </div>
        )}
        {program.review !== null && <Review review={program.review} />}
        {diff !== null && (
          <Fold label={t('programs.diff')}>
            <DiffView diff={diff} />
          </Fold>
        )}
        {text === null ? (
          <p className="text-xs text-soft wrap-anywhere">{t('programs.file', { sha256: sha256 ?? '' })}</p>
        ) : (
          <Fold label={t('programs.text')}>
            <CodeBlock code={text} language={program.language} />
          </Fold>
        )}
        {canKeep && <KeepProgram sessionId={sessionId} program={program} />}
      </div>
    </Fold>
  );
}

/** What the rules found before the user was asked, and a model's review in its own words. */
function Review({ review: { findings, model } }: { readonly review: ProgramReview }) {
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p className="text-soft">{t('programs.found')}</p>
      {findings.map((finding) => (
        <p key={finding} className="text-warn wrap-anywhere">
          {seenWords(finding)}
        </p>
      ))}
      {model !== undefined && (
        <>
          <p className="text-soft wrap-anywhere">
            {t(model.text === null ? 'programs.unreviewed' : 'programs.reviewed', {
              model: seenName(model.label),
              cost: money(model.costUsd),
              why: seenWords(model.why ?? ''),
            })}
          </p>
          {model.text !== null && <SeenText pieces={seenPieces(model.text)} />}
        </>
      )}
    </div>
  );
}

/** Announced calls beside the calls that were made. */
function CallsTable({ calls }: Pick<ProgramReport, 'calls'>) {
  return (
    <table className="text-sm">
      <thead>
        <tr className="text-left text-soft">
          <th className="font-normal">{t('programs.tool')}</th>
          <th className="text-right font-normal">{t('programs.made')}</th>
          <th className="pl-3 text-right font-normal">{t('programs.announced')}</th>
          <th className="pl-3 font-normal">{t('programs.where')}</th>
        </tr>
      </thead>
      <tbody>
        {calls.map(({ tool, made, most, hosts = [], paths = [], ends }) => (
          <tr key={tool} className="align-top tabular-nums">
            <td className="font-mono text-xs wrap-anywhere">{seenName(tool)}</td>
            <td className="text-right">
              {made}
              {made > (ends.ok ?? 0) && (
                <span className="block text-xs text-warn">
                  {Object.entries(ends)
                    .filter(([status]) => status !== 'ok')
                    .map(([status, count]) => `${count} ${status}`)
                    .join(', ')}
                </span>
              )}
            </td>
            <td className="pl-3 text-right">{most}</td>
            <td className="pl-3 text-soft wrap-anywhere">
              {[...hosts, ...paths].map(seenName).join(', ') || t('programs.anywhere')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
