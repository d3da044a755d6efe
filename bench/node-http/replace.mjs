// A hook of the module loader: whoever asks for our server of HTTP gets the one on node:http, which has the same face.
const OURS = /\/dist\/http1\/server\.js$/;
const OTHER = new URL('./server.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  return OURS.test(found.url) ? { ...found, url: OTHER, shortCircuit: true } : found;
}
