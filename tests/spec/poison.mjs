// Loaded into the service before anything else: memory that is given back is spoiled at once, so that whoever still uses it is found out.
import { poisonReleased } from '../../dist/util/buffer-pool.js';

poisonReleased(0xdb);
