import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { use } from 'react';
import type { CitedPlace } from '@shared/documents/cited-part.ts';
import { CitedPlacesContext, type CitedPlaces } from '../../lib/connection/find-places.ts';
import { OpenFileContext } from '../../lib/session/use-open-file.ts';
import { t } from '../../lib/text/translate.ts';

interface CitationProps {
  /** Absent: nothing is cited. */
  readonly place?: CitedPlace;
  /** The words are the name of a file of code, which opens in the editor where there is one. */
  readonly isEditable?: boolean;
  readonly children?: ReactNode;
}

/** Words that cite a place in a file. If it is there, a click shows it. */
export function Citation({ place, isEditable, children }: CitationProps) {
  const places = use(CitedPlacesContext);
  const hasEditor = use(OpenFileContext) !== null;
  if (places === null || place === undefined || (isEditable === true && hasEditor)) return children;
  return (
    <Checked place={place} places={places}>
      {children}
    </Checked>
  );
}

/** Documents come and go while an agent works. */
const staleMs = 30_000;

function Checked({
  place,
  places,
  children,
}: Required<Omit<CitationProps, 'isEditable'>> & { readonly places: CitedPlaces }) {
  const { data: isThere = false } = useQuery({
    queryKey: ['cited-place', places.sessionId, place],
    queryFn: () => places.find(place),
    staleTime: staleMs,
    retry: false,
  });
  if (!isThere) return children;
  return (
    <button
      type="button"
      title={t('cited.open')}
      onClick={() => places.show(place)}
      className="cursor-pointer text-left underline decoration-line-strong underline-offset-3 hover:text-soft"
    >
      {/* The place opens here, so its name alone does not open elsewhere. */}
      <OpenFileContext value={null}>{children}</OpenFileContext>
    </button>
  );
}
