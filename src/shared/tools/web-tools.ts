/** Tools that let agents reach the web. They are off by default. */
export const webToolNames = ['web_read', 'web_search', 'http_request'] as const;
export type WebToolName = (typeof webToolNames)[number];

/** Services that searches may be sent to. */
export const searchServiceNames = ['searxng', 'brave'] as const;
export type SearchServiceName = (typeof searchServiceNames)[number];

export interface WebToolReport {
  readonly name: WebToolName;
  readonly description: string;
  readonly isOn: boolean;
  /** What it needs before it can work, and how to provide it; null: nothing. */
  readonly lacks: string | null;
}

export function isWebTool(name: string): name is WebToolName {
  return webToolNames.some((known) => known === name);
}
