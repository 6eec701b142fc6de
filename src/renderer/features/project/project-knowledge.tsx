import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type DragEvent } from 'react';
import {
  mostWholeTokens,
  partsOfKnowledge,
  type AddedSource,
  type Knowledge,
  type KnowledgeFile,
  type KnowledgeSource,
} from '@shared/documents/knowledge.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { pathOfFile } from '../../lib/input/dropped-path.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { bytes, tokens } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TextWithCode } from '../../ui/notices/text-with-code.tsx';

/** Files and pages that are always at hand in the project. */
export function ProjectKnowledge({ projectPath }: { readonly projectPath: string }) {
  const isRefused = useIsCommandRefused('knowledge.add');
  const { knowledge, error, readAgain, work, add, change, stop } = useKnowledge(projectPath);
  const files = knowledge?.files ?? [];
  return (
    <Group title={t('project.knowledge')}>
      <p className="text-sm text-soft wrap-anywhere">
        {t('project.knowledge.text')}
        {files.length > 0 &&
          knowledge !== undefined &&
          ` ${t('project.knowledge.name', { name: `${knowledge.name}/` })}`}
      </p>
      {error !== null && <Problem text={failureText(error)} onRetry={readAgain} />}
      {isRefused ? (
        <p className="text-sm text-soft">
          <TextWithCode text={t('project.knowledge.refused')} />
        </p>
      ) : (
        <Adding {...{ work, add, stop }} />
      )}
      {knowledge !== undefined && files.length === 0 && (
        <p className="text-sm text-soft">{t('project.knowledge.none')}</p>
      )}
      {files.length > 0 && <p className="text-sm tabular-nums">{sumText(files)}</p>}
      <ul
        aria-label={t('project.knowledge.list')}
        className={`flex flex-col gap-2 text-sm empty:hidden ${isRefused ? '' : 'max-h-96 overflow-y-auto'}`}
      >
        {files.map((file) => (
          <Row key={file.name} {...{ file, isRefused, change }} />
        ))}
      </ul>
      {work.problem !== null && <Problem text={work.problem} />}
    </Group>
  );
}

interface Work {
  /** Null: nothing is added now. */
  readonly done: { readonly count: number; readonly of: number } | null;
  /** What became of the sources, where there is something to say. */
  readonly told: readonly AddedSource[];
  readonly problem: string | null;
}

const idle: Work = { done: null, told: [], problem: null };
type Wish = { readonly remove: string } | { readonly name: string; readonly isWhole: boolean };

function useKnowledge(projectPath: string) {
  const client = useClient();
  const queries = useQueryClient();
  const [work, setWork] = useState(idle);
  const running = useRef<AbortController | null>(null);
  const queryKey = ['knowledge', projectPath];
  const found = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.knowledge.list({ projectPath }, { signal }),
    staleTime: 0,
    // It is a folder that you may change by hand.
    refetchOnWindowFocus: 'always',
  });
  const show = (knowledge: Knowledge): void => void queries.setQueryData(queryKey, knowledge);
  /** True when all of them are at hand now. */
  const add = async (sources: readonly KnowledgeSource[]): Promise<boolean> => {
    if (sources.length === 0 || running.current !== null) return false;
    let isAll = true;
    const stop = new AbortController();
    running.current = stop;
    setWork({ ...idle, done: { count: 0, of: sources.length } });
    try {
      for await (const said of await client.knowledge.add(
        { projectPath, sources: [...sources] },
        { signal: stop.signal },
      )) {
        if (said.type === 'ended') show(said.knowledge);
        if (said.type !== 'source') continue;
        const { added, done: count, of } = said;
        isAll &&= added.outcome !== 'refused';
        setWork((before) => ({
          ...before,
          done: { count, of },
          told: added.note === null ? before.told : [...before.told, added],
        }));
      }
      setWork((before) => ({ ...before, done: null }));
      return isAll;
    } catch (error) {
      const problem = stop.signal.aborted ? null : failureText(error);
      setWork((before) => ({ ...before, done: null, problem }));
      await queries.invalidateQueries({ queryKey });
      return false;
    } finally {
      running.current = null;
    }
  };
  const change = async (wish: Wish): Promise<void> => {
    setWork((before) => ({ ...before, problem: null, told: [] }));
    try {
      show(
        'remove' in wish
          ? await client.knowledge.remove({ projectPath, names: [wish.remove] })
          : await client.knowledge.setWhole({ projectPath, ...wish }),
      );
    } catch (error) {
      setWork((before) => ({ ...before, problem: failureText(error) }));
      await queries.invalidateQueries({ queryKey });
    }
  };
  const stop = (): void => running.current?.abort();
  return { knowledge: found.data, error: found.error, readAgain: found.refetch, work, add, change, stop };
}

interface AddingProps {
  readonly work: Work;
  readonly add: (sources: readonly KnowledgeSource[]) => Promise<boolean>;
  readonly stop: () => void;
}

function Adding({ work: { done, told }, add, stop }: AddingProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const take = (files: FileList | null): void =>
    void add(
      [...(files ?? [])].flatMap((file) => {
        const path = pathOfFile(file);
        return path === null ? [] : [{ type: 'file', path }];
      }),
    );
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <>
      <div
        data-drop="knowledge"
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={`flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-3 ${isOver ? 'border-accent bg-sunken' : 'border-line'}`}
      >
        {/* It keeps the focus while files are added. */}
        <Button aria-disabled={done !== null} onClick={() => done === null && picker.current?.click()}>
          <Icon name="plus" /> {t('project.knowledge.add')}
        </Button>
        <span className="text-sm text-soft">{t('project.knowledge.drop')}</span>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          tabIndex={-1}
          aria-label={t('project.knowledge.add')}
          onChange={({ target }) => {
            take(target.files);
            // Lets the user choose the same file again.
            target.value = '';
          }}
        />
      </div>
      <PageForm isBusy={done !== null} add={add} />
      <div aria-live="polite" className="flex flex-col gap-1 text-sm empty:hidden">
        {done !== null && (
          <p className="flex items-center gap-3">
            {t('project.knowledge.adding', { count: done.count, of: done.of })}
            <Button size="small" look="quiet" onClick={stop}>
              {t('project.knowledge.stop')}
            </Button>
          </p>
        )}
        {told.map(({ source, note, outcome }) => (
          <p
            key={source.type === 'file' ? source.path : source.url}
            className={`wrap-anywhere ${outcome === 'refused' ? 'text-warn' : 'text-soft'}`}
          >
            {seenWords(note ?? '')}
          </p>
        ))}
      </div>
    </>
  );
}

/** People copy addresses without their beginning. */
function wholeAddress(typed: string): string {
  const text = typed.trim();
  return /^[\w-]+\.[\w.-]*\w(?::\d{1,5})?(?:[/?#]|$)/u.test(text) ? `https://${text}` : text;
}

/** A page is fetched once, because the person asked for it. */
function PageForm({ isBusy, add }: Pick<AddingProps, 'add'> & { readonly isBusy: boolean }) {
  const [typed, setUrl] = useState('');
  const url = wholeAddress(typed);
  return (
    <form
      aria-label={t('project.knowledge.page')}
      className="grid items-end gap-3 sm:grid-cols-[1fr_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        // An address that was refused stays to be corrected.
        void add([{ type: 'page', url }]).then((isAdded) => isAdded && setUrl(''));
      }}
    >
      <InputField label={t('project.knowledge.url')} spellCheck={false} value={typed} onText={setUrl} />
      <Button type="submit" disabled={isBusy || !/^https?:\/\/./iu.test(url)}>
        {t('project.knowledge.fetch')}
      </Button>
    </form>
  );
}

interface RowProps {
  readonly file: KnowledgeFile;
  readonly isRefused: boolean;
  readonly change: (wish: Wish) => Promise<void>;
}

function Row({ file, isRefused, change }: RowProps) {
  const parts = partsOfKnowledge(file);
  const { name, sizeBytes, tokens: size, from, addedAt, isWhole } = file;
  const facts = [
    ...(parts === null ? [] : [parts]),
    bytes(sizeBytes),
    ...(size === 0 ? [] : [t('project.knowledge.tokens', { tokens: tokens(size) })]),
    new Date(addedAt).toISOString().slice(0, 10),
  ];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1" data-knowledge={name}>
      <div className="min-w-0 flex-1">
        <p className="font-semibold wrap-anywhere">{seenName(name)}</p>
        <p className="text-xs text-soft wrap-anywhere">
          {facts.join(' · ')}
          {from !== null && ` · ${from.type === 'page' ? seenName(from.url) : folderText(from.path)}`}
        </p>
      </div>
      {size > mostWholeTokens ? (
        <span className="text-xs text-soft">{t('project.knowledge.searched')}</span>
      ) : (
        <label className="flex items-center gap-1.5 text-xs">
          <input
            type="checkbox"
            checked={isWhole}
            disabled={isRefused}
            onChange={({ target }) => void change({ name, isWhole: target.checked })}
          />
          {t('project.knowledge.whole')}
          <span className="sr-only">{seenName(name)}</span>
        </label>
      )}
      {!isRefused && (
        <Button
          size="small"
          look="quiet"
          aria-label={t('project.knowledge.removeOne', { name: seenName(name) })}
          onClick={() => void change({ remove: name })}
        >
          {t('project.knowledge.remove')}
        </Button>
      )}
    </li>
  );
}

function sumText(files: readonly KnowledgeFile[]): string {
  const whole = files.filter(({ isWhole }) => isWhole);
  const count = plural('project.knowledge.files', files.length);
  if (whole.length === 0) return `${count} ${t('project.knowledge.allSearched')}`;
  const sum = whole.reduce((all, one) => all + one.tokens, 0);
  return `${count} ${plural('project.knowledge.wholeSum', whole.length, { tokens: tokens(sum) })}`;
}
