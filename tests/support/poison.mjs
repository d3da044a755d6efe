// Preload for a service: fills released memory with a pattern, so that a use after release shows.
import { poisonReleased } from '../../dist/util/bytes/buffer-pool.js';

poisonReleased(0xdb);
