import { lazy, Suspense, useState } from 'react';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { templateAbout } from '@shared/session/prompt-templates.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { useTemplates } from '../../lib/input/use-templates.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { Icon } from '../../ui/layout/icon.tsx';

const TemplateEditor = lazy(() => import('./template-editor.tsx'));

/** The prompts that the user keeps with this project, for its page. They are written in the same dialog as those for everywhere. */
export default function ProjectPrompts({ project }: { readonly project: string }) {
  const { templates } = useTemplates(project);
  const isRefused = useIsCommandRefused('templates.save');
  const own = templates.filter(({ isOfProject }) => isOfProject === true);
  const [editing, setEditing] = useState<PromptTemplate | 'new' | null>(null);
  return (
    <Group title={t('project.prompts')}>
      <p className="text-sm text-soft">{t('project.prompts.text')}</p>
      <ul aria-label={t('project.prompts')} className="flex flex-col gap-1 text-sm empty:hidden">
        {own.map((template) => (
          <li key={template.name} className="flex min-w-0 items-center gap-3">
            <Button size="small" look="quiet" className="font-mono" onClick={() => setEditing(template)}>
              /{seenName(template.name)}
            </Button>
            <span className="min-w-0 truncate text-soft">{seenWords(templateAbout(template))}</span>
          </li>
        ))}
      </ul>
      {!isRefused && (
        <div>
          <Button onClick={() => setEditing('new')}>
            <Icon name="plus" /> {t('templates.new')}
          </Button>
        </div>
      )}
      {editing !== null && (
        <Suspense>
          <TemplateEditor
            isForProject
            project={project}
            first={editing === 'new' ? undefined : editing}
            onClose={() => setEditing(null)}
          />
        </Suspense>
      )}
    </Group>
  );
}
