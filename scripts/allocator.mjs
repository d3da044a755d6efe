/**
 * Settings of the C allocator for a service. Buffers of 128 KiB and more are mapped individually
 * and returned when freed. By default the threshold grows with the largest buffer freed so far, and
 * the process keeps them all (docs/decisions/0004-memory.md).
 */
const SETTINGS = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** Environment of a service. Values that the user has set win. */
export function withAllocator(env) {
  return { ...SETTINGS, ...env };
}
