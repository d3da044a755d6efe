// Generates load on an HTTP server from a separate process: wrk if it is or can be installed,
// otherwise generator.mjs. Requests are text with numbers to fill in.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const GENERATOR = fileURLToPath(new URL('./generator.mjs', import.meta.url));

/** Placeholder in a path or body for a random number from 1 to `most`. */
export const anyOf = (most) => `\u0001any:${most}\u0001`;
/** Placeholder for the next number of a sequence that starts at 1. */
export const nextOf = () => '\u0001next:0\u0001';

/**
 * A request as pieces of text with numbers between them. Numbers change the length, so only paths
 * may contain them.
 */
export function makeRequest({ method = 'GET', path, headers = {}, body }) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  const parts = `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`.split('\u0001');
  const pieces = parts.filter((_, index) => index % 2 === 0);
  const numbers = parts.filter((_, index) => index % 2 === 1).map(toNumber);
  return { variants: [{ pieces, numbers }], once: { method, path: fillOnce(path), headers, body } };
}

function toNumber(part) {
  const [kind, most] = part.split(':');
  return { kind, most: Number(most) };
}

/** A random one of these requests. */
export function anyRequest(requests) {
  return { ...requests[0], variants: requests.flatMap(({ variants }) => variants) };
}

/** These requests in turn, so that concurrent ones differ. */
export function eachRequest(requests) {
  return { ...anyRequest(requests), inTurn: true };
}

const fillOnce = (text) => text.replaceAll(/\u0001\w+:\d+\u0001/g, '1');

/** Sends a request once, to verify the response before measuring. */
export function sendOnce(port, { once }) {
  return new Promise((resolve, reject) => {
    const headers = once.body === undefined ? once.headers : { ...once.headers, 'Content-Type': 'application/json' };
    const request = httpRequest({ host: '127.0.0.1', port, method: once.method, path: once.path, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.on('error', reject);
    request.end(once.body);
  });
}

const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Chooses the generator, installing wrk if permitted. */
export function chooseGenerator(say) {
  if (has('wrk')) return 'wrk';
  if (process.getuid?.() === 0 && has('apt-get')) {
    say('installing wrk ...');
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'wrk'], { stdio: 'ignore' });
  }
  return has('wrk') ? 'wrk' : 'own';
}

/**
 * Runs the load and returns {requests, seconds, errors, p50, p99, p999} (milliseconds). `rate`
 * (requests a second) requires the own generator.
 */
export function runLoad(generator, plan) {
  return generator === 'wrk' && plan.rate === undefined ? runWrk(plan) : runOwn(plan);
}

async function runWrk({ port, request, connections, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  try {
    const script = join(folder, 'load.lua');
    writeFileSync(script, toLua(request));
    const args = ['-t1', `-c${connections}`, `-d${Math.ceil(seconds)}s`, '--timeout', '30s', '-s', script, `http://127.0.0.1:${port}/`];
    const printed = await output('wrk', args);
    const line = /^load (.*)$/m.exec(printed)?.[1];
    if (!line) throw new Error(`wrk said:\n${printed}`);
    return JSON.parse(line);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NUMBERS = { any: ({ most }) => `math.random(${most})`, next: () => 'following()' };

/**
 * JSON strings are valid Lua here: requests contain no characters that the two escape differently.
 */
function toLua({ variants, inTurn }) {
  const makers = variants.map(({ pieces, numbers }) => {
    const terms = pieces.flatMap((piece, i) => [JSON.stringify(piece), ...(numbers[i] ? [NUMBERS[numbers[i].kind](numbers[i])] : [])]);
    return `function() return ${terms.join(' .. ')} end`;
  });
  return `local counter = 0
local function following() counter = counter + 1; return counter end
local makers = {${makers.join(',\n')}}
function init() math.randomseed(os.time()) end
function request() return makers[${inTurn ? 'following() % #makers + 1' : 'math.random(#makers)'}]() end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('load {"requests":%d,"seconds":%f,"bytes":%d,"errors":%d,"p50":%f,"p99":%f,"p999":%f}\\n', summary.requests,
    summary.duration / 1e6, summary.bytes, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency:percentile(99.9) / 1000))
end
`;
}

/** Runs plans of generator.mjs one after the other in one process, which is compiled once. */
export class OwnGenerator {
  #child = spawn(process.execPath, [GENERATOR], { stdio: ['pipe', 'pipe', 'inherit'] });
  #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();

  async run(plan) {
    this.#child.stdin.write(`${JSON.stringify(plan)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the load generator has ended');
    return JSON.parse(value);
  }

  end() {
    this.#child.stdin.end();
  }
}

async function runOwn(plan) {
  const generator = new OwnGenerator();
  try {
    return await generator.run(plan);
  } finally {
    generator.end();
  }
}

function output(file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve(text) : reject(new Error(`${file} ended with ${code}: ${text}`))));
  });
}
