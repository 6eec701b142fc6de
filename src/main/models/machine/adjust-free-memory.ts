import type { Hardware } from './hardware.ts';

/** A copy of the hardware with more or less free memory: what something would free, or really needs. Bytes. */
export function adjustFreeMemory(
  { host, devices }: Hardware,
  { hostBytes, cardBytes }: { readonly hostBytes: number; readonly cardBytes: number },
): Hardware {
  const free = (bytes: number, total: number): number => Math.max(0, Math.min(total, bytes));
  return {
    host: { ...host, freeBytes: free(host.freeBytes + hostBytes, host.totalBytes) },
    devices: devices.map((device, index) =>
      index === 0 ? { ...device, freeBytes: free(device.freeBytes + cardBytes, device.totalBytes) } : device,
    ),
  };
}
