// `BENCH_WITHOUT=wipe,lease node --import ./bench/without/register.mjs dist/main.js serve`: the service without some of its checks.
import { register } from 'node:module';

register('./replace.mjs', import.meta.url);
