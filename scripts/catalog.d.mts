export function makeKey(): { privatePem: string; publicKey: string };
export function signCatalog(catalog: unknown, revision: number, privatePem: string): Record<string, unknown>;
