import type { Plugin } from 'vite';

export function writeBundleFacts(): Plugin;
