/**
 * Loads libraries on first use: many services never need them, and together they take 17 % of the
 * memory of a fresh service. Users of these libraries must not import them directly.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Reads definitions, personas, modules and settings. */
export const yaml = onDemand<typeof import('yaml')>('yaml');
/** Matches patterns of definitions and programs. */
export const re2 = onDemand<typeof import('re2js')>('re2js');
/** Compares spaces. */
export const diff = onDemand<typeof import('diff')>('diff');
/** Reads forms with files. */
export const busboy = onDemand<typeof import('@fastify/busboy')>('@fastify/busboy');

function onDemand<Library>(name: string): () => Library {
  let loaded: Library | undefined;
  return () => {
    loaded ??= require(name) as Library;
    return loaded;
  };
}
