import { useSyncExternalStore } from 'react';

/** Whether the page is dark now, for what cannot take its colors from the style sheet. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

function isDark(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}

function subscribe(listener: () => void): () => void {
  const look = new MutationObserver(listener);
  look.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => look.disconnect();
}
