/** A package that is loaded at the first call, because most sessions never need it and it costs time and memory. */
interface LazyPackage<T> {
  readonly load: () => Promise<T>;
  /** Null: not loaded yet, so no error can be one of its own. */
  readonly loaded: () => T | null;
}

export const openaiSdk = lazyPackage(() => import('openai'));
export const anthropicSdk = lazyPackage(() => import('@anthropic-ai/sdk'));

function lazyPackage<T>(bring: () => Promise<T>): LazyPackage<T> {
  let loaded: T | null = null;
  return {
    load: async () => (loaded ??= await bring()),
    loaded: () => loaded,
  };
}
