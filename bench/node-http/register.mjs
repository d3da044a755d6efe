// `node --import ./bench/node-http/register.mjs dist/main.js serve`: the service with its own handlers, on Node's server of HTTP instead of ours.
// Only for comparing the two; nothing of it is shipped.
import { register } from 'node:module';

register('./replace.mjs', import.meta.url);
