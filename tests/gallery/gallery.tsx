import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { CoreContext } from '../../src/renderer/lib/connection/core-context.ts';
import {
  applyLook,
  densities,
  density,
  motion,
  motions,
  textSize,
  textSizes,
} from '../../src/renderer/lib/window/preferences.ts';
import { useStoredValue } from '../../src/renderer/lib/window/stored-value.ts';
import { Choice } from '../../src/renderer/ui/controls/settings-parts.tsx';
import './gallery.css';
import { pieces } from './pieces.tsx';
import { standInCore } from './stand-in-core.ts';

/** Every component of `ui/` in its states, light beside dark, on a core that is not there. For developers: it is in no build. */
function Gallery() {
  const [size, setSize] = useStoredValue(textSize);
  const [space, setSpace] = useStoredValue(density);
  const [moves, setMoves] = useStoredValue(motion);
  return (
    <main className="flex h-full flex-col gap-6 overflow-y-auto p-4">
      <h1 className="text-xl font-semibold tracking-tight">Gallery</h1>
      <div className="flex flex-wrap gap-6">
        <Choice label="Text size" value={size} options={textSizes.map(asOption)} onChange={setSize} />
        <Choice label="Density" value={space} options={densities.map(asOption)} onChange={setSpace} />
        <Choice label="Motion" value={moves} options={motions.map(asOption)} onChange={setMoves} />
      </div>
      {Object.entries(pieces).map(([name, piece]) => (
        <section key={name} aria-label={name} data-piece={name}>
          <h2 className="pb-1 font-mono text-xs text-soft">{name}</h2>
          <div className="grid gap-2 md:grid-cols-2">
            <Side theme="light">{piece}</Side>
            <Side theme="dark">{piece}</Side>
          </div>
        </section>
      ))}
    </main>
  );
}

function asOption<Value extends string>(value: Value): { readonly value: Value; readonly text: string } {
  return { value, text: value };
}

/** It is positioned, for what lies over a view stays in it here. */
function Side({ theme, children }: { readonly theme: 'light' | 'dark'; readonly children: ReactNode }) {
  return (
    <div
      data-theme={theme}
      className="relative flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-paper p-4 text-ink"
    >
      {children}
    </div>
  );
}

applyLook();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <CoreContext value={standInCore}>
          <Gallery />
        </CoreContext>
      </QueryClientProvider>
    </StrictMode>,
  );
}
