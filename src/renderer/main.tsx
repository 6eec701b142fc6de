import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { holdComposingKeys } from './lib/input/composing-keys.ts';
import { applyLook } from './lib/window/preferences.ts';
import './styles.css';

holdComposingKeys(window);
applyLook();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
