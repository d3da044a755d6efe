// Loaded into a service before anything else: released memory is filled with a pattern at once, so that a use after the release shows.
import { poisonReleased } from '../../dist/util/bytes/buffer-pool.js';

poisonReleased(0xdb);
