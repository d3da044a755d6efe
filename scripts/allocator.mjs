/**
 * What the C library's allocator is told in the environment of a service: buffers from 128 KiB on are mapped, each by itself, so that they are given
 * back when they are freed. Left alone it raises that size to that of the largest buffer freed so far, and keeps them all (docs/decisions/0004-memory.md).
 */
const SETTINGS = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** The environment of a service; what the user has set holds. */
export function withAllocator(env) {
  return { ...SETTINGS, ...env };
}
