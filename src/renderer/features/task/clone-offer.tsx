import { useEffect, useRef, useState } from 'react';
import { cloneFolderName } from '@shared/git/clone-folder-name.ts';
import type { CloneProgress } from '@shared/git/clone-progress.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { announce } from '../../lib/notices/announce.ts';
import { bytes } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FolderField } from '../../ui/controls/folder-field.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface CloneOfferProps {
  /** What was typed as the project folder. */
  readonly typed: string;
  /** Folders of earlier sessions, latest first. */
  readonly projects: readonly string[];
  readonly onCloned: (folder: string) => void;
}

const longest = 1_000;

/** `https://example.org/ada/app.git`, and the form for SSH, which the core answers with the one to use. */
function isRepositoryAddress(text: string): boolean {
  return text.length <= longest && !/\s/u.test(text) && /^(?:[a-z][a-z+]*:\/\/|[\w.-]+@[\w.-]+:)./iu.test(text);
}

const withoutSlash = (path: string): string => (/[/\\]$/u.test(path) ? path.slice(0, -1) : path);

const parentOf = (path: string): string => path.replace(/[/\\][^/\\]+[/\\]?$/u, '');

/** Offers to bring a repository whose address was typed as the folder. Nothing is asked before the click. */
export function CloneOffer({ typed, projects, onCloned }: CloneOfferProps) {
  const isRefused = useIsCommandRefused('git.clone');
  const address = typed.trim();
  if (isRefused || !isRepositoryAddress(address)) return null;
  return <CloneForm key={address} address={address} projects={projects} onCloned={onCloned} />;
}

function CloneForm({ address, projects, onCloned }: Omit<CloneOfferProps, 'typed'> & { readonly address: string }) {
  const parents = [...new Set(projects.map(parentOf))].filter((path) => path !== '');
  const [into, setInto] = useState(parents[0] ?? '');
  const { isBusy, step, problem, clone, stop } = useClone(onCloned);
  const name = cloneFolderName(address);
  // An address that names no folder goes into the chosen one, which has to be empty.
  const folder = name === null ? into.trim() : `${withoutSlash(into.trim())}/${name}`;
  const isReady = into.trim() !== '';
  return (
    <Notice kind="info">
      <div className="flex flex-col gap-3">
        <p>{t('task.clone')}</p>
        <FolderField
          label={t('task.clone.into')}
          hint={isReady ? t('task.clone.folder', { folder }) : t('task.clone.choose')}
          folder={into}
          known={parents}
          onChange={setInto}
        />
        <div className="flex flex-wrap items-center gap-3">
          <p className="min-w-0 flex-1">{isBusy ? stepText(step) : ''}</p>
          {isBusy ? (
            <Button size="small" onClick={stop}>
              {t('task.stop')}
            </Button>
          ) : (
            <Button size="small" disabled={!isReady} onClick={() => clone(address, folder)}>
              {t('task.clone.start')}
            </Button>
          )}
        </div>
        {problem !== null && <Problem text={problem} />}
      </div>
    </Notice>
  );
}

type Step = Extract<CloneProgress, { type: 'progress' }> | null;

function stepText(step: Step): string {
  if (step === null) return t('task.clone.begin');
  const { done, total } = step;
  if (step.step === 'receive') return t('task.clone.receive', { size: bytes(done) });
  const percent = total === null || total === 0 ? 0 : Math.floor((done / total) * 100);
  return t(step.step === 'unpack' ? 'task.clone.unpack' : 'task.clone.write', { percent });
}

function useClone(onCloned: (folder: string) => void) {
  const client = useClient();
  const [step, setStep] = useState<Step>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  // Another address, or another view: nobody waits for it any more.
  useEffect(() => () => stop.current?.abort(), []);
  const clone = async (url: string, folder: string): Promise<void> => {
    setIsBusy(true);
    setStep(null);
    setProblem(null);
    const { signal } = (stop.current = new AbortController());
    try {
      for await (const progress of await client.git.clone({ url, folder }, { signal })) {
        if (progress.type === 'progress') {
          setStep(progress);
          continue;
        }
        // The names in them are those of the repository. One announcement, because a second would take its place.
        const notes = progress.clone.notes.map(seenWords).join(' · ');
        if (notes !== '') announce({ kind: 'info', text: notes });
        onCloned(folder);
      }
    } catch (error) {
      if (!signal.aborted) setProblem(failureText(error));
    }
    setIsBusy(false);
  };
  return {
    isBusy,
    step,
    problem,
    clone: (url: string, folder: string) => void clone(url, folder),
    stop: () => stop.current?.abort(),
  };
}
