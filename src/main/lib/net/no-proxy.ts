/**
 * Whether a list such as `no_proxy` contains a host or one of its parent domains; `*` matches all. An entry with a port
 * applies only to that port. Behaves like the package that provides proxies for `fetch`.
 */
export function isProxyExcepted(noProxy: string, host: string, port: number): boolean {
  return noProxy.split(/[,\s]/u).some((entry) => {
    if (entry === '*') return true;
    const [, before, ofPort] = /^([^:]+|\[[^\]]*\]):(\d+)$/u.exec(entry) ?? [];
    const name = (before ?? entry).replace(/^\*?\./u, '').toLowerCase();
    if (name === '' || (ofPort !== undefined && Number(ofPort) !== port)) return false;
    return host === name || host.endsWith(`.${name}`);
  });
}
