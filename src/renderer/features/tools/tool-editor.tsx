import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent, RefObject } from 'react';
import { useRef, useState } from 'react';
import type { OwnToolDeclaration } from '@shared/tools/own-tool.ts';
import { hasDeceptivePiece, seenName, seenPieces, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { t } from '../../lib/text/translate.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import { writeStoredText } from '../../lib/window/stored-value.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { ToolDraft } from './tool-draft.ts';
import { draftOf } from './tool-draft.ts';
import { ToolTrial } from './tool-trial.tsx';
import { draftKey, useToolDraft } from './use-tool-draft.ts';
import { inProject } from './use-tool-servers.ts';
import { Select } from '../../ui/controls/select.tsx';

interface ToolEditorProps {
  readonly first: ToolDraft;
  readonly onClose: () => void;
}

/** Writes or changes the file of a tool: its text, what is wrong with it, and a test run in the sandbox. */
export function ToolEditor({ first, onClose }: ToolEditorProps) {
  const client = useClient();
  const queries = useQueryClient();
  const projectName = useProjectNames();
  const shown = useToolDraft(first);
  const { draft, settle, replace } = shown;
  const [problem, setProblem] = useState<string | null>(null);
  const close = (): void => {
    writeStoredText(draftKey, '');
    onClose();
  };
  const save = async (): Promise<void> => {
    const { file, text, replaces, projectPath } = await settle();
    const place = { ...inProject(projectPath), ...(replaces === null ? {} : { replaces }) };
    const report = await client.ownTools.save({ file, text, ...place });
    await queries.invalidateQueries({ queryKey: ['tools'] });
    if (report.state !== 'broken') {
      const key = report.program !== null && report.state === 'changed' ? 'toolEdit.savedProgram' : 'toolEdit.saved';
      announce({ kind: 'info', text: t(key, { name: seenName(report.name) }) });
      close();
      return;
    }
    announce({ kind: 'info', text: t('toolEdit.savedBroken', { name: seenName(file) }) });
    replace({ ...draft, text, replaces: report.sha256 });
    setProblem(seenWords(report.problem ?? ''));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setProblem(null);
    save().catch((error: unknown) => setProblem(failureText(error)));
  };
  const { file, replaces, projectPath, check } = draft;
  const declaration = check?.declaration ?? null;
  return (
    <form noValidate aria-label={t('toolEdit.form')} onSubmit={submit} className="flex flex-col gap-5">
      <ViewHeader
        title={replaces === null ? t('toolEdit.new') : t('toolEdit.title', { file: seenName(file) })}
        text={projectPath === null ? t('toolEdit.text') : t('toolEdit.textProject', { name: projectName(projectPath) })}
      />
      {replaces === null && <Language draft={draft} onBegin={replace} />}
      <Code {...shown} />
      {declaration !== null && declaration.calls === undefined && <Reach {...declaration} />}
      {declaration?.calls !== undefined ? (
        <p className="text-sm text-soft">{t('toolEdit.program')}</p>
      ) : (
        <ToolTrial draft={draft} settle={settle} />
      )}
      {problem !== null && <Problem text={problem} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary">
          {t('toolEdit.save')}
        </Button>
        <Button onClick={close}>{t('toolEdit.discard')}</Button>
      </div>
    </form>
  );
}

type Shown = ReturnType<typeof useToolDraft>;

/** What the text says of where the tool runs. */
function Reach({ hosts, secrets }: Pick<OwnToolDeclaration, 'hosts' | 'secrets'>) {
  return (
    <p className="text-sm text-soft">{t(hosts.length + secrets.length > 0 ? 'toolEdit.apart' : 'toolEdit.beside')}</p>
  );
}

const beginnings = {
  python: { language: 'python' },
  js: { language: 'js' },
  sh: { language: 'sh' },
  create_issue: { example: 'create_issue' },
  chat_message: { example: 'chat_message' },
} as const;
const ends: Readonly<Record<string, Beginning>> = { '.js': 'js', '.sh': 'sh' };
const beginningNames = ['python', 'js', 'sh', 'create_issue', 'chat_message'] as const;
type Beginning = (typeof beginningNames)[number];

/** Each language starts another text. Switching back restores the earlier one. */
function Language({ draft, onBegin }: { readonly draft: ToolDraft; readonly onBegin: (draft: ToolDraft) => void }) {
  const client = useClient();
  const [chosen, setChosen] = useState<Beginning>(
    () => ends[draft.file.slice(draft.file.lastIndexOf('.'))] ?? 'python',
  );
  const written = useRef(new Map<Beginning, ToolDraft>());
  const choose = async (next: Beginning): Promise<void> => {
    written.current.set(chosen, draft);
    setChosen(next);
    const before = written.current.get(next);
    const name = draft.file.slice(0, draft.file.lastIndexOf('.'));
    onBegin(before ?? draftOf(await client.ownTools.template({ name, ...beginnings[next] }), draft));
  };
  return (
    <Field label={t('toolEdit.language')}>
      {(ids) => (
        <Select
          {...ids}
          value={chosen}

          onChange={({ target }) => {
            const next = beginningNames.find((one) => one === target.value);
            if (next !== undefined) choose(next).catch((error: unknown) => announceFailure(error));
          }}
        >
          {beginningNames.map((one) => (
            <option key={one} value={one}>
              {t(`toolEdit.begin.${one}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function announceFailure(error: unknown): void {
  announce({ kind: 'error', text: failureText(error) });
}

function Code({ draft, setText }: Shown) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, check } = draft;
  const problem = check?.problem ?? null;
  const line = Number(/^Line (\d+)/u.exec(problem ?? '')?.[1] ?? 0);
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={t('toolEdit.code')}
        hint={t('toolEdit.codeHint')}
        problem={problem === null ? null : seenWords(problem)}
      >
        {(ids) => (
          <textarea
            {...ids}
            ref={field}
            rows={20}
            value={text}
            spellCheck={false}
            wrap="off"
            className={`${inputClass} resize-y overflow-auto font-mono text-xs leading-5 whitespace-pre`}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {line > 0 && (
        <Button size="small" className="w-fit" onClick={() => showLine(field, line)}>
          {t('toolEdit.showLine', { line })}
        </Button>
      )}
      {hasDeceptivePiece(seenPieces(text)) && <Notice kind="warning">{t('toolEdit.strange')}</Notice>}
    </div>
  );
}

function showLine({ current }: RefObject<HTMLTextAreaElement | null>, line: number): void {
  if (current === null) return;
  const lines = current.value.split('\n');
  const from = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  current.focus();
  current.setSelectionRange(from, from + (lines[line - 1] ?? '').length);
  current.scrollTop = (line - 4) * (current.scrollHeight / lines.length);
}
