/**
 * Libraries that a service loads when it first needs them: many never do, and together they are a sixth of the memory of one that has just started.
 * Who uses one here must not import it by itself: it would be loaded twice.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Definitions, personas, modules and settings that are written in YAML. */
export const yaml = onDemand<typeof import('yaml')>('yaml');
/** Patterns of definitions and programs. */
export const re2 = onDemand<typeof import('re2js')>('re2js');
/** Spaces that are compared. */
export const diff = onDemand<typeof import('diff')>('diff');
/** Forms with files. */
export const busboy = onDemand<typeof import('@fastify/busboy')>('@fastify/busboy');

function onDemand<Library>(name: string): () => Library {
  let loaded: Library | undefined;
  return () => {
    loaded ??= require(name) as Library;
    return loaded;
  };
}
