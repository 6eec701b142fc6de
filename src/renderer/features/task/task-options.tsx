import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../lib/connection/core-context.ts';
import { bytes } from '../../lib/text/format.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Field, InputField } from '../../ui/controls/field.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import type { TaskChoice } from './start-task.ts';
import { Select } from '../../ui/controls/select.tsx';

interface TaskOptionsProps {
  /** The project's folder; empty: no project. */
  readonly project: string;
  readonly choice: TaskChoice;
  readonly onChange: (choice: TaskChoice) => void;
}

const workspaces = ['in-place', 'copy'] as const;

export function TaskOptions({ choice, project, onChange }: TaskOptionsProps) {
  return (
    <Fold label={t('task.options')} className="text-sm">
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <InputField
          label={t('task.check')}
          hint={t('task.checkHint')}
          className="sm:col-span-2"
          type="text"
          value={choice.check}
          spellCheck={false}
          onText={(text) => onChange({ ...choice, check: text })}
        />
        <WorkspaceChoice choice={choice} project={project} onChange={onChange} />
        <InputField
          label={t('task.maxUsd')}
          hint={t('task.maxUsdHint')}
          type="number"
          min={0}
          step="any"
          value={choice.maxUsd}
          onText={(text) => onChange({ ...choice, maxUsd: text })}
        />
        <InputField
          label={t('task.maxSteps')}
          type="number"
          min={1}
          step={1}
          value={choice.maxSteps}
          placeholder={t('task.fromSettings')}
          onText={(text) => onChange({ ...choice, maxSteps: text })}
        />
      </div>
    </Fold>
  );
}

function WorkspaceChoice({ choice, project, onChange }: TaskOptionsProps) {
  const size = useCopySize(choice.workspace === 'copy' ? project : '');
  return (
    <Field label={t('task.workspace')} {...(size === undefined ? {} : { hint: size })}>
      {(ids) => (
        <Select
          {...ids}
          value={choice.workspace}

          onChange={({ target }) =>
            onChange({ ...choice, workspace: workspaces.find((mode) => mode === target.value) ?? 'in-place' })
          }
        >
          {workspaces.map((mode) => (
            <option key={mode} value={mode}>
              {t(`task.workspace.${mode}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** The size of a copy of the project, before it is made. */
function useCopySize(projectPath: string): string | undefined {
  const client = useClient();
  const size = useQuery({
    queryKey: ['copy-size', projectPath],
    queryFn: ({ signal }) => client.projects.copySize({ projectPath }, { signal }),
    enabled: projectPath !== '',
    retry: false,
  });
  if (projectPath === '') return undefined;
  if (size.error !== null) return failureText(size.error);
  if (size.data === undefined) return t('task.copySize.looking');
  const { files, bytes: count, leftOut } = size.data;
  const whole = plural('task.copySize', files, { size: bytes(count) });
  if (leftOut.paths.length === 0) return whole;
  const { morePaths: more, paths } = leftOut;
  const values = { size: bytes(leftOut.bytes), paths: paths.join(', '), more };
  return `${whole} ${t(more === 0 ? 'task.copySize.leftOut' : 'task.copySize.leftOutMore', values)}`;
}
