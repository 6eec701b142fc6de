const names = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/**
 * Whether the host of an address, as `URL` writes it, is this machine without asking a resolver. `127.example.org` is
 * an ordinary name.
 */
export function isLoopbackHost(hostname: string): boolean {
  return names.test(hostname);
}
