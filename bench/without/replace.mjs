// A hook of the module loader: the files of the service, with the checks taken out that BENCH_WITHOUT names.
import { without } from './checks.mjs';

const names = (process.env.BENCH_WITHOUT ?? '').split(',').filter((name) => name !== '');

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== 'module' || !url.includes('/dist/')) return loaded;
  return { ...loaded, source: without(names, url, loaded.source.toString()) };
}
