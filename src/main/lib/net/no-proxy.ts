/**
 * Whether a list such as `no_proxy` names a host, or one that it is under; `*` names all. An entry with a port is for that port
 * alone. It says the same as the package that `fetch` goes through a proxy by.
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
