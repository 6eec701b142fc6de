import type { ReactNode } from 'react';
import { Component } from 'react';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { Notice } from '../notices/notice.tsx';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

/** If a view cannot be rendered, it says so and leaves the others alone. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly problem: string | null }> {
  override state = { problem: null };

  static getDerivedStateFromError(error: unknown): { readonly problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.problem === null) return this.props.children;
    return (
      <main className="m-auto max-w-md p-6">
        <Notice kind="error">
          <h1 className="font-semibold">{t('app.broken')}</h1>
          <p>{this.state.problem}</p>
          <p className="mt-1 text-soft">{t('app.broken.kept')}</p>
          <Button size="small" className="mt-3" onClick={() => window.location.reload()}>
            {t('app.reload')}
          </Button>
        </Notice>
      </main>
    );
  }
}
