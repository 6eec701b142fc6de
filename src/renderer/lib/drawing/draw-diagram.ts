import { imageUrlOf } from './image-url.ts';
import { t } from '../text/translate.ts';
import libraryUrl from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';

/** A diagram as an image, so that nothing in it can run. */
export type DrawnDiagram =
  | { readonly ok: true; readonly url: string; readonly width: number; readonly height: number }
  | { readonly ok: false; readonly reason: string };

/** Larger diagrams are not drawn, because that would take too long. */
const most = { characters: 20_000, edges: 300, svgCharacters: 2_000_000 } as const;
/** A diagram that takes longer is given up, and the frame is made anew. */
const patienceMs = 10_000;
/** The frame is removed after this long without a diagram, because it holds memory. */
const restMs = 60_000;
const keptDiagrams = 60;

interface Painter {
  readonly draw: (text: string, isDark: boolean) => Promise<DrawnDiagram>;
  readonly end: () => void;
}

let painter: Promise<Painter> | null = null;
let resting: ReturnType<typeof setTimeout> | undefined;
let last: Promise<unknown> = Promise.resolve();
const kept = new Map<string, DrawnDiagram>();

/** Draws a Mermaid diagram, in a frame that can reach neither the page nor a network. Never rejects. */
export function drawDiagram(text: string, isDark: boolean): Promise<DrawnDiagram> {
  const key = `${isDark ? 'dark' : 'light'} ${text}`;
  const known = kept.get(key);
  if (known !== undefined) return Promise.resolve(known);
  if (text.length > most.characters) return Promise.resolve({ ok: false, reason: t('diagram.tooLong') });
  const turn = last.then(async () => {
    const drawn = kept.get(key) ?? (await drawNow(text, isDark));
    if (kept.size >= keptDiagrams) kept.clear();
    kept.set(key, drawn);
    return drawn;
  });
  last = turn;
  return turn;
}

async function drawNow(text: string, isDark: boolean): Promise<DrawnDiagram> {
  clearTimeout(resting);
  try {
    const drawn = await (await (painter ??= openPainter())).draw(text, isDark);
    resting = setTimeout(() => void endPainter(), restMs);
    return drawn;
  } catch (error) {
    await endPainter();
    return { ok: false, reason: error instanceof Error ? error.message : t('diagram.unknown') };
  }
}

async function endPainter(): Promise<void> {
  const ended = painter;
  painter = null;
  // A frame that never opened has already removed itself.
  await ended?.then(
    ({ end }) => end(),
    () => undefined,
  );
}

type Message = { readonly type: string; readonly id?: number; readonly svg?: unknown; readonly reason?: unknown };

async function openPainter(): Promise<Painter> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('aria-hidden', 'true');
  frame.tabIndex = -1;
  frame.title = t('diagram.alt');
  // The frame must be laid out, because labels are measured in it, but it is not visible.
  frame.className = 'pointer-events-none fixed top-0 -left-[2000px] h-[600px] w-[800px] opacity-0';
  frame.src = '/frames/diagram.html';
  const heard = listen(frame);
  const end = (): void => {
    heard.stop();
    frame.remove();
  };
  let count = 0;
  try {
    const code = await (await fetch(libraryUrl)).text();
    const ready = heard.next(({ type }) => type === 'ready');
    document.body.append(frame);
    await ready;
    const loaded = heard.next(({ type }) => type === 'loaded' || type === 'broken');
    frame.contentWindow?.postMessage({ type: 'library', code }, '*');
    if ((await loaded).type === 'broken') throw new Error(t('diagram.notLoaded'));
  } catch (error) {
    end();
    throw error;
  }
  return {
    end,
    draw: async (text, isDark) => {
      const id = (count += 1);
      const answered = heard.next((message) => message.id === id);
      frame.contentWindow?.postMessage({ type: 'draw', id, text, options: optionsFor(isDark) }, '*');
      const { svg, reason } = await answered;
      if (typeof svg === 'string') return asImage(svg);
      return { ok: false, reason: typeof reason === 'string' ? reason : t('diagram.unknown') };
    },
  };
}

interface Heard {
  /** The next message of a kind. Rejects when none arrives in time. */
  readonly next: (isWanted: (message: Message) => boolean) => Promise<Message>;
  readonly stop: () => void;
}

function listen(frame: HTMLIFrameElement): Heard {
  const waiting = new Set<(message: Message) => void>();
  const take = ({ source, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== frame.contentWindow || !isMessage(data)) return;
    for (const wait of waiting) wait(data);
  };
  window.addEventListener('message', take);
  return {
    next: (isWanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(wait);
          reject(new Error(t('diagram.tooSlow', { seconds: patienceMs / 1000 })));
        }, patienceMs);
        const wait = (message: Message): void => {
          if (!isWanted(message)) return;
          clearTimeout(timer);
          waiting.delete(wait);
          resolve(message);
        };
        waiting.add(wait);
      }),
    stop: () => window.removeEventListener('message', take),
  };
}

function isMessage(data: unknown): data is Message {
  return typeof data === 'object' && data !== null && 'type' in data && typeof data.type === 'string';
}

function optionsFor(isDark: boolean): object {
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: isDark ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
    maxTextSize: most.characters,
    maxEdges: most.edges,
    suppressErrorRendering: true,
    // A diagram's own configuration cannot change these.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'suppressErrorRendering',
      'htmlLabels',
      'themeCSS',
      'fontFamily',
    ],
  };
}

/** An image cannot run or load anything, and cannot draw outside its area. */
function asImage(svg: string): DrawnDiagram {
  const [, width, height] = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/u.exec(svg) ?? [];
  if (width === undefined || height === undefined) return { ok: false, reason: t('diagram.nothing') };
  if (svg.length > most.svgCharacters) return { ok: false, reason: t('diagram.tooLarge') };
  // Gives the image its own size, because it would otherwise take the size of its container.
  const sized = svg.replace(/^<svg([^>]*?) width="100%"/u, `<svg$1 width="${width}" height="${height}"`);
  return {
    ok: true,
    url: imageUrlOf(sized),
    width: Math.ceil(Number(width)),
    height: Math.ceil(Number(height)),
  };
}
