import type { SearchHit } from '@shared/contract/search-answer.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { sessionTitle } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import type { SearchLoad } from '../../lib/session/use-session-search.ts';
import { Problem } from '../../ui/notices/problem.tsx';

interface SearchHitsProps {
  readonly load: SearchLoad;
  /** Whether the current filter includes this hit. */
  readonly isShown: (hit: SearchHit) => boolean;
  /** What the project of its session is called; null: it is in none. */
  readonly projectName: (hit: SearchHit) => string | null;
  readonly onShow: (hit: SearchHit) => void;
}

/** The matches of a search, by session. A click opens the place. */
export function SearchHits({ load, isShown, projectName, onShow }: SearchHitsProps) {
  if (load.type === 'none') return null;
  return (
    <section aria-label={t('search.label')} className="mt-2 border-t border-line pt-1">
      <h2 className="px-2 pt-1 pb-1 text-sm font-semibold text-soft">{t('search.label')}</h2>
      <Content {...{ load, isShown, projectName, onShow }} />
    </section>
  );
}

function Content({ load, isShown, projectName, onShow }: SearchHitsProps) {
  if (load.type === 'failed') return <Problem text={load.text} />;
  if (load.type !== 'ready') return <p className="px-2 text-sm text-soft">{t('search.looking')}</p>;
  const groups = bySession(load.hits.filter(isShown), projectName);
  return (
    <>
      <output className={groups.length > 0 && load.isComplete ? 'sr-only' : 'block px-2 text-sm text-soft'}>
        {t(load.isComplete ? (groups.length === 0 ? 'search.none' : 'search.done') : 'search.looking')}
      </output>
      {groups.map(({ sessionId, title, project, hits }) => (
        <div key={sessionId} className="mb-1">
          <h3 className="flex items-baseline gap-2 px-2 pt-1 text-sm">
            <span className="truncate">{sessionTitle(title)}</span>
            {project !== null && <span className="max-w-1/2 shrink-0 truncate text-xs text-soft">{project}</span>}
          </h3>
          <ul>
            {hits.map((hit) => (
              <li key={hit.seq + hit.kind}>
                <Hit hit={hit} onShow={onShow} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function Hit({ hit, onShow }: { readonly hit: SearchHit; readonly onShow: (hit: SearchHit) => void }) {
  const { before, match, after } = hit.snippet;
  return (
    <button
      type="button"
      data-hit={hit.ref ?? ''}
      onClick={() => onShow(hit)}
      className="block w-full rounded-md px-2 py-1 text-left text-xs text-soft hover:bg-chosen"
    >
      <span className="line-clamp-2 wrap-anywhere">
        <span className="sr-only">{t(`search.kind.${hit.kind}`)}: </span>
        {seenWords(before)}
        <mark className="bg-transparent font-semibold text-ink">{seenWords(match)}</mark>
        {seenWords(after)}
      </span>
    </button>
  );
}

interface Group {
  readonly sessionId: string;
  readonly title: string;
  readonly project: string | null;
  readonly hits: readonly SearchHit[];
}

function bySession(hits: readonly SearchHit[], projectName: SearchHitsProps['projectName']): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const hit of hits) {
    const { sessionId, title } = hit;
    groups.set(sessionId, {
      sessionId,
      title,
      project: projectName(hit),
      hits: [...(groups.get(sessionId)?.hits ?? []), hit],
    });
  }
  return [...groups.values()];
}
