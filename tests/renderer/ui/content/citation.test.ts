import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { CitedPlace } from '../../../../src/shared/documents/cited-part.ts';
import { CitedPlacesContext } from '../../../../src/renderer/lib/connection/find-places.ts';
import { OpenFileContext } from '../../../../src/renderer/lib/session/use-open-file.ts';
import MarkdownView from '../../../../src/renderer/ui/content/markdown-view.tsx';

/** The page of a text in which exactly these places exist. */
function drawn(
  text: string,
  places: readonly CitedPlace[],
  isGrowing = false,
  openFile: (() => void) | null = null,
): string {
  const queries = new QueryClient();
  for (const place of places) queries.setQueryData(['cited-place', 's1', place], true);
  const value = { sessionId: 's1', find: async () => false, show: () => undefined };
  const view = createElement(MarkdownView, { text, isGrowing });
  const inWindow = createElement(OpenFileContext, { value: openFile }, view);
  const inContext = createElement(CitedPlacesContext, { value }, inWindow);
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: queries }, inContext));
}

const links = (page: string): readonly string[] =>
  [...page.matchAll(/<button[^>]*>(.*?)<\/button>/gu)].map(([, words = '']) => words.replaceAll(/<[^>]*>/gu, ''));

const page3 = { path: 'a b.pdf', part: { word: 'page', number: 3 } } as const;

describe('a citation in an answer', () => {
  it('is a link where the place exists, and text where it does not', () => {
    const place = { path: 'notes.md', line: 12 };
    expect(links(drawn('See notes.md:12 and notes.md:13, **notes.md:12**.', [place]))).toEqual([
      'notes.md:12',
      'notes.md:12',
    ]);
    expect(drawn('See notes.md:12.', [])).toContain('See notes.md:12.');
  });

  it('is a link with a name in code and the place in the words after it', () => {
    expect(links(drawn('As in `a b.pdf`, page 3: yes. `a b.pdf`, page 4', [page3]))).toEqual(['a b.pdf, page 3']);
    expect(links(drawn('As in `a b.pdf, page 3`.', [page3]))).toEqual(['a b.pdf, page 3']);
  });

  it('shows code, too, but its name in code opens in the editor where there is one', () => {
    const places = [{ path: 'src/app.py', line: 12 }];
    const text = 'See src/app.py:12 and `src/app.py:12`.';
    expect(links(drawn(text, places))).toEqual(['src/app.py:12', 'src/app.py:12']);
    const opened = (): void => undefined;
    const page = drawn(text, places, false, opened);
    expect([...page.matchAll(/title="([^"]*)"/gu)].map(([, title]) => title === 'Show this place')).toEqual([
      true,
      false,
    ]);
  });

  it('stays text in a block of code, and while the text grows', () => {
    expect(links(drawn('```text\nnotes.md:12\n```', [{ path: 'notes.md', line: 12 }]))).not.toContain('notes.md:12');
    expect(links(drawn('See notes.md:12', [{ path: 'notes.md', line: 12 }], true))).toEqual([]);
  });
});
