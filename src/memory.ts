/**
 * How the runtime handles memory, set before anything else is loaded. Left alone, it takes note of which places in the code made objects that
 * outlived a collection, and soon makes all objects of such places in the memory for old ones. While a service starts under load these are
 * the parts of requests, and from then on every request leaves a kilobyte behind that only a full collection takes away.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-allocation-site-pretenuring');

/**
 * Loads a part of the program without letting the memory for young objects grow. What modules leave behind would grow it to its full size, and a
 * service that has nothing to do yet would hold it all.
 */
export async function loadSparingly<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await load();
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}
