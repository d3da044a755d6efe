// Messages of public attack collections, for this project's parser and Node's. A message that ours
// accepts is read alike by Node's, whole and byte by byte. Invalid bytes are rejected at once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampled, times } from '../support/times.ts';
import { corpus } from './corpus.ts';
import { WirePair } from './wire-pair.ts';

const AT_ONE_TIME = 64;
const LAST = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

const pair = new WirePair(5000);
beforeAll(() => pair.start());
afterAll(() => pair.stop());

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const singly = (text: string): Buffer[] => [...text].map(bytesOf);

/** Checks all of them, some at a time. Returns the differences. */
async function judge(texts: readonly string[], look: (text: string) => Promise<string | undefined>): Promise<string[]> {
  const wrong: string[] = [];
  const rest = texts.values();
  const work = async (): Promise<void> => {
    for (const text of rest) {
      const found = await look(text);
      if (found !== undefined) wrong.push(`${JSON.stringify(text)}: ${found}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONE_TIME }, work));
  return wrong;
}

describe('the corpus', () => {
  const texts = sampled(8, corpus());
  const verdicts = { served: 0, refused: 0 };

  test('is read as Node reads it, or rejected', async () => {
    const wrong = await judge(texts, async (text) => {
      const whole = bytesOf(text + LAST);
      const [ours, node] = await Promise.all([pair.ours([whole]), pair.node(whole)]);
      verdicts[ours.refused ? 'refused' : 'served']++;
      const same = ours.served.every((request, i) => request === node[i]);
      return same ? undefined : `ours ${ours.served.join(' ')}, Node ${node.join(' ')}`;
    });
    expect(wrong).toEqual([]);
    // Neither everything nor nothing is refused.
    expect(texts.length).toBeGreaterThan(times(125, 1000));
    expect(verdicts.served).toBeGreaterThan(times(5, 100));
    expect(verdicts.refused).toBeGreaterThan(times(50, 800));
  });

  test('is read alike byte by byte', async () => {
    const short = texts.filter((text) => text.length < 400 && !text.startsWith('GET /first'));
    const wrong = await judge(short, async (text) => {
      const [whole, pieces] = await Promise.all([pair.ours([bytesOf(text + LAST)]), pair.ours(singly(text + LAST))]);
      return JSON.stringify(whole) === JSON.stringify(pieces)
        ? undefined
        : `whole ${JSON.stringify(whole)}, in bytes ${JSON.stringify(pieces)}`;
    });
    expect(wrong).toEqual([]);
  });
});

describe('the parser rejects, whatever Node does,', () => {
  const host = 'Host: x\r\n';
  test.each([
    ['a target of no form', `GET a HTTP/1.1\r\n${host}\r\n`],
    ['an authority as the target', `GET x:443 HTTP/1.1\r\n${host}\r\n`],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${host}\r\n`],
    ['an address without a host', `GET http:///a HTTP/1.1\r\n${host}\r\n`],
    ['an address with a user', `GET http://a@b/ HTTP/1.1\r\n${host}\r\n`],
    ['a target with bytes that are no text', `GET /\xe4 HTTP/1.1\r\n${host}\r\n`],
    ['a fragment', `GET /a#b HTTP/1.1\r\n${host}\r\n`],
    ['a blank behind the size of a chunk', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3 \r\nabc\r\n0\r\n\r\n`],
    ['a blank before an extension', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3; a=b\r\nabc\r\n0\r\n\r\n`],
    ['a quote that is not closed', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3;a="b\r\nabc\r\n0\r\n\r\n`],
    ['a length in the trailers', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n`],
    ['an empty line that ends with a line feed', `\nGET / HTTP/1.1\r\n${host}\r\n`],
  ])('%s', async (_, text) => {
    expect(await pair.ours([bytesOf(text + LAST)])).toEqual({ served: [], refused: true });
  });
});

describe('the server answers at once, without waiting for more bytes,', () => {
  test.each([
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/0.9', 'GET /\r\n'],
    ['a bare line feed behind the request line', 'GET / HTTP/1.1\n'],
    ['a bare line feed behind a header', 'GET / HTTP/1.1\r\nHost: x\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n'],
    ['a method that is none', 'HELO there'],
    ['the beginning of no method', 'xy'],
    ['a method in lower case', 'get / '],
    ['a NUL', '\0'],
    ['a blank', ' '],
    ['a target of no form', 'GET x'],
    ['another version', 'GET / HTTP/1.2\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nA: b\r\n c\r\n'],
    ['the answer of a server', 'HTTP/1.1 200 OK\r\n'],
    ['a greeting of SSH', 'SSH-2.0-OpenSSH\r\n'],
  ])('%s', async (_, text) => {
    const began = performance.now();
    expect(await pair.ours([bytesOf(text)], 'waits')).toEqual({ served: [], refused: true });
    // A server that waits for more bytes takes at least 15 s.
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('but waits for a head that may still become a request', async () => {
    const text = 'POST http://h/a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok';
    expect((await pair.ours(singly(text), 'waits')).served).toHaveLength(1);
  });
});
