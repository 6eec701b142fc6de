import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { ProjectImage as OwnImage } from '@shared/sandbox/sandbox-images.ts';
import { seenName, seenPieces } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { SeenText } from '../../ui/content/seen-text.tsx';
import type { ProjectHandle } from './use-project.ts';

/** The image that this project's commands run in, and the image that the project defines. */
export function ProjectImage({ project }: { readonly project: ProjectHandle }) {
  const { settings, isRefused, change } = project;
  const { image, usual } = settings;
  return (
    <Group title={t('project.image')}>
      {image === null ? (
        <p className="text-sm wrap-anywhere">
          {usual.image === null ? t('project.image.ours') : t('project.image.usual', { name: usual.image })}
        </p>
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          <p className="min-w-0 flex-1 text-sm wrap-anywhere">
            {t('project.image.own', { name: image.name })}
            {image.approval !== null && <span className="text-soft"> ({t('project.image.fromFile')})</span>}
          </p>
          {!isRefused && (
            <Button size="small" onClick={() => void change({ type: 'image', name: null })}>
              {t('project.image.back')}
            </Button>
          )}
        </div>
      )}
      <Brought project={project} />
      {!isRefused && <NamedImage project={project} />}
    </Group>
  );
}

function NamedImage({ project: { change } }: { readonly project: ProjectHandle }) {
  const [name, setName] = useState('');
  const use = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await change({ type: 'image', name: name.trim() })) setName('');
  };
  return (
    <form
      aria-label={t('project.image.name')}
      onSubmit={(event) => void use(event)}
      className="grid items-start gap-3 sm:grid-cols-[1fr_auto]"
    >
      <InputField
        label={t('project.image.name')}
        hint={t('project.image.nameHint')}
        value={name}
        spellCheck={false}
        autoComplete="off"
        onText={setName}
      />
      <Button type="submit" className="sm:mt-5" disabled={name.trim() === ''}>
        {t('project.image.use')}
      </Button>
    </form>
  );
}

/** The project's image definition, to be read in full before anything is built. */
function Brought({ project: { projectPath, settings } }: { readonly project: ProjectHandle }) {
  const client = useClient();
  const isRefused = useIsCommandRefused('projects.bringImage');
  const own = useQuery({
    queryKey: ['settings', 'image', projectPath],
    queryFn: ({ signal }) => client.projects.image({ projectPath }, { signal }),
    enabled: settings.isThere,
  });
  if (own.error !== null) return <Notice kind="warning">{failureText(own.error)}</Notice>;
  if (own.data === undefined || own.data === null) return null;
  const { kind, path, text, isUsed } = own.data;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p>{t(`project.image.brings.${kind}`, { path: seenName(path) })}</p>
      <SeenText pieces={seenPieces(text)} />
      <Besides image={own.data} />
      <p className="text-soft">{t(isUsed ? 'project.image.isUsed' : 'project.image.notUsed')}</p>
      {!isUsed && !isRefused && <Make projectPath={projectPath} image={own.data} />}
    </div>
  );
}

/** What comes with the image: commands, variables, and requests that are ignored. */
function Besides({ image: { setup, environment, leftOut } }: { readonly image: OwnImage }) {
  const commands = Object.entries(setup).map(([ecosystem, command]) => `${ecosystem}: ${command}`);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const parts = [
    [t('project.image.setup'), commands],
    [t('project.image.environment'), variables],
    [t('project.image.leftOut'), leftOut],
  ] as const;
  return parts.map(
    ([title, lines]) =>
      lines.length > 0 && (
        <div key={title} className="flex flex-col gap-2">
          <p>{title}</p>
          <SeenText pieces={seenPieces(lines.map(seenName).join('\n'))} />
        </div>
      ),
  );
}

interface MakeProps {
  readonly projectPath: string;
  readonly image: OwnImage;
}

/** Building stops when the view closes. */
function Make({ projectPath, image }: MakeProps) {
  const client = useClient();
  const queries = useQueryClient();
  const [said, setSaid] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const make = async (): Promise<void> => {
    const { signal } = (stop.current = new AbortController());
    setProblem(null);
    setSaid('');
    try {
      const input = { type: 'project' as const, projectPath, approval: image.approval };
      for await (const progress of await client.projects.bringImage(input, { signal })) {
        if (progress.type === 'text') setSaid(progress.text);
      }
      await queries.invalidateQueries({ queryKey: ['settings'] });
    } catch (error) {
      if (!signal.aborted) setProblem(failureText(error));
    }
    setSaid(null);
  };
  return (
    <>
      {problem !== null && <Problem text={problem} />}
      {said === null ? (
        <Button className="w-fit" onClick={() => void make()}>
          {t('project.image.approve')}
        </Button>
      ) : (
        <div className="flex items-center gap-3">
          <output className="min-w-0 flex-1 text-sm text-soft wrap-anywhere">
            {t('project.image.making')} {said}
          </output>
          <Button size="small" onClick={() => stop.current?.abort()}>
            {t('project.image.cancel')}
          </Button>
        </div>
      )}
    </>
  );
}
