/**
 * Milliseconds of processor that this process used for some work, which takes no turn of the event loop: what others on the machine do changes
 * nothing.
 */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
