import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { CalibrationTime, CalibrationView } from '@shared/calibration/calibration.ts';
import { solvedRows, type SolvedRow } from '@shared/calibration/calibration-report.ts';
import { unknownNotes } from '@shared/calibration/calibration-text.ts';
import { seenText } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { Fold } from '../../ui/layout/fold.tsx';

interface InProject {
  readonly projectPath: string;
}

/** Finds out what the local model solves in the project, and shows what is known so far. Leaving the page stops nothing. */
export function ProjectCalibration({ projectPath }: InProject) {
  const client = useClient();
  const { view, problem, begin, resume, stop, isBeginning } = useCalibration(projectPath);
  const [time, setTime] = useState<keyof typeof times>('now');
  const isAtWork = view !== null && view.state !== 'stopped' && view.state !== 'ended';
  return (
    <Group title={t('project.worth')}>
      <p className="text-sm text-soft">{t('project.worth.text')}</p>
      {problem !== null && <Problem text={`${t('project.worth.failed')} ${problem}`} />}
      <output className="block text-sm tabular-nums empty:hidden">
        {isBeginning ? t('project.worth.copying') : view === null ? '' : statusText(view)}
      </output>
      <div className="flex gap-2">
        {isAtWork ? (
          <Button onClick={() => void client.calibrations.cancel({ id: view.id }).then(stop, stop)}>
            {t('project.worth.stop')}
          </Button>
        ) : (
          <>
            {view?.state === 'stopped' && (
              <Button onClick={() => resume(times[time])}>{t('project.worth.resume')}</Button>
            )}
            <Button disabled={isBeginning} onClick={() => begin(times[time])}>
              {t(view === null ? 'project.worth.start' : 'project.worth.again')}
            </Button>
            <Select
              aria-label={t('project.worth.time')}
              className="w-64"
              value={time}
              onChange={({ target }) => setTime(timeNames.find((name) => name === target.value) ?? 'now')}
            >
              {timeNames.map((name) => (
                <option key={name} value={name}>
                  {t(`project.worth.time.${name}`)}
                </option>
              ))}
            </Select>
          </>
        )}
      </div>
      {view !== null && view.runs.some(({ state }) => state === 'ended') && <Results view={view} />}
    </Group>
  );
}

/** When a calibration works. */
const times: Readonly<Record<'now' | 'idle' | 'night', { readonly time?: CalibrationTime }>> = {
  now: {},
  idle: { time: { idle: true } },
  night: { time: { idle: true, at: '23:00' } },
};
const timeNames = ['now', 'idle', 'night'] as const;

function statusText(view: CalibrationView): string {
  const done = view.runs.filter(({ state }) => state === 'ended').length;
  switch (view.state) {
    case 'waiting':
      return seenText(view.why ?? '');
    case 'making':
      return t('project.worth.making', { count: String(view.tasks.length) });
    case 'working':
      return t('project.worth.working', { done: String(done), all: String(view.runs.length) });
    case 'stopped':
      return t('project.worth.stopped', { why: seenText(view.why ?? '') });
    case 'ended':
      return '';
    default:
      return view.state satisfies never;
  }
}

function Results({ view }: { readonly view: CalibrationView }) {
  return (
    <>
      <ul aria-label={t('project.worth.rows')} className="flex flex-col gap-2 text-sm">
        {solvedRows(view).map((row) => (
          <Row key={`${row.where} ${row.model} ${row.of}`} row={row} />
        ))}
      </ul>
      <p className="text-sm text-soft">{t('project.worth.range')}</p>
      <Fold label={t('project.worth.unknown')}>
        <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-soft">
          {unknownNotes(view).map((note) => (
            <li key={note}>{seenText(note)}</li>
          ))}
        </ul>
      </Fold>
    </>
  );
}

const groupTexts = {
  all: 'project.worth.all',
  commit: 'project.worth.commit',
  fault: 'project.worth.fault',
  question: 'project.worth.question',
  small: 'project.worth.small',
  medium: 'project.worth.medium',
  large: 'project.worth.large',
} as const;

/** A bar of the share that was solved, with its interval as a line. The words beside it say the same. */
function Row({ row }: { readonly row: SolvedRow }) {
  const { model, of, solved, judged, unjudged, low, high, medianSeconds } = row;
  const percent = (share: number): number => Math.round(share * 100);
  const share = judged === 0 ? 0 : solved / judged;
  const group = t(groupTexts[of]);
  return (
    <li className="grid grid-cols-[minmax(8rem,13rem)_1fr_minmax(8rem,15rem)] items-center gap-3 tabular-nums">
      <span className={`wrap-anywhere ${of === 'all' ? '' : 'pl-4 text-soft'}`}>
        {of === 'all' ? `${model.split('/').at(-1) ?? model}, ${group}` : group}
      </span>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className="h-2 w-full">
        <rect width="100" height="8" className="fill-chosen" />
        <rect width={percent(share)} height="8" className={row.where === 'local' ? 'fill-local' : 'fill-cloud'} />
        {judged > 0 && (
          <rect
            x={percent(low)}
            y="3"
            width={Math.max(1, percent(high) - percent(low))}
            height="2"
            className="fill-ink"
          />
        )}
      </svg>
      <span className="text-right">
        {judged > 0 && t('project.worth.solved', { solved: String(solved), judged: String(judged) })}
        <span className="text-soft">
          {judged > 0 && ' · '}
          {[
            ...(judged === 0
              ? []
              : [t('project.worth.interval', { low: String(percent(low)), high: String(percent(high)) })]),
            ...(unjudged === 0 ? [] : [plural('project.worth.notJudged', unjudged)]),
            ...(medianSeconds === null
              ? []
              : [t('project.worth.seconds', { seconds: String(Math.round(medianSeconds)) })]),
          ].join(' · ')}
        </span>
      </span>
    </li>
  );
}

/** The latest calibration of the project, as it is now. */
function useCalibration(projectPath: string) {
  const client = useClient();
  const [view, setView] = useState<CalibrationView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBeginning, setIsBeginning] = useState(false);
  /** Watching starts again when it goes on. */
  const [round, setRound] = useState(0);
  const found = useQuery({
    queryKey: ['calibrations', projectPath, round],
    queryFn: async ({ signal }) => {
      const all = await client.calibrations.list(undefined, { signal });
      return all.find(({ input }) => input.projectPath === projectPath) ?? null;
    },
    staleTime: 0,
  });
  const id = found.data?.id ?? null;
  useEffect(() => {
    if (id === null) return;
    const stop = new AbortController();
    const watch = async (): Promise<void> => {
      try {
        for await (const next of await client.calibrations.watch({ id }, { signal: stop.signal })) setView(next);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(failureText(error));
      }
    };
    void watch();
    return () => stop.abort();
  }, [client, id, round]);
  const go = (work: () => Promise<unknown>): void => {
    setProblem(null);
    setIsBeginning(true);
    void work()
      .catch((error: unknown) => setProblem(failureText(error)))
      .finally(() => {
        setIsBeginning(false);
        setRound((before) => before + 1);
      });
  };
  return {
    view,
    problem,
    isBeginning,
    begin: (when: (typeof times)[keyof typeof times]) =>
      go(async () => {
        const made = await client.calibrations.create({ projectPath });
        await client.calibrations.start({ id: made.id, ...when });
      }),
    resume: (when: (typeof times)[keyof typeof times]) =>
      go(async () => (id === null ? undefined : client.calibrations.start({ id, ...when }))),
    stop: () => setRound((before) => before + 1),
  };
}
