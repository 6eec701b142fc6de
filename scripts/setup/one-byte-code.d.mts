import type { Plugin } from 'vite';

export function oneByteCode(): Plugin;
export function oneByteText(code: string, parse: (code: string) => unknown): string;
