import type { ReactNode } from 'react';
import type { ToolCallState } from '@shared/session/session-state.ts';
import type { InnerCallState } from '@shared/session/inner-calls.ts';
import { toolCallStatus } from '@shared/session/session-state.ts';
import { seenCommand, seenName, seenWords } from '@shared/text/seen-text.ts';
import { lineCounts, seconds } from '../../../lib/text/format.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import type { DetailLoad, LogPlace } from '../../../lib/session/use-log-detail.ts';
import { useDetail } from '../../../lib/session/use-log-detail.ts';
import { CodeBlock } from '../../../ui/content/code-block.tsx';
import { FilePath } from '../../../ui/content/file-path.tsx';
import { DiffView } from '../../../ui/content/diff-view.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { TerminalOutput } from '../../../ui/content/terminal-output.tsx';
import type { ToolDetail } from '@shared/contract/sessions-contract.ts';
import { fieldOf } from '@shared/unknown-value.ts';

interface ToolDetailsProps {
  readonly sessionId: string;
  /** The place to load from the log. */
  readonly place: LogPlace;
  readonly calls: readonly ToolCallState[];
}

/** Input, output and diffs of an action. */
export function ToolDetails({ sessionId, place, calls }: ToolDetailsProps) {
  const load = useDetail(sessionId, place, calls.map((call) => toolCallStatus(call)).join(' '));
  return <CallDetails load={load} calls={calls} />;
}

interface CallDetailsProps {
  readonly load: DetailLoad;
  readonly calls: readonly ToolCallState[];
}

export function CallDetails({ load, calls }: CallDetailsProps) {
  if (load.type === 'loading') return <p className="text-xs text-soft">{t('step.loadingDetail')}</p>;
  if (load.type === 'failed') {
    return <Problem text={`${t('step.detailFailed')} ${load.text}`} />;
  }
  return calls.map((call) => (
    <OneCall
      key={call.toolCallId}
      call={call}
      detail={load.detail.tools.find((tool) => tool.toolCallId === call.toolCallId)}
      isAlone={calls.length === 1}
    />
  ));
}

interface OneCallProps {
  readonly call: ToolCallState;
  readonly detail: ToolDetail | undefined;
  readonly isAlone: boolean;
}

function OneCall({ call, detail, isAlone }: OneCallProps) {
  const input = detail?.input ?? null;
  const command = commandOf(input);
  const program = programOf(input);
  const output = detail?.output ?? call.output;
  return (
    <section aria-label={seenCommand(call.label)} className="flex flex-col gap-2">
      {!isAlone && (
        <p className="text-xs">
          <span className="font-semibold">{seenCommand(call.label)}</span>{' '}
          <span className="text-soft">
            {t(`step.status.${toolCallStatus(call)}`)}
            {call.durationMs !== null && ` · ${seconds(call.durationMs)}`}
          </span>
        </p>
      )}
      {call.isReused === true && <p className="text-xs text-soft">{t('step.reused.text')}</p>}
      {detail !== undefined && detail.repairs.length > 0 && (
        <p className="text-xs text-soft">{t('step.repaired', { text: detail.repairs.join(', ') })}</p>
      )}
      {program !== null && (
        <Block title={program.plan}>
          <CodeBlock code={program.text} language={program.language} />
        </Block>
      )}
      {call.inner !== undefined && <InnerCalls calls={call.inner} count={call.innerCalls ?? call.inner.length} />}
      {command === null && program === null && hasContent(input) && <Input input={input} />}
      {detail?.changes.map((change) => (
        <Block
          key={change.path}
          title={
            <>
              <FilePath path={change.path} diff={change.diff}>
                {seenName(change.path)}
              </FilePath>
              {`  ${lineCounts(change.added, change.removed)}`}
            </>
          }
        >
          {change.diff === null ? (
            <p className="text-xs text-soft">{t('step.noDiff')}</p>
          ) : (
            <DiffView diff={change.diff} />
          )}
        </Block>
      ))}
      {(command !== null || output !== '') && (
        <Block title={t('step.output')}>
          <TerminalOutput text={output} command={command ?? undefined} />
        </Block>
      )}
      {output === '' && call.status !== null && <p className="text-xs text-soft">{t('step.noOutput')}</p>}
      {detail?.isOutputWhole === false && <p className="text-xs text-soft">{t('step.outputCut')}</p>}
    </section>
  );
}

/** What the model gave the tool: names and values, each as one would write it. */
function Input({ input }: { readonly input: unknown }) {
  const given =
    typeof input === 'object' && input !== null ? Object.entries(input) : [[t('step.input'), input] as const];
  const lines = given.filter(([, value]) => isOneLine(value));
  return (
    <>
      {lines.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
          {lines.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-soft">{seenName(name)}</dt>
              <dd className="min-w-0 font-mono wrap-anywhere">{seenWords(String(value))}</dd>
            </div>
          ))}
        </dl>
      )}
      {given
        .filter(([, value]) => !isOneLine(value))
        .map(([name, value]) => (
          <Block key={name} title={seenName(name)}>
            {typeof value === 'string' ? (
              <CodeBlock code={value} language="" />
            ) : (
              <CodeBlock code={JSON.stringify(value, null, 2)} language="json" />
            )}
          </Block>
        ))}
    </>
  );
}

function isOneLine(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 200 && !/[\r\n]/u.test(value);
  return typeof value !== 'object' || value === null;
}

interface InnerCallsProps {
  /** The latest of these calls. */
  readonly calls: readonly InnerCallState[];
  readonly count: number;
}

/** The calls that a program made, collapsed to their number. */
function InnerCalls({ calls, count }: InnerCallsProps) {
  const left = count - calls.length;
  return (
    <Fold label={plural('step.inner', count)} className="text-xs">
      <ul className="mt-1 flex flex-col gap-0.5 text-xs">
        {left > 0 && <li className="text-soft">{plural('step.inner.earlier', left)}</li>}
        {calls.map(({ toolCallId, label, status, durationMs }) => (
          <li key={toolCallId} className="flex gap-2">
            <span className="min-w-0 truncate font-mono">{seenCommand(label)}</span>
            <span className={status === null || status === 'ok' ? 'text-soft' : 'text-bad'}>
              {t(`step.status.${status ?? 'running'}`)}
              {durationMs !== null && ` · ${seconds(durationMs)}`}
            </span>
          </li>
        ))}
      </ul>
    </Fold>
  );
}

function Block({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="text-xs whitespace-pre-wrap text-soft">{title}</p>
      {children}
    </div>
  );
}

function commandOf(input: unknown): string | null {
  const command: unknown = fieldOf(input, 'command');
  return typeof command === 'string' ? command : null;
}

/** For a call that runs a program: its plan, text and language. */
function programOf(input: unknown): { readonly plan: string; readonly text: string; readonly language: string } | null {
  const text: unknown = fieldOf(input, 'program');
  const plan: unknown = fieldOf(input, 'plan');
  const language = fieldOf(input, 'language') === 'javascript' ? 'javascript' : 'python';
  return typeof text === 'string' && typeof plan === 'string' ? { plan: seenWords(plan), text, language } : null;
}

function hasContent(input: unknown): boolean {
  return typeof input === 'object' && input !== null ? Object.keys(input).length > 0 : input !== null;
}
