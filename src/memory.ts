/**
 * How the runtime handles memory, set before anything else is loaded. Left alone, it takes note of which places in the code made objects that
 * outlived a collection, and soon makes all objects of such places in the memory for old ones. While a service starts under load these are
 * the parts of requests, and from then on every request leaves a kilobyte behind that only a full collection takes away.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-allocation-site-pretenuring');
