import type { SessionState } from '@shared/session/session-state.ts';
import type { ShownFileSource } from '@shared/contract/sessions-contract.ts';

export type PreviewKind = 'html' | 'svg' | 'markdown' | 'table' | 'picture';

/** A file of a session that can be previewed. */
export interface PreviewableFile {
  readonly key: string;
  readonly name: string;
  readonly kind: PreviewKind;
  readonly source: ShownFileSource;
  readonly isAttached: boolean;
  /** Changes each time the file changes. */
  readonly version: string;
}

const kinds: Readonly<Record<string, PreviewKind>> = {
  csv: 'table',
  gif: 'picture',
  htm: 'html',
  html: 'html',
  jpeg: 'picture',
  jpg: 'picture',
  markdown: 'markdown',
  md: 'markdown',
  png: 'picture',
  svg: 'svg',
  tsv: 'table',
  webp: 'picture',
};

/** The files that the agent made, latest first, then the attachments. Deleted files are left out. */
export function previewableFiles({
  changes,
  messages,
}: Pick<SessionState, 'changes' | 'messages'>): readonly PreviewableFile[] {
  const made = [...changes]
    .sort((left, right) => right.last.seq - left.last.seq)
    .flatMap(({ path, after, last }): readonly PreviewableFile[] => {
      const kind = kindOf(path);
      if (kind === null || after === null) return [];
      return [
        { key: `made ${path}`, name: path, kind, source: { path }, isAttached: false, version: String(last.seq) },
      ];
    });
  const given = messages.flatMap(({ attachments = [] }) =>
    attachments.flatMap((attachment): readonly PreviewableFile[] => {
      const { sha256 } = attachment.blob;
      const kind = attachment.kind === 'image' ? 'picture' : kindOf(attachment.name);
      if (kind === null || (attachment.kind === 'text' && attachment.lines !== undefined)) return [];
      const key = `given ${sha256}`;
      return [{ key, name: attachment.name, kind, source: { sha256 }, isAttached: true, version: sha256 }];
    }),
  );
  const all = new Map([...made, ...given].map((file) => [file.key, file]));
  return [...all.values()];
}

function kindOf(name: string): PreviewKind | null {
  const ending = /\.([a-z]+)$/iu.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(kinds, ending) ? (kinds[ending] ?? null) : null;
}
