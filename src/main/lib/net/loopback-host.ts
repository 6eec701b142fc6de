const names = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/**
 * Whether the host of an address, as `URL` writes it, is this machine whatever a resolver says. `127.example.org` is a
 * name like any other.
 */
export function isLoopbackHost(hostname: string): boolean {
  return names.test(hostname);
}
