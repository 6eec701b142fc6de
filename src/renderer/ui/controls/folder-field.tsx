import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { pathOfDropped } from '../../lib/input/dropped-path.ts';
import { folderName } from '../../lib/text/format.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Icon } from '../layout/icon.tsx';
import { Button } from './button.tsx';
import { Field, inputClass } from './field.tsx';

interface FolderFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly folder: string;
  /** Folders that are suggested while the user types. */
  readonly known: readonly string[];
  readonly onChange: (folder: string) => void;
}

/** A folder on this machine: typed, dropped, or chosen in the system's dialog if there is one. */
export function FolderField({ label, hint, folder, known, onChange }: FolderFieldProps) {
  const client = useClient();
  const isWindow = useIsWindow();
  const choose = async (): Promise<void> => {
    try {
      const { path } = await client.host.chooseFolder();
      if (path !== null) onChange(path);
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
  };
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <>
          <div
            className="flex gap-2"
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              const path = pathOfDropped(event.dataTransfer.files);
              if (path !== null) onChange(path);
            }}
          >
            <input
              {...ids}
              type="text"
              list={`${ids.id}-known`}
              value={folderText(folder)}
              spellCheck={false}
              onChange={(event) => onChange(event.target.value)}
              className={`${inputClass} font-mono text-xs`}
            />
            {isWindow && (
              <Button onClick={() => void choose()}>
                <Icon name="folder" /> {t('task.choose')}
              </Button>
            )}
          </div>
          <datalist id={`${ids.id}-known`}>
            {known.map((path) => (
              <option key={path} value={folderText(path)}>
                {folderName(path)}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
